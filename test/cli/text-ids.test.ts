import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, rsaKey, saleFlags, statusReply, taken } from './profiles.js';

const id = 'PAYNET-112233';
const orderReply = { ...taken, 'paynet-order-id': id };
const status = (word: string, more: Readonly<Record<string, string>> = {}) =>
  statusReply(word, { 'paynet-order-id': id, ...more });
const nextOf = (out: string): string[] => (/^next: paycli (.*)$/m.exec(out)?.[1] ?? '').split(' ');
const bodyOf = (ran: { requests: readonly { body: string }[] }) => new URLSearchParams(ran.requests.at(-1)?.body);

describe('ids of the gateway that are text', () => {
  test('an order goes through every command that `next:` prints, from the sale to the refund', async () => {
    const home = homeWithProfile();
    const sale = await paycli(saleFlags, { home, network: [() => reply(200, orderReply)] });
    expect([sale.exit, sale.out]).toEqual([0, expect.stringContaining(`next: paycli status ${id} --wait`)]);
    const answer = () => reply(200, status('approved', { 'transaction-type': 'sale' }));
    const settled = [answer];
    const asked = await paycli(nextOf(sale.out), { home, network: settled });
    expect([asked.exit, bodyOf(asked).get('orderid')]).toEqual([0, id]);
    expect(nextOf(asked.out).slice(0, 2)).toEqual(['order', id]);
    const shown = await paycli(nextOf(asked.out), { home, network: [() => reply(200, status('approved'))] });
    expect([shown.exit, bodyOf(shown).get('orderid')]).toEqual([0, id]);
  });

  test('a card reference and a recurring payment id', async () => {
    const home = homeWithProfile();
    const kept = { ...orderReply, type: 'create-card-ref-response', 'card-ref-id': 'ref_9-A' };
    const create = await paycli(['card-ref', 'create', id, '--client-order-id', '902B4FF5'], {
      home,
      network: [() => reply(200, kept)],
    });
    expect(create.out).toContain('next: paycli card-ref info --card-ref-id ref_9-A');
    const info = await paycli(nextOf(create.out), {
      home,
      network: [() => reply(200, { type: 'get-card-info-response', bin: '444433' })],
    });
    expect([info.exit, bodyOf(info).get('cardrefid')]).toEqual([0, 'ref_9-A']);
    const flags = '--amount 1.00 --currency USD --card-recurring-id RPI-7 --destination-recurring-id RPI_8'.split(' ');
    const more = ['--ip-address', '192.0.2.1', '--private-key-file', rsaKey(home)];
    const sent = await paycli(['transfer', '--client-order-id', '902B4FF5', ...flags, ...more], {
      home,
      network: [() => reply(200, orderReply)],
    });
    expect([sent.exit, bodyOf(sent).get('card_recurring_payment_id')]).toEqual([0, 'RPI-7']);
  });
});
