import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, rsaKey, saleFlags, taken } from './profiles.js';

const wrongControl = () =>
  reply(400, { type: 'validation-error', 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '2' });
const wrongSignature = () => reply(401, { type: 'error', 'error-message': 'bad signature', 'error-code': '3' });
const statusRecipe = /SHA-1 over login, client_orderid, orderid and the merchant control key/;

test('a refused control: recipe, profile, fingerprint, and what to run', async () => {
  const ran = await paycli(saleFlags, { home: homeWithProfile(), network: [wrongControl] });
  expect(ran.exit).toBe(4);
  expect(ran.err).toMatch(
    /SHA-1 over endpointId, client_orderid, amount in minor units, email and the merchant control key/,
  );
  expect(ran.err).toMatch(/control key fingerprint [0-9a-f]{8} of profile shop/);
  expect(ran.err).toContain('belong together: `paycli doctor --online`');
  expect(ran.err).toContain('`paycli sign sale --explain` with the same flags');
});

test('a refused RSA signature: the fingerprint is that of the key pair', async () => {
  const home = homeWithProfile();
  const flags = ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', rsaKey(home)];
  const ran = await paycli(flags, { home, network: [wrongSignature] });
  expect(ran.exit).toBe(4);
  expect(ran.err).toMatch(
    /login my-shop and private key fingerprint SHA256:[0-9a-f]{64} of profile shop belong together: .* OAuth 1\.0a RSA-SHA256 over all fields/,
  );
  expect(ran.err).toContain('`paycli sign payout pay --explain` with the same flags');
});

test('a refused question about an order, in a command that asks by itself', async () => {
  const ran = await paycli(['order', '12345'], { home: homeWithProfile(), network: [wrongControl] });
  expect(ran.exit).toBe(4);
  expect(ran.err).toMatch(statusRecipe);
  expect(ran.err).toMatch(/control key fingerprint [0-9a-f]{8} of profile shop/);
  expect(ran.err).toContain('paycli sign status --explain');
});

test('status refused while a payment is waited for', async () => {
  const network = [() => reply(200, taken), wrongControl];
  const ran = await paycli([...saleFlags, '--wait'], { home: homeWithProfile(), network });
  expect(ran.exit).toBe(7);
  expect(ran.err).toContain('querying the outcome failed');
  expect(ran.err).toMatch(statusRecipe);
});

const refused = (message: string, code = '1') =>
  reply(400, { type: 'validation-error', 'error-message': message, 'error-code': code });
const ofSignature = /the (?:control|signature) was computed as/;

describe('the signature is spoken of only where the gateway speaks of it', () => {
  const signedWrongly: readonly (readonly [message: string, code: string])[] = [
    ['INVALID_CONTROL_CODE', '2'],
    ['oauth_nonce was used before', '3'],
    ['You have no rights for this operation', '1'],
    ['refused', 'INVALID_CONTROL_CODE'],
    ['Wrong control', '2'],
    ['merchant_control is wrong', '2'],
    ['merchant-control wrong', '2'],
    ['merchantControl does not match', '2'],
    ['hash is invalid', '2'],
    ['HMAC mismatch', '2'],
    ['Request could not be authenticated', '2'],
    ['Unauthenticated', '2'],
    ['Merchant is not authorized for payments', '2'],
    ['log-in or password is wrong', '2'],
  ];
  test.each(signedWrongly)('%s (%s): how it was signed', async (message, code) => {
    const ran = await paycli(saleFlags, { home: homeWithProfile(), network: [() => refused(message, code)] });
    expect([ran.exit, ran.err]).toEqual([4, expect.stringMatching(ofSignature)]);
  });

  const others: readonly (readonly [argv: readonly string[], message: string, advice: RegExp])[] = [
    [
      ['status', '12345', '--client-order-id', 'a'],
      'order not found',
      /next: {2}check the id, and that the order belongs to this profile/,
    ],
    [
      saleFlags,
      'end point with id 4001 not found',
      /next: {2}check the base address and the endpoint id: `paycli config explain`/,
    ],
    [saleFlags, 'order_desc holds control characters', /next: {2}check --order-desc;/],
    [
      ['return', '12345', '--client-order-id', 'a', '--amount', '5', '--currency', 'EUR'],
      'the order is returned already',
      /next: {2}`paycli order 12345` shows what the order allows now/,
    ],
    [
      ['void', '12345', '--client-order-id', 'a'],
      'Unauthorized transaction cannot be voided',
      /next: {2}`paycli order 12345`/,
    ],
    [['void', '12345', '--client-order-id', 'a'], 'Your right to void has expired', /next: {2}`paycli order 12345`/],
    [
      saleFlags,
      '3-D Secure authorization rejected; card unauthorized by issuer',
      /next: {2}`paycli sign sale --recipe`/,
    ],
    [saleFlags, 'Amount is more than rights issue permits', /next: {2}`paycli sign sale --recipe`/],
    [saleFlags, 'Access denied by the issuer', /next: {2}`paycli sign sale --recipe`/],
    [saleFlags, 'Transaction is forbidden', /next: {2}`paycli sign sale --recipe`/],
    [saleFlags, 'Signature of the PaRes cannot be verified', /next: {2}`paycli sign sale --recipe`/],
    [saleFlags, 'card hash is invalid', /next: {2}`paycli sign sale --recipe`/],
    [saleFlags, '', /next: {2}`paycli sign sale --recipe` shows what the operation accepts/],
  ];
  test.each(others)('%j, refused with "%s"', async (argv, message, advice) => {
    const isAsked = argv === saleFlags && !/end.?point/.test(message);
    const network = [() => refused(message), ...(isAsked ? [() => noSuchOrder] : [])];
    const ran = await paycli(argv, { home: homeWithProfile(), network });
    expect([ran.exit, ran.err]).toEqual([4, expect.stringMatching(advice)]);
    expect(ran.err).not.toMatch(ofSignature);
    expect(ran.err).not.toContain('help signing');
  });
});
