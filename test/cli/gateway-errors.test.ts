import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const record = {
  type: 'error',
  'serial-number': '00000000-0000-0000-0000-00000150aaaa',
  'error-message': 'Reports are being\nbuilt',
  'error-code': '4711',
};

describe('resolve, told HTTP 500 with an error record', () => {
  const boom = () =>
    reply(500, { type: 'error', 'error-message': 'boom', 'error-code': '77', 'serial-number': 's500' });
  const words = 'the status query failed: boom (HTTP 500, error code 77, serial number s500)';
  reply(200, statusReply('processing', { 'transaction-type': 'sale', tds_status: 'CReqForm' }));
  const argv = ['resolve', '--client-order-id', '902B4FF5'];
  const booms = [boom, boom, boom];

  test('of an outcome that is unknown, it stays unknown', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => ({ kind: 'lost', reason: 'the connection was closed' })] });
    const said = await paycli(argv, { home, network: booms });
    expect([said.exit, said.err]).toEqual([8, expect.stringMatching(/still unknown\nnext: {2}do not send it again/)]);
    expect(said.err).toContain(words);
  });
});

describe('the HTTP status stands in every error that an answer led to', () => {
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
    ['a page with HTTP 404', html(404), 3, 'check base-url with `paycli doctor --online`'],
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
