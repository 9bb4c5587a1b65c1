import { describe, test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { controlCases } from './control-cases.js';
import { oauthCases } from './oauth-cases.js';
import { type Around, aroundGood, testWhere } from './refusals.js';
import { openShop } from './shop.js';
import { factOf, type Protection, protectionOf, withField } from './signer.js';
import type { Open, Settings } from './target.js';

interface Case {
  readonly id: OperationId;
  readonly protection: Protection;
  readonly isWhole?: boolean;
}

/** Those of `whole` are held against every mistake, the others against those that depend on their recipe. */
export function signatureCases(open: Open, some: readonly OperationId[], whole: readonly OperationId[]): void {
  const byDefault = some.map((id): Case => ({ id, protection: protectionOf(id), isWhole: whole.includes(id) }));
  caseGroup(open, {}, byDefault);
}

// Where the description shows no signature, a switch may ask for one: sale-form's recipe, or either OAuth method (A09,
// A10).
const sale: Protection = { control: factOf('SALEFORM').signed ?? [] };
const variants: readonly (readonly [string, Settings, readonly Case[]])[] = [
  [
    'login+cardrefid',
    { 'card-info-control': 'login+cardrefid' },
    [{ id: 'CARDINFO', protection: { control: ['login', 'cardrefid'] } }],
  ],
  [
    'control',
    { 'unsigned-forms': 'control' },
    [
      { id: 'PAYMENTFORM', protection: sale },
      { id: 'PAYOUTFORM', protection: sale },
    ],
  ],
  [
    'hmac',
    { 'unsigned-forms': 'hmac' },
    [
      { id: 'PAYMENTFORM', protection: 'HMAC-SHA1' },
      { id: 'PAYOUTFORM', protection: 'HMAC-SHA1' },
    ],
  ],
  [
    'rsa',
    { 'unsigned-forms': 'rsa' },
    [
      { id: 'PAYMENTFORM', protection: 'RSA-SHA256' },
      { id: 'PAYOUTFORM', protection: 'RSA-SHA256' },
    ],
  ],
];

export function switchedSignatureCases(open: Open): void {
  for (const [name, settings, cases] of variants) describe(`under ${name}`, () => caseGroup(open, settings, cases));
}

function caseGroup(open: Open, settings: Settings, cases: readonly Case[]): void {
  const shop = openShop(open, settings);
  for (const each of cases) aroundGood(each.id, shop, casesOf(each), { protection: each.protection });
}

function casesOf({ id, protection, isWhole = false }: Case): Around {
  if (typeof protection === 'object') return controlCases(id, protection.control, isWhole);
  return protection === 'none' ? unsignedCases(id) : oauthCases(id, protection, isWhole);
}

function unsignedCases(id: OperationId): Around {
  return (prepared) => {
    test('refuses a control it does not have', async () => {
      const draft = prepared().shop.draft(id, prepared().values);
      await prepared().shop.refused(withField(draft, 'control', '0'.repeat(40)), /^[a-z][\w -]* has no field control/);
    });

    test('refuses an Authorization header it does not have', async () => {
      const draft = prepared().shop.draft(id, prepared().values, { protection: 'HMAC-SHA1' });
      await prepared().shop.refused(draft, /^an Authorization header is not accepted here/);
    });

    testWhere(id === 'CARDINFO', 'refuses a login that is not the merchant of the endpoint', async () => {
      const { shop, values } = prepared();
      const draft = shop.draft(id, { ...values, login: shop.target.other.login });
      await shop.refused(draft, /^login is not the merchant of endpoint 7001$/);
    });
  };
}
