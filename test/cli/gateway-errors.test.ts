import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

const record = {
  type: 'error',
  'serial-number': '00000000-0000-0000-0000-00000150aaaa',
  'error-message': 'Reports are being\nbuilt',
  'error-code': '4711',
};
const questions = [
  ['status', ['status', '12345', '--client-order-id', '902B4FF5']],
  ['card-ref info', ['card-ref', 'info', '--card-ref-id', '77']],
  ['status --wait', ['status', '--wait', '12345', '--client-order-id', '902B4FF5', '--wait-timeout', '1']],
  ['order', ['order', '12345']],
] as const;

describe('a question that is answered with HTTP 500 and an error record', () => {
  const always = { home: '', network: Array.from({ length: 3 }, () => () => reply(500, record)) };

  test.each(questions)('and gives each of them to programs: %s', async (_, argv) => {
    const ran = await paycli([...argv, '--json'], { ...always, home: homeWithProfile() });
    expect(JSON.parse(ran.err).facts).toMatchObject({
      httpStatus: 500,
      gatewayMessage: 'Reports are being built',
      gatewayCode: '4711',
      serialNumber: '00000000-0000-0000-0000-00000150aaaa',
    });
  });
});

describe('HTTP 403 with the page of a proxy', () => {
  const page = (): Delivery => ({
    kind: 'reply',
    reply: { status: 403, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>Forbidden</html>') },
  });
  const advice =
    /a proxy or firewall may have answered \(--verbose shows its words\): ask gateway support whether the IP address of this machine is on its allow-list/;

  test('to a sale leaves its outcome unknown, and says the same', async () => {
    const ran = await paycli(saleFlags, { home: homeWithProfile(), network: [page] });
    expect(ran.exit).toBe(8);
    expect(ran.err).toMatch(advice);
  });
});

describe('resolve, told HTTP 500 with an error record', () => {
  const boom = () =>
    reply(500, { type: 'error', 'error-message': 'boom', 'error-code': '77', 'serial-number': 's500' });
  const words = 'the status query failed: boom (HTTP 500, error code 77, serial number s500)';
  const challenge = () => reply(200, statusReply('processing', { 'transaction-type': 'sale', tds_status: 'CReqForm' }));
  const argv = ['resolve', '--client-order-id', '902B4FF5'];
  const booms = [boom, boom, boom];

  test('of an outcome that is unknown, it stays unknown', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => ({ kind: 'lost', reason: 'the connection was closed' })] });
    const said = await paycli(argv, { home, network: booms });
    expect([said.exit, said.err]).toEqual([8, expect.stringMatching(/still unknown\nnext: {2}do not send it again/)]);
    expect(said.err).toContain(words);
  });

  test('an answer that says something is no doubt', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const read = await paycli([...argv, '--json'], { home, network: [challenge] });
    expect(JSON.parse(read.out).entries[0].doubt).toBeNull();
  });
});

describe('the HTTP status stands in every error that an answer led to', () => {
  test('a refusal, for people and for programs', async () => {
    const network = [() => reply(400, record), () => noSuchOrder];
    const said = await paycli(saleFlags, { home: homeWithProfile(), network });
    expect([said.exit, said.err]).toEqual([
      4,
      expect.stringContaining('Reports are being built (HTTP 400, error code 4711'),
    ]);
    const read = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network });
    expect([read.exit, JSON.parse(read.out).httpStatus]).toEqual([4, 400]);
  });

  test('an unknown outcome, with a record and without', async () => {
    const said = await paycli(saleFlags, { home: homeWithProfile(), network: [() => reply(500, record)] });
    expect([said.exit, said.err]).toEqual([8, expect.stringContaining('HTTP 500 with an error reply')]);
    const read = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [() => reply(500, record)],
    });
    expect([read.exit, JSON.parse(read.out).httpStatus]).toEqual([8, 500]);
    const bare = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network: [() => reply(503, {})] });
    expect([bare.exit, JSON.parse(bare.err).facts.httpStatus]).toEqual([8, 503]);
  });
});

