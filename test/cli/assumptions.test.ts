import { expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';

test('assumptions has the switches, and an assumption without one is explained by the topic', async () => {
  const listed = await paycli(['assumptions', '--json']);
  expect(JSON.parse(listed.out).assumptions).toHaveLength(23);
  const fixed = await paycli(['assumptions', 'a02']);
  expect([fixed.exit, fixed.err]).toEqual([2, expect.stringMatching(/A02 cannot be switched.*help assumptions/)]);
  const topic = await paycli(['help', 'assumptions']);
  expect(topic.out).toMatch(/^A02 +The checksum/m);
});
