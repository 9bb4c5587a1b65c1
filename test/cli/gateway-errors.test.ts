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
const questions = [
  ['status', ['status', '12345', '--client-order-id', '902B4FF5']],
  ['card-ref info', ['card-ref', 'info', '--card-ref-id', '77']],
  ['status --wait', ['status', '--wait', '12345', '--client-order-id', '902B4FF5', '--wait-timeout', '1']],
  ['order', ['order', '12345']],
] as const;

describe('a question that is answered with HTTP 500 and an error record', () => {
  const always = { home: '', network: Array.from({ length: 3 }, () => () => reply(500, record)) };
  test.each(questions)('shows message, code, serial number and HTTP status: %s', async (_, argv) => {
    const ran = await paycli(argv, { ...always, home: homeWithProfile() });
    expect([ran.exit, ran.out]).toEqual([9, '']);
    const words =
      'Reports are being built (HTTP 500, error code 4711, serial number 00000000-0000-0000-0000-00000150aaaa)';
    expect(ran.err).toContain(`no usable answer: ${words}`);
  });

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
    /a proxy or firewall may have answered: ask gateway support whether the IP address of this machine is on its allow-list/;

  test('to a question says who may have answered and what to check', async () => {
    const network = Array.from({ length: 3 }, () => page);
    const ran = await paycli(['status', '12345', '--client-order-id', '902B4FF5'], {
      home: homeWithProfile(),
      network,
    });
    expect(ran.exit).toBe(9);
    expect(ran.err).toMatch(/^error: no usable answer: HTTP 403/m);
    expect(ran.err).toMatch(advice);
    expect(ran.err).toContain('`paycli doctor --online`, then repeat the command');
  });

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
  const argv = ['resolve', '--client-order-id', '902B4FF5', '--once'];
  const booms = [boom, boom, boom];

  test('repeats its message, code and serial number, and says nothing of what the gateway does with the \
order', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const said = await paycli(argv, { home, network: booms });
    expect([said.exit, said.err]).toEqual([7, expect.stringContaining(words)]);
    expect(said.err).toContain(
      'no change; previously: the gateway had accepted it; try again with `paycli resolve 12345`',
    );
    expect(said.err).not.toContain('is processing it');
    const read = await paycli([...argv, '--json'], { home, network: booms });
    expect(JSON.parse(read.out).entries[0].doubt).toEqual({
      why: 'boom (HTTP 500, error code 77, serial number s500)',
      httpStatus: 500,
      gatewayMessage: 'boom',
      gatewayCode: '77',
      serialNumber: 's500',
    });
  });

  test('tells what the payer had to do as something it knew before', async () => {
    const home = homeWithProfile();
    await paycli([...saleFlags, '--wait'], { home, network: [() => reply(200, taken), challenge] });
    const said = await paycli(argv, { home, network: booms });
    expect(said.err).toContain('no change; previously: waiting for the payer: 3-D Secure challenge (since');
  });

  test('of an outcome that is unknown, it stays unknown', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => ({ kind: 'lost', reason: 'the connection was closed' })] });
    const said = await paycli(argv, { home, network: booms });
    expect([said.exit, said.err]).toEqual([8, expect.stringMatching(/still unknown, so do not send it again/)]);
    expect(said.err).toContain(words);
  });

  test('an answer that says something is no doubt', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const read = await paycli([...argv, '--json'], { home, network: [challenge] });
    expect(JSON.parse(read.out).entries[0].doubt).toBeNull();
  });

  test('so does a sale that asks by itself after its own answer was lost', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => ({ kind: 'lost', reason: 'the connection was closed' })] });
    const again = await paycli(saleFlags, { home, network: booms });
    expect([again.exit, again.err]).toEqual([8, expect.stringContaining(words)]);
  });
});

describe('the HTTP status stands in every error that an answer led to', () => {
  test('a refusal, for people and for programs', async () => {
    const network = [() => reply(400, record)];
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
    expect([said.exit, said.err]).toEqual([8, expect.stringContaining('HTTP 500 with an error record')]);
    const read = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [() => reply(500, record)],
    });
    expect([read.exit, JSON.parse(read.out).httpStatus]).toEqual([8, 500]);
    const bare = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network: [() => reply(503, {})] });
    expect([bare.exit, JSON.parse(bare.err).facts.httpStatus]).toEqual([8, 503]);
  });
});
