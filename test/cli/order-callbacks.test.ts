import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistoryIn } from '../callbacks/support.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, taken } from './profiles.js';

const flag = (url: string) => ['--server-callback-url', url];
const asked = 'https://shop.example/hook';

test.each<readonly [what: string, flags: readonly string[], profile: readonly string[], says: string]>([
  ['a flag', flag(asked), [], `the request named ${asked}`],
  ['the profile', [], [`server-callback-url: ${asked}`], `the request named ${asked}`],
  [
    'a flag over the profile',
    flag(asked),
    ['server-callback-url: https://other.example'],
    `the request named ${asked}`,
  ],
  ['--notify-url', ['--notify-url', asked], [], `the request named ${asked}`],
  [
    'two flags',
    [...flag(asked), '--notify-url', 'https://shop.example/later'],
    [],
    `the request named ${asked} and https://shop.example/later`,
  ],
  ['an address with a secret', flag(`${asked}?token=s3cret`), [], `the request named ${asked}`],
  ['nothing', [], [], 'the request named no address for them'],
])('order says where callbacks were asked for: by %s', async (_, flags, profile, says) => {
  const home = homeWithProfile({ more: profile });
  const sent = await paycli([...saleFlags, ...flags], { home, network: [() => reply(200, taken)] });
  expect(sent.exit, sent.err).toBe(0);
  const shown = await paycli(['order', '902B4FF5', '--offline'], { home });
  const line = shown.out.split('\n').find((each) => each.startsWith('  callbacks '));
  expect(line?.replace(/^ {2}callbacks +/, '')).toBe(`none received here; ${says}`);
  expect((await paycli(['journal', 'show', '902B4FF5', '--json'], { home })).out).not.toContain('s3cret');
  expect((await paycli(['journal', 'verify'], { home })).exit).toBe(0);
});

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

test.each<readonly [number | undefined, string | undefined, string]>([
  [500, undefined, 'the handler answered HTTP 500'],
  [undefined, 'the connection was refused', 'the handler did not answer'],
  [200, undefined, ''],
])('order and callback list say that the handler failed: HTTP %s', async (status, reason, says) => {
  const home = homeWithProfile();
  await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
  const history = openHistoryIn(home);
  const [at, ids] = [Date.UTC(2030, 0, 7, 12), { orderId: '12345', clientOrderId: '902B4FF5' }];
  const raw = { method: 'GET', target: '/?status=approved', contentType: undefined, body: Buffer.from('') };
  const where = { place: 'https://gate.example/prefix', profile: 'shop', class: 'test' as const };
  const { id } = history.save(
    { ...where, ...ids, status: 'approved', type: 'sale', verified: 'fits', why: '', forwardTo: undefined, raw },
    at,
  ).callback;
  history.recordForward(id, { at, url: 'http://127.0.0.1:3000/hook', status, reply: '', reason, ms: 7 });
  history.close();
  const shown = await paycli(['order', '902B4FF5', '--offline'], { home });
  const line = shown.out.split('\n').find((each) => each.startsWith('  callbacks ')) ?? '';
  expect(line).toMatch(says === '' ? /the checksum matches$/ : new RegExp(`the checksum matches; ${says}$`));
  const list = (await paycli(['callback', 'list'], { home })).out;
  expect(list.includes('the handler')).toBe(says !== '');
  expect(list).toContain(says);
});
