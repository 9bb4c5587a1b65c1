import { expect, test } from 'vitest';
import { aroundGood } from './refusals.js';
import { badSamples, breachesOf, changed, fieldsOf, ids, literally, type WireField } from './rows.js';
import { openShop } from './shop.js';
import type { Open } from './target.js';

const unknownFields = ['x_unknown', '__proto__', 'CLIENT_ORDERID', 'card_number'];

export function fieldCases(open: Open): void {
  const shop = openShop(open);
  for (const id of ids) {
    aroundGood(id, shop, (prepared) => {
      const fields = fieldsOf(id);

      /** The reply to one request names each of these mistakes. */
      const allNamed = async (changes: Readonly<Record<string, string | undefined>>, reasons: readonly string[]) => {
        const { status, fields: reply } = await shop().call(id, changed(prepared().values, changes));
        const clauses = (reply['error-message'] ?? '').split('; ');
        const missing = reasons.filter((reason) => !clauses.some((clause) => new RegExp(`^${reason}`).test(clause)));
        expect([status, missing], reply['error-message']).toEqual([400, []]);
      };

      test('refuses a request without what is required', async () => {
        const required = fields.filter(({ need }) => need === 'required').map(({ wire }) => wire);
        for (const value of [undefined, ''])
          if (required.length > 0)
            await allNamed(
              Object.fromEntries(required.map((wire) => [wire, value])),
              required.map((wire) => `${literally(wire)} is missing`),
            );
      });

      test('refuses every bad value', async () => {
        const samples = fields.map(
          (field) => [field.wire, badSamples(field).filter((bad) => field.values?.includes(bad) !== true)] as const,
        );
        const most = Math.max(...samples.map(([, list]) => list.length));
        for (let at = 0; at < most; at += 1)
          await allNamed(
            Object.fromEntries(samples.map(([wire, list]) => [wire, list[at % list.length]])),
            samples.map(([wire]) => `${literally(wire)}: (?:use|check) `),
          );
      });

      test('refuses values that are too long', async () => {
        await allNamed(
          Object.fromEntries(fields.map((field) => [field.wire, tooLong(field)])),
          fields.map((field) => {
            const isOnes = tooLong(field) === '1'.repeat(field.limit + 1);
            return `${literally(field.wire)}: use ${isOnes ? '' : `at most ${field.limit} characters`}`;
          }),
        );
      });

      test('refuses each broken rule', async () => {
        for (const { changes, reason } of breachesOf(id))
          await shop().refused(shop().draft(id, changed(prepared().values, changes)), reason);
      });

      test('refuses fields it does not have, and repeats no card number', async () => {
        const names = [...unknownFields, '4444333322221111'];
        const shown = names.map((name) => (/^[A-Za-z]/.test(name) ? name : `\\[${name.length} characters\\]`));
        await allNamed(
          Object.fromEntries(names.map((name) => [name, 'x'])),
          shown.map((name) => `[a-z][\\w -]* has no field ${name}`),
        );
      });

      test('refuses a field that is given twice, with one value or two', async () => {
        const { values } = prepared();
        const [[wire, value] = ['', '']] = Object.entries(values);
        const draft = shop().draft(id, values);
        const reason = new RegExp(`(?:^|; )the field ${literally(wire)} was sent more than once`);
        for (const again of [value, `${value}1`, ''])
          await shop().refused({ ...draft, pairs: [...draft.pairs, [wire, again]] }, reason);
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
