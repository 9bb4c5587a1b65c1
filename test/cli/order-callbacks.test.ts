import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

const asked = 'https://shop.example/hook';

test('a row of a batch asks where its column or the profile says', async () => {
  const home = temporaryHome();
  const file = join(home, 'rows.csv');
  const bank = 'DE02120300000000202051,DKB,Berlin';
  writeFileSync(
    file,
    `client_orderid,amount,currency,account_number,bank_name,bank_branch,server_callback_url\nrow-1,5.00,EUR,${bank},${asked}\nrow-2,6.00,EUR,${bank},\n`,
  );
  const expected = ['--expect-count', '2', '--expect-total', 'EUR=11.00'];
  const planned = await paycli(['batch', 'plan', file, '--operation', 'payout', ...expected, '--json'], { home });
  expect(planned.exit, planned.err).toBe(0);
  const ran = await paycli(['batch', 'run', JSON.parse(planned.out).plan], { home });
  expect(ran.exit, ran.err).toBe(0);
  const shown = async (order: string) => (await paycli(['order', order], { home })).out;
  expect(await shown('row-1')).toMatch(/^ {2}callbacks +none received here; the request named https:\S+hook; `/m);
  expect(await shown('row-2')).toMatch(/^ {2}callbacks +none received here; the request named no address for them$/m);
});
