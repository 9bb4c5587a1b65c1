import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { NewCallback } from '../../src/callbacks/store.js';
import { openHistoryIn } from '../callbacks/support.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, lost, saleFlags, taken } from './profiles.js';

const config = (home: string) => `
default-profile: shop
profiles:
  shop:
    class: test
    ask-first: off
    base-url: https://gate.example/prefix
    login: my-shop
    endpoint-id: 1144
    control-key: { file: ${home}/control.key }
    redirect-url: https://shop.example/return
  other:
    class: test
    ask-first: off
    base-url: https://gate.example/prefix
    login: my-shop
    endpoint-id: 1144
    control-key: { file: ${home}/control.key }
    redirect-url: https://shop.example/return
  keyless:
    class: live
    base-url: https://live.example
    login: my-shop
    endpoint-id: 1
    control-key: { file: ${home}/not-there.key }
`;

const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';
const payouts = (profile: string) => `${header}\nrow-${profile},10.42,EUR,account${profile},Bank,Main\n`;

const callback: NewCallback = {
  place: 'https://gate.example/prefix',
  profile: 'shop',
  class: 'test',
  orderId: '1',
  clientOrderId: 'a',
  status: 'approved',
  type: 'sale',
  verified: 'fits',
  why: '',
  raw: { method: 'GET', target: '/?status=approved', contentType: undefined, body: new Uint8Array() },
  forwardTo: undefined,
};

const plans: Record<string, string> = {};
let home = '';

/** Two profiles with one sale, one plan and one callback each. */
async function fill(): Promise<string> {
  const place = temporaryHome();
  mkdirSync(join(place, 'config'), { mode: 0o700 });
  writeFileSync(join(place, 'config', 'config.yaml'), config(place));
  writeFileSync(join(place, 'control.key'), 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20\n', { mode: 0o600 });
  for (const profile of ['shop', 'other']) {
    const own: Readonly<Record<string, string>> = {
      '902B4FF5': `sale-${profile}`,
      '10.42': profile === 'shop' ? '10.42' : '7.00',
    };
    const sent = await paycli([...saleFlags.map((word) => own[word] ?? word), '--profile', profile], {
      home: place,
      network: [() => reply(200, { ...taken, 'merchant-order-id': `sale-${profile}` })],
    });
    expect(sent.exit, sent.err).toBe(0);
    const expected = ['--expect-count', '1', '--expect-total', 'EUR=10.42', '--json'];
    const file = join(place, `${profile}.csv`);
    writeFileSync(file, payouts(profile), { mode: 0o600 });
    const planned = await paycli(['batch', 'plan', file, '--operation', 'payout', '--profile', profile, ...expected], {
      home: place,
    });
    expect(planned.exit, planned.err).toBe(0);
    plans[profile] = String(JSON.parse(planned.out).plan);
  }
  const store = openHistoryIn(place);
  store.save(callback, Date.UTC(2030, 0, 7, 12));
  store.save({ ...callback, profile: 'other', clientOrderId: 'b' }, Date.UTC(2030, 0, 7, 12));
  store.close();
  return place;
}

beforeEach(async () => {
  home = await fill();
});

interface Kept {
  readonly profile: string | null;
  readonly class: string | null;
}

/** A list that takes --profile, and where its entries are in JSON. */
const lists: readonly (readonly [words: string, list: string, all: number])[] = [
  ['journal', 'entries', 2],
  ['batch show', 'batches', 2],
  ['callback list', 'callbacks', 2],
];

describe('--profile of a list of what is kept here', () => {
  test.each(lists)('%s keeps to that profile, in JSON and in text', async (words, list, all) => {
    const every: readonly Kept[] = JSON.parse((await paycli([...words.split(' '), '--json'], { home })).out)[list];
    expect(every).toHaveLength(all);
    const ran = await paycli([...words.split(' '), '--profile', 'other', '--json'], { home });
    expect([ran.exit, ran.requests]).toEqual([0, []]);
    const only: readonly Kept[] = JSON.parse(ran.out)[list];
    expect(only).toEqual([expect.objectContaining({ profile: 'other', class: 'test' })]);
    const text = await paycli([...words.split(' '), '-p', 'other'], { home });
    expect(text.out).toMatch(/^\S.*\bprofile\b.*\n.*\bother \(test\).*\n$/);
    expect(text.out).not.toContain('shop (test)');
  });

  test.each(lists)('%s finds what was kept under a profile that is gone', async (words, list) => {
    writeFileSync(join(home, 'config', 'config.yaml'), 'profiles: {}\n');
    const ran = await paycli([...words.split(' '), '--profile', 'other', '--json'], { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(ran.out)[list]).toHaveLength(1);
  });
});

describe('--profile beside one plan', () => {
  test.each([false, true])(
    'batch show says the profile, and refuses the plan of another: with files %s',
    async (hasOut) => {
      const argv = ['batch', 'show', plans['shop'] ?? '', ...(hasOut ? ['--out', join(home, 'out')] : [])];
      const right = await paycli([...argv, '--profile', 'shop'], { home });
      expect([right.exit, right.out]).toEqual([0, expect.stringContaining('profile shop (test)')]);
      const json = await paycli([...argv, '--profile', 'shop', '--json'], { home });
      expect(JSON.parse(json.out)).toMatchObject({ profile: 'shop', class: 'test' });
      const other = await paycli([...argv, '--profile', 'other'], { home });
      expect([other.exit, other.out, other.err]).toEqual([2, '', expect.stringContaining('belongs to profile shop')]);
    },
  );
});

test('resolve never says that nothing is open while it is, under another profile', async () => {
  const place = homeWithProfile();
  const other = `  other:\n    class: test\n    ask-first: off\n    base-url: https://other.example\n    login: my-shop\n    endpoint-id: 1\n    control-key: { file: ${place}/control.key }\n    redirect-url: https://shop.example\n`;
  appendFileSync(join(place, 'config', 'config.yaml'), other);
  expect((await paycli([...saleFlags, '--profile', 'other'], { home: place, network: [() => lost] })).exit).toBe(8);
  const all = await paycli('resolve', { home: place });
  expect(all.err).toContain('open under another profile: `paycli resolve --profile other`');
  const one = await paycli('resolve 902B4FF5', { home: place });
  expect([one.exit, one.requests]).toEqual([2, []]);
  expect(one.err).toContain('`paycli resolve 902B4FF5 --profile other`');
});
