import { createHash } from 'node:crypto';
import { test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { type Around, type Prepared, testWhere } from './refusals.js';
import { fieldsOf, goodSample } from './rows.js';
import type { CallOptions } from './shop.js';
import { type Draft, oneChanged, withField } from './signer.js';

const wrongControl = /^INVALID_CONTROL_CODE: control does not match; it must be SHA-1 over /;

export function controlCases(id: OperationId, names: readonly string[], isWhole: boolean): Around {
  return (prepared) => {
    const drafted = (options: CallOptions = {}): Draft =>
      prepared().shop.draft(id, prepared().values, { protection: { control: names }, ...options });
    const controlOf = (draft: Draft): string => draft.pairs.find(([name]) => name === 'control')?.[1] ?? '';
    const refused = (draft: Draft, reason: RegExp) => prepared().shop.refused(draft, reason);

    test('refuses a request without control', async () => {
      for (const value of [undefined, ''])
        await refused(withField(drafted(), 'control', value), /^INVALID_CONTROL_CODE: the field control is missing/);
    });

    testWhere(isWhole, 'refuses a control with one character changed, cut, spaced or in capitals', async () => {
      const right = controlOf(drafted());
      const wrong = [oneChanged(right), right.slice(0, -1), `${right}0`, ` ${right}`, right.toUpperCase()];
      for (const value of wrong.filter((text) => text !== right))
        await refused(withField(drafted(), 'control', value), wrongControl);
    });

    const altered = names.filter((name) => name !== 'login' && name !== 'endpointId');
    test('refuses another value than the signed one', async () => {
      for (const name of altered) await refusedWithOther(name);
    });
    const refusedWithOther = async (name: string) => {
      const value = prepared().values[name];
      const field = fieldsOf(id).find(({ wire }) => wire === name);
      const other = value === undefined ? (field === undefined ? '' : goodSample(field)) : alteredValue(name, value);
      // A lone amount or currency would break a rule first.
      const pair =
        name === 'amount' && prepared().values['currency'] === undefined
          ? withField(drafted(), 'currency', 'USD')
          : drafted();
      const both =
        name === 'currency' && prepared().values['amount'] === undefined ? withField(pair, 'amount', '10.42') : pair;
      await refused(withField(both, name, other), wrongControl);
    };

    test('refuses another endpoint id in the path than the signed one', async () => {
      const { shop, values } = prepared();
      const elsewhere = shop.draft(id, values, {
        protection: { control: names },
        endpointId: shop.target.other.endpointId,
      });
      const reason = values['login'] === undefined ? wrongControl : /^login is not the merchant of endpoint \d+$/;
      await refused({ ...drafted(), path: elsewhere.path }, reason);
    });

    test("refuses another merchant's key", async () => {
      const { login, endpointId } = prepared().shop.merchant;
      await refused(drafted({ merchant: { ...prepared().shop.target.other, login, endpointId } }), wrongControl);
    });

    testWhere(
      names.includes('amount'),
      'refuses the amount as the body writes it in place of minor units',
      async () => {
        const { shop, values } = prepared();
        const changes = { amount: '5.25', currency: 'USD' };
        const decimal = createHash('sha1')
          .update(
            [
              ...names.map((name) => valueIn({ shop, values: { ...values, ...changes } }, name)),
              shop.merchant.controlKey,
            ].join(''),
          )
          .digest('hex');
        await refused(
          withField(shop.draft(id, { ...values, ...changes }, { protection: { control: names } }), 'control', decimal),
          wrongControl,
        );
      },
    );

    testWhere(names.includes('login'), 'refuses a login that is not the merchant of the endpoint', async () => {
      const { shop, values } = prepared();
      const { login } = shop.target.other;
      for (const merchant of [shop.merchant, shop.target.other])
        await refused(
          shop.draft(
            id,
            { ...values, login },
            { protection: { control: names }, merchant, endpointId: shop.merchant.endpointId },
          ),
          /^login is not the merchant of endpoint 7001$/,
        );
    });

    testWhere(isWhole, 'refuses an OAuth signature in its place, or besides it', async () => {
      for (const method of ['HMAC-SHA1', 'RSA-SHA256'] as const) {
        const signed = drafted({ protection: method });
        const reason = /an Authorization header is not accepted here: this operation is protected by the field control/;
        await refused(signed, reason);
        await refused({ ...drafted(), ...(signed.oauth === undefined ? {} : { oauth: signed.oauth }) }, reason);
      }
    });
  };
}

function valueIn({ shop, values }: Prepared, name: string): string {
  return name === 'endpointId' ? shop.merchant.endpointId : (values[name] ?? '');
}

function alteredValue(name: string, value: string): string {
  if (name === 'email') return `x${value}`;
  if (name === 'currency') return value === 'USD' ? 'EUR' : 'USD';
  if (name === 'amount') return value === '10.43' ? '10.42' : '10.43';
  return value.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
}
