import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home } from './home.js';

const [first = '', session = ''] = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, text]) => text,
);

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

test('the first command of the README makes a sale', async () => {
  expect(first.split('\n')).toHaveLength(2);
  const ran = await home.shell(first.replace('npm ci && node bin/paycli.js', 'paycli'));
  expect([ran.exit, ran.out], ran.err).toEqual([0, expect.stringContaining('approved')]);
});

test('its session holds an amount, captures and returns a part, and a void is refused in the end', async () => {
  const ran = await home.shell(`set -e\n${session}`, { PAYCLI_PROFILE: 'sandbox' });
  const verdicts = ['✓ held 25.00 EUR', '✓ captured 20.00 EUR', '✓ refunded 5.00 EUR'];
  expect([ran.exit, ran.out.match(/^✓ .*(?= · sandbox$)/gm)], ran.err).toEqual([4, verdicts]);
});
