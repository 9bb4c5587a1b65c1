import { expect, test } from 'vitest';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli } from '../support/runtime.js';

const size = 900_000;

/** Milliseconds of processor time that a sale takes whose reply has this value, the lesser of two. */
async function costOf(value: string): Promise<number> {
  const costs: number[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const body = Buffer.from(`${JSON.stringify(taken).slice(0, -1)},"odd":${value}}`);
    const headers = { 'content-type': 'application/vnd.pay+json' };
    const before = process.cpuUsage();
    const ran = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [() => ({ kind: 'reply', reply: { status: 200, headers, body } })],
    });
    const { user, system } = process.cpuUsage(before);
    expect(ran.exit, ran.err.slice(0, 400)).toBe(0);
    costs.push((user + system) / 1000);
  }
  return Math.min(...costs);
}

test('a number of nearly 1 MiB in a reply costs no more than a text of that length, with room for noise', {
  timeout: 60_000,
}, async () => {
  const digits = '7'.repeat(size);
  const text = await costOf(`"${digits}"`);
  for (const number of [digits, `1e${digits}`]) expect(await costOf(number)).toBeLessThan(4 * text + 100);
});