describe('a gateway that answers every status query in a way that waiting does not change', () => {
  const html = (status: number) => (): Delivery => ({
    kind: 'reply',
    reply: { status, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>No</html>') },
  });
  const lost = (): Delivery => ({ kind: 'lost', reason: 'the connection was closed' });
  const refusal = (status: number, words: string) => () =>
    reply(status, { type: 'error', 'error-message': words, 'error-code': '7' });
  const noOrder = refusal(400, 'order not found');
  const allowList = 'ask gateway support whether the IP address of this machine is on its allow-list';
  const answers: readonly (readonly [string, () => Delivery, number, string])[] = [
    ['a page with HTTP 403', html(403), 3, allowList],
    ['a page with HTTP 401', html(401), 3, allowList],
    ['a page with HTTP 404', html(404), 3, 'check base-url with `paycli doctor --online`'],
    ['access denied', refusal(403, 'Access denied'), 1, allowList],
    ['a refused control', refusal(400, 'Invalid control code'), 1, 'check that login my-shop and control key'],
  ];
  const repeated = (answer: () => Delivery, count: number) => Array.from({ length: count }, () => answer);

  test.each(answers)(
    '%s: a lost sale with --wait stays unknown, and is asked about once',
    async (_, no, asks, advice) => {
      const home = homeWithProfile();
      const ran = await paycli([...saleFlags, '--wait'], { home, network: [lost, ...repeated(no, asks)] });
      expect([ran.exit, ran.requests.length]).toEqual([8, 1 + asks]);
      expect(ran.err).toContain('do not send it again; resolve it with `paycli resolve 902B4FF5`');
      expect(ran.err).toContain(advice);
    },
  );

  test.each(answers)('%s: an accepted sale with --wait stays pending', async (_, no, asks, advice) => {
    const home = homeWithProfile();
    const network = [() => reply(200, taken), ...repeated(no, asks)];
    const ran = await paycli([...saleFlags, '--wait'], { home, network });
    expect([ran.exit, ran.requests.length]).toEqual([7, 1 + asks]);
    expect(ran.out).toContain('next: paycli status 12345 --wait');
    expect(ran.err).toContain('the request itself was accepted');
    expect(ran.err).toContain(advice);
  });

  test.each(answers)('%s: resolve leaves an unknown outcome unknown', async (_, no, asks, advice) => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [lost] });
    const ran = await paycli(['resolve', '902B4FF5'], { home, network: repeated(no, asks) });
    expect([ran.exit, ran.requests.length]).toEqual([8, asks]);
    expect(ran.err).toMatch(/still unknown\nnext: {2}do not send it again/);
    expect(ran.err).toContain(advice);
  });

  test.each(answers)('%s: resolve leaves an accepted payment pending', async (_, no, asks, advice) => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    // By the serial number first, which another refusal than one of the order does not explain.
    const network = repeated(no, asks === 1 ? 2 : asks);
    const ran = await paycli(['resolve', '902B4FF5'], { home, network });
    expect([ran.exit, ran.requests.length]).toEqual([7, network.length]);
    expect(ran.err).toContain('the gateway had accepted it');
    expect(ran.err).toContain(advice);
  });

  test.each(answers)('%s: status --wait says so at once', async (_, no, asks, advice) => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const ran = await paycli(['status', '12345', '--wait'], { home, network: repeated(no, asks) });
    expect([ran.exit, ran.requests.length]).toEqual([asks === 1 ? 4 : 9, asks]);
    expect(ran.err).toContain(advice);
  });

  test('an order that the gateway does not have yet is asked about on the whole schedule', async () => {
    const home = homeWithProfile();
    const ran = await paycli([...saleFlags, '--wait'], { home, network: [lost, ...repeated(noOrder, 6)] });
    expect([ran.exit, ran.requests.length]).toEqual([8, 7]);
  });
});
