import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { saleFlags } from '../profiles.js';
import type { ErrorCase } from './error-case.js';

const sale = ['sale', '--amount', '10.42', '--currency', 'USD'];

/** Values of a request, wherever they come from. */
export const fields: readonly ErrorCase[] = [
  { code: 'FIELD_MISSING', profile: {}, argv: ['sale', '--amount', '10.42'] },
  { code: 'AMOUNT_MISSING', profile: {}, argv: ['return', '12345', '--client-order-id', '902B4FF5'] },
  { code: 'FIELD_INVALID', argv: ['sale', '--amount', '10.005', '--currency', 'USD', '--test-card', 'approved'] },
  {
    code: 'FIELD_INVALID',
    given: 'everything at once, and a card number that must not be repeated',
    profile: {},
    argv: [
      ...['sale', '--amount', 'ten', '--currency', 'EURO', '--card-number', '4444333322221112', '--cvv', '12'],
      ...['--country', 'de', '--email', 'nobody', '--field', 'order_descr=x', '--field', 'zip'],
    ],
  },
  { code: 'USAGE', argv: [...sale, '--test-card', 'aproved'] },
  { code: 'FIELD_INVALID', argv: ['void', '1', '--client-order-id', 'a', '--amount', '5.00', '--currency', 'EUR'] },
  {
    code: 'SECRET_UNREADABLE',
    given: 'a card file that others may read',
    argv: [...sale, '--input', 'HOME/card'],
    before: (home) => {
      writeFileSync(join(home, 'card'), '{"cvv2": "123"}');
      chmodSync(join(home, 'card'), 0o644);
    },
  },
  { code: 'TEXT_INVALID', argv: ['sign', 'check', 'HOME/key'] },
  { code: 'CARD_ON_COMMAND_LINE', given: 'a live profile', profile: { class: 'live' }, argv: [...saleFlags, '--live'] },
  {
    code: 'ORDER_ID_NEEDED',
    given: 'a live profile',
    profile: { class: 'live' },
    argv: ['payout', '--live', '--amount', '5.00', '--currency', 'EUR', '--account-number', 'DE02120300000000202051'],
  },
];
