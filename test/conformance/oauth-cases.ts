import { expect, test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { type Around, type Prepared, testWhere } from './refusals.js';
import { fieldsOf, type WireField } from './rows.js';
import type { CallOptions, Shop } from './shop.js';
import { type Draft, oneChanged, type Values, withField, withOauth } from './signer.js';

export function oauthCases(id: OperationId, method: 'HMAC-SHA1' | 'RSA-SHA256', isWhole: boolean): Around {
  return (prepared) => {
    const drafted = (options: CallOptions = {}): Draft =>
      prepared().shop.draft(id, prepared().values, { protection: method, ...options });
    const refused = (draft: Draft, reason: RegExp) => prepared().shop.refused(draft, reason);
    const parameterOf = (draft: Draft, name: string): string => draft.oauth?.find(([each]) => each === name)?.[1] ?? '';
    const wrongSignature = new RegExp(
      `^oauth_signature is not a valid ${method} signature of this request by this merchant's key`,
    );

    test('refuses a request without the header', async () => {
      const { oauth: _, ...bare } = drafted();
      await refused(bare, /^the Authorization header is missing/);
    });

    testWhere(isWhole, 'refuses a signature with one character changed or cut', async () => {
      const right = parameterOf(drafted(), 'oauth_signature');
      for (const value of [oneChanged(right), right.slice(0, -1), `${right}=`, right.toLowerCase(), 'x'])
        await refused(withOauth(drafted(), 'oauth_signature', value), wrongSignature);
    });

    test('refuses every field of the body with another value than the signed one', async () => {
      const { values } = prepared();
      for (const field of fieldsOf(id).filter(({ wire }) => values[wire] !== undefined)) {
        const other = otherSample(field, values[field.wire] ?? '');
        if (other !== undefined && field.wire !== 'login')
          await refused(withField(drafted(), field.wire, other), wrongSignature);
      }
    });

    test('refuses another path than the signed one', async () => {
      const { shop } = prepared();
      const draft = drafted({ endpointId: shop.target.other.endpointId });
      const reason =
        prepared().values['login'] === undefined
          ? /^oauth_consumer_key is not the merchant login/
          : /^login is not the merchant/;
      await shop.refused({ ...drafted(), path: draft.path }, reason);
    });

    testWhere(isWhole, 'refuses the other method, signed well', async () => {
      const other = method === 'HMAC-SHA1' ? 'RSA-SHA256' : 'HMAC-SHA1';
      await refused(drafted({ protection: other }), new RegExp(`^oauth_signature_method must be ${method} `));
      // And the right name over a signature of the other sort.
      await refused(drafted({ protection: other, oauth: { oauth_signature_method: method } }), wrongSignature);
      for (const name of ['PLAINTEXT', 'HMAC-SHA256', 'RSA-SHA1', method.toLowerCase()])
        await refused(
          drafted({ oauth: { oauth_signature_method: name } }),
          new RegExp(`^oauth_signature_method must be ${method} `),
        );
    });

    test("refuses another merchant's key, and another consumer key", async () => {
      const { shop } = prepared();
      const { login, endpointId } = shop.merchant;
      await refused(drafted({ merchant: { ...shop.target.other, login, endpointId } }), wrongSignature);
      const consumer = /^oauth_consumer_key is not the merchant login of this endpoint/;
      await refused(drafted({ oauth: { oauth_consumer_key: shop.target.other.login } }), consumer);
      await refused(drafted({ merchant: { ...shop.target.other, endpointId } }), consumer);
      await refused(drafted({ oauth: { oauth_consumer_key: login.toUpperCase() } }), consumer);
    });

    testWhere(
      isWhole,
      'refuses a timestamp too far off in either direction (A23), and one that is no number',
      async () => {
        const now = Math.floor(prepared().shop.target.now() / 1000);
        for (const off of [-301, 301, -86_400, 86_400, -now + 1])
          await refused(
            drafted({ timestamp: String(now + off) }),
            /^oauth_timestamp is \d+ seconds off this machine's clock; at most 300 /,
          );
        await refused(drafted({ timestamp: String(now * 1000) }), /^oauth_timestamp is \d+ seconds off/);
      },
    );

    testWhere(isWhole, 'refuses a nonce that was used, and only once it was', async () => {
      const { shop } = prepared();
      const used = /^oauth_nonce was used before; each attempt needs a new one/;
      const first = shop.draft(id, unrelated(prepared()), { protection: method });
      await expectSpent(shop, first);
      await refused(first, used);
      await refused(drafted({ nonce: parameterOf(first, 'oauth_nonce') }), used);
    });

    testWhere(isWhole, 'does not let a forged request use up a nonce', async () => {
      const { shop } = prepared();
      const right = shop.draft(id, unrelated(prepared()), { protection: method });
      await refused(withOauth(right, 'oauth_signature', 'AAAA'), wrongSignature);
      await expectSpent(shop, right);
    });

    testWhere(isWhole && method === 'RSA-SHA256', 'refuses oauth_* in the body (A07)', async () => {
      const draft = drafted();
      for (const [name, value] of draft.oauth ?? [])
        await prepared().shop.refused(
          withField(draft, name, value),
          new RegExp(`^the field ${name} does not belong in the body of [a-z]`),
        );
    });

    testWhere(isWhole, 'refuses a control in place of the signature, and besides it', async () => {
      const { shop, values } = prepared();
      const reason = /^the field control is not accepted here: [a-z][\w -]* is signed in the Authorization header/;
      const control = shop.draft(id, values, { protection: { control: ['login', 'client_orderid', 'orderid'] } });
      await shop.refused(control, reason);
      await shop.refused(shop.draft(id, { ...values, control: '0'.repeat(40) }, { protection: method }), reason);
    });

    testWhere(
      fieldsOf(id).some(({ wire }) => wire === 'login'),
      'refuses a login that is not the merchant of the endpoint',
      async () => {
        const { shop, values } = prepared();
        const draft = shop.draft(id, { ...values, login: shop.target.other.login }, { protection: method });
        await shop.refused(draft, /^login is not the merchant of endpoint 7001$/);
      },
    );
  };
}

/**
 * Values of a request that is well signed and leaves the prepared one to be made: about another order, or about none
 * there is.
 */
function unrelated({ shop, values }: Prepared): Values {
  const orderWire =
    ['client_orderid', 'client-order-id', 'client-orderid'].find((wire) => values[wire] !== undefined) ?? '';
  return values['orderid'] === undefined
    ? { ...values, [orderWire]: shop.newId() }
    : { ...values, orderid: '99999999999' };
}

async function expectSpent(shop: Shop, draft: Draft): Promise<void> {
  const { status, fields } = await shop.send(draft);
  expect(`${status} ${fields['error-message']}`).toMatch(/^(?:200 undefined|400 order not found)$/);
}

function otherSample(field: WireField, value: string): string | undefined {
  const other = field.values?.find((each) => each !== value);
  if (field.values !== undefined) return other;
  switch (field.kind) {
    case 'amount':
      return '99.99';
    case 'currency':
      return 'EUR';
    case 'country':
      return 'FR';
    case 'email':
      return `x${value}`;
    case 'cardNumber':
      return value === '5555555555554444' ? '4111111111111111' : '5555555555554444';
    case 'month':
      return '11';
    case 'year':
      return '2036';
    case 'cvv':
      return '999';
    case 'ip':
      return '192.0.2.99';
    case 'url':
      return 'https://elsewhere.example/';
    case 'boolean':
    case 'interval':
      return value === 'true' ? 'false' : '2';
    default:
      return value.replace(/.$/, value.endsWith('9') ? '8' : '9');
  }
}
