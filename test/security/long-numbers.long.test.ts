import { expect, test } from 'vitest';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli } from '../support/runtime.js';

const size = 900_000;

/** Milliseconds of processor time that a sale takes whose reply has this value. */
async function costOf(value: string): Promise<number> {
  const body = Buffer.from(`${JSON.stringify(taken).slice(0, -1)},"odd":${value}}`);
  const headers = { 'content-type': 'application/vnd.pay+json' };
  const before = process.cpuUsage();
  const ran = await paycli([...saleFlags, '--json'], {
    home: homeWithProfile(),
    network: [() => ({ kind: 'reply', reply: { status: 200, headers, body } })],
  });
  const { user, system } = process.cpuUsage(before);
  expect(ran.exit, ran.err.slice(0, 400)).toBe(0);
  return (user + system) / 1000;
}

test('a number of nearly 1 MiB in a reply costs no more than a text of that length, with room for noise', {
  timeout: 60_000,
}, async () => {
  const digits = '7'.repeat(size);
  const text = await costOf(`"${digits}"`);
  const max = 4 * text + 100;
  for (const number of [digits, `1e${digits}`]) {
    const cost = await costOf(number);
    // One turn may have been disturbed: the lesser of two counts.
    expect(cost < max ? cost : await costOf(number)).toBeLessThan(max);
  }
});
