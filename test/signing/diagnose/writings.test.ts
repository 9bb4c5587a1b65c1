import fc from 'fast-check';
import { expect, test } from 'vitest';
import { examineSignature } from '../../../src/signing/diagnose/index.js';
import type { Received } from '../../../src/signing/index.js';
import { readForm } from '../../../src/signing/request-form.js';
import { assumeDefaults } from '../../../src/spec/index.js';
import { anyText } from '../../support/properties.js';
import { merchant, unsignedOf } from '../request-support.js';
import { controls, pem } from '../support.js';
import { plain } from './orders.js';
import { baseString, hmac, type Order, type Pair, percent, protocol, rsa, sha1 } from './signer.js';

/** Of each scheme: a few by day, ten thousand by night. */
const numRuns = process.env['FC_RUNS'] === undefined ? 25 : 10_000;

type Ways = readonly number[];

/** A form as one client or another writes it, which all mean the same. */
function written(pairs: readonly Pair[], ways: Ways): string {
  let at = 0;
  const way = () => ways[at++ % ways.length] ?? 0;
  const char = (each: string) => {
    const [code, kind] = [percent(each), way()];
    if (each === ' ') return kind % 2 === 0 ? '+' : code;
    if ("!'()*@:/,$?~".includes(each) && kind % 3 === 0) return each;
    if (/[a-z~]/i.test(each) && kind % 7 === 0) return `%${(each.codePointAt(0) ?? 0).toString(16)}`;
    return kind % 2 === 0 ? code.replace(/%../g, (octet) => octet.toLowerCase()) : code;
  };
  return pairs.map((pair) => pair.map((side) => [...side].map(char).join('')).join('=')).join('&');
}

const text = anyText({ maxLength: 30 }).map((each) => each.trim());
const filled = text.filter((each) => each !== '');
const ways = fc.array(fc.nat(20), { minLength: 1, maxLength: 40 });
const cents = fc.integer({ min: 1, max: 99_999_999 });
const decimal = (minor: number) => `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
const headers = {
  accept: 'application/vnd.pay+json',
  'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
};

/** What is found in a request that came in. */
function judge(id: string, body: string, authorization?: string) {
  const { row, url, endpointId, protection } = unsignedOf(id, {});
  const request = { method: 'POST', url, headers, body: Buffer.from(body) };
  const { findings, pairs, minor } = readForm(request, { row, endpointId, assume: assumeDefaults });
  const received: Received = {
    ...{ row, url, endpointId, protection, pairs },
    ...(minor === undefined ? {} : { minor }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  return { findings, ...examineSignature(received, merchant, assumeDefaults) };
}
const right = { findings: [], state: 'right', diagnosis: { match: true, mistakes: [] } };

test('a right checksum is never accused, however its form is written', () => {
  fc.assert(
    fc.property(filled, cents, text, ways, (orderId, minor, description, how) => {
      const email = 'jane+x@example.com';
      const fields: Pair[] = [
        ['client_orderid', orderId],
        ['amount', decimal(minor)],
        ['currency', 'USD'],
        // A + of an e-mail that is not encoded is a mistake of its own.
        ['email', email],
        ['order_desc', description],
        ['control', sha1(`${controls.endpointId}${orderId}${minor}${email}${controls.controlKey}`)],
      ];
      expect(judge('SALE', written(fields, how))).toMatchObject(right);
    }),
    { numRuns },
  );
});

const key = pem('test-rsa-2048.pkcs8');

test.each([
  ['PAN_ELIGIBILITY_SEND', 'HMAC-SHA1', 'client-order-id', (order: Order) => hmac(order)],
  ['PAYOUT_V4_CHECK', 'RSA-SHA256', 'client_orderid', (order: Order) => rsa(order, key)],
] as const)('a right signature of %s is never accused', (id, signatureMethod, wire, sign) => {
  const address = new URL(unsignedOf(id, {}).url);
  const nonces = fc.string({ minLength: 1, maxLength: 32 });
  fc.assert(
    fc.property(filled, cents, text, nonces, ways, (orderId, minor, description, nonce, how) => {
      const body: Pair[] = [
        [wire, orderId],
        ['amount', decimal(minor)],
        ['currency', 'USD'],
        ['order_desc', description],
      ];
      const order: Order = {
        ...{ ...plain, signatureMethod, host: address.host, path: address.pathname, body, nonce },
        ...{ consumerKey: controls.login, secret: controls.controlKey },
      };
      const sent = [...protocol(order), ['oauth_signature', sign(order)] as const];
      const turned = sent.slice((how[0] ?? 0) % sent.length).concat(sent.slice(0, (how[0] ?? 0) % sent.length));
      const realm = how.length % 2 === 0 ? 'realm="Pay \\"now\\"", ' : '';
      const comma = how.length % 3 === 0 ? ',' : ' ,  ';
      const header = `${how.length % 5 === 0 ? 'oauth' : 'OAuth'} ${realm}${turned
        .map(([name, value]) => `${name}="${percent(value)}"`)
        .join(comma)}`;
      const found = judge(id, written(body, how), header);
      expect(found).toMatchObject(right);
      expect(found.diagnosis.signed).toBe(baseString(order));
    }),
    { numRuns },
  );
});
