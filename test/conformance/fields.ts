import { expect, test } from 'vitest';
import { aroundGood } from './refusals.js';
import { badSamples, breachesOf, changed, fieldsOf, ids, literally, type WireField } from './rows.js';
import { openShop } from './shop.js';
import { withField } from './signer.js';
import type { Open } from './target.js';

const unknownFields = ['x_unknown', '__proto__', 'CLIENT_ORDERID', 'card_number'];

export function fieldCases(open: Open): void {
  const shop = openShop(open);
  for (const id of ids) {
    aroundGood(id, shop, (prepared) => {
      const fields = fieldsOf(id);
      const required = fields.filter(({ need }) => need === 'required').map(({ wire }) => wire);
      test.each(required)('refuses a request without %s', async (wire) => {
        const { values } = prepared();
        const reason = new RegExp(`(?:^|; )${literally(wire)} is missing(?:;|$)`);
        await shop().refused(shop().draft(id, changed(values, { [wire]: undefined })), reason);
        await shop().refused(shop().draft(id, changed(values, { [wire]: '' })), reason);
      });

      test.each(fields)('refuses bad values of $wire ($kind)', async (field) => {
        const { values } = prepared();
        const samples = badSamples(field).filter((sample) => field.values?.includes(sample) !== true);
        expect(samples.length).toBeGreaterThan(0);
        const reason = new RegExp(`(?:^|; )${literally(field.wire)}(?:: (?:use|leave out|check) | holds half)`);
        for (const sample of samples)
          await shop().refused(shop().draft(id, changed(values, { [field.wire]: sample })), reason);
      });

      test.each(fields)('refuses $wire over $limit characters', async (field) => {
        const { wire, limit } = field;
        const draft = shop().draft(id, changed(prepared().values, { [wire]: tooLong(field) }));
        const why = tooLong(field) === '1'.repeat(limit + 1) ? 'use ' : `use at most ${limit} characters`;
        await shop().refused(draft, new RegExp(`(?:^|; )${literally(wire)}: ${why}`));
      });

      test.each(breachesOf(id))('refuses a broken rule: $name', async ({ changes, reason }) => {
        await shop().refused(shop().draft(id, changed(prepared().values, changes)), reason);
      });

      test.each(unknownFields)('refuses a field %s it does not have', async (wire) => {
        const named = /^[A-Za-z]/.test(wire) ? literally(wire) : '\\[9 characters\\]';
        const draft = withField(shop().draft(id, prepared().values), wire, 'x');
        await shop().refused(draft, new RegExp(`(?:^|; )[a-z][\\w -]* has no field ${named}`));
      });

      test('refuses a field that is given twice, with one value or two', async () => {
        const { values } = prepared();
        const [[wire, value] = ['', '']] = Object.entries(values);
        const draft = shop().draft(id, values);
        const reason = new RegExp(`(?:^|; )the field ${literally(wire)} was sent more than once`);
        for (const again of [value, `${value}1`, ''])
          await shop().refused({ ...draft, pairs: [...draft.pairs, [wire, again]] }, reason);
      });

      test('refuses a card number put where a name belongs, and does not repeat it', async () => {
        const draft = withField(shop().draft(id, prepared().values), '4444333322221111', '123');
        await shop().refused(draft, /has no field \[16 characters\]/);
      });
    });
  }
}

/** One character more than a field may have, of its own form where that is possible; ones otherwise. */
function tooLong({ kind, limit }: WireField): string {
  switch (kind) {
    case 'text':
    case 'personText':
    case 'accountText':
    case 'clientOrderId':
    case 'zip':
      // Characters count, not bytes and not halves of pairs.
      return '𠮷'.repeat(limit + 1);
    case 'email':
      return `${'x'.repeat(limit - 11)}@example.com`;
    case 'url':
      return `https://x.example/`.padEnd(limit + 1, 'x');
    case 'base64':
      return 'A'.repeat(limit + 4 - (limit % 4));
    default:
      return '1'.repeat(limit + 1);
  }
}
