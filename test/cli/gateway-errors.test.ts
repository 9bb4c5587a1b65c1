import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags } from './profiles.js';

const record = {
  type: 'error',
  'serial-number': '00000000-0000-0000-0000-00000150aaaa',
  'error-message': 'Reports are being\nbuilt',
  'error-code': '4711',
};
const questions = [
  ['status', ['status', '12345', '--client-order-id', '902B4FF5']],
  ['card-ref info', ['card-ref', 'info', '--card-ref-id', '77']],
  ['wait', ['wait', '12345', '--client-order-id', '902B4FF5', '--timeout', '1']],
  ['flow', ['flow', '12345']],
] as const;

describe('a question that is answered with HTTP 500 and an error record', () => {
  const always = { home: '', network: Array.from({ length: 3 }, () => () => reply(500, record)) };
  test.each(questions)('shows message, code, serial number and HTTP status: %s', async (_, argv) => {
    const ran = await paycli(argv, { ...always, home: homeWithProfile() });
    expect([ran.exit, ran.out]).toEqual([9, '']);
    const words = 'Reports are being built (HTTP 500, error code 4711, serial number 00000000-0000-0000-0000-00000150aaaa)';
    expect(ran.err).toContain(`the question got no answer: ${words}`);
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

describe('the HTTP status stands in every error that an answer led to', () => {
  test('a refusal, for people and for programs', async () => {
    const network = [() => reply(400, record)];
    const said = await paycli(saleFlags, { home: homeWithProfile(), network });
    expect([said.exit, said.err]).toEqual([4, expect.stringContaining('Reports are being built (HTTP 400, error code 4711')]);
    const read = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network });
    expect([read.exit, JSON.parse(read.out).httpStatus]).toEqual([4, 400]);
  });

  test('an unknown outcome, with a record and without', async () => {
    const said = await paycli(saleFlags, { home: homeWithProfile(), network: [() => reply(500, record)] });
    expect([said.exit, said.err]).toEqual([8, expect.stringContaining('HTTP 500 with an error record')]);
    const read = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network: [() => reply(500, record)] });
    expect([read.exit, JSON.parse(read.out).httpStatus]).toEqual([8, 500]);
    const bare = await paycli([...saleFlags, '--json'], { home: homeWithProfile(), network: [() => reply(503, {})] });
    expect([bare.exit, JSON.parse(bare.err).facts.httpStatus]).toEqual([8, 503]);
  });
});
