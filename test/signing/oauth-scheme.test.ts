import { describe, expect, test } from 'vitest';
import {
  authorizationHeader,
  type Pair,
  parseAuthorizationHeader,
  type Received,
  requestSigning,
  Secret,
} from '../../src/signing/index.js';
import { type Assume, assumeDefaults } from '../../src/spec/index.js';
import { credentials, fresh, merchant, received, unsignedOf, withSwitch } from './request-support.js';
import { oauths } from './support.js';

const repeated = withSwitch('oauth-in-body', 'hmac');
const eligibility = unsignedOf('PAN_ELIGIBILITY_SEND', { clientOrderId: 'order-17', sendingCardRefId: '77001' });
const check = unsignedOf('PAYOUT_V4_CHECK', { clientOrderId: 'order-17', amount: '10.42' }, '1042');
const kinds = [
  { name: 'HMAC-SHA1', unsigned: eligibility },
  { name: 'RSA-SHA256', unsigned: check },
];

test('an HMAC request is the one of the vector, but for its key', () => {
  const vector = oauths.find(({ name }) => name === 'a control key that needs encoding');
  const keyed = { ...credentials, controlKey: new Secret('k/e+y&=é') };
  const { headers, body } = requestSigning.sign(eligibility, keyed, assumeDefaults, fresh);
  expect(body).toBe('client-order-id=order-17&sending-card-ref-id=77001');
  expect(headers).toEqual({
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/vnd.pay+json',
    'Accept-Encoding': 'identity',
    Authorization:
      'OAuth oauth_consumer_key="shop_1", oauth_nonce="nonce000000000000000000000000017", oauth_signature_method="HMAC-SHA1", ' +
      `oauth_timestamp="1700000000", oauth_version="1.0", oauth_signature="${encodeURIComponent(vector?.signature ?? '')}"`,
  });
});

test.each(kinds)('signed aside on the thread pool, $name is the same request', async ({ unsigned }) => {
  const aside = await requestSigning.signAsync(unsigned, credentials, assumeDefaults, fresh);
  expect(aside).toEqual(requestSigning.sign(unsigned, credentials, assumeDefaults, fresh));
});

test('A51: a key taken raw makes the signature of its own vector', () => {
  const vector = oauths.find(({ name }) => name === 'the same control key taken raw');
  const keyed = { ...credentials, controlKey: new Secret('k/e+y&=é') };
  const raw = withSwitch('hmac-key-encoding', 'raw');
  const request = requestSigning.sign(eligibility, keyed, raw, fresh);
  expect(parseAuthorizationHeader(request.headers['Authorization'] ?? '').pairs.at(-1)).toEqual([
    'oauth_signature',
    vector?.signature,
  ]);
  const judge = (assume: Assume) =>
    requestSigning.verify(received(eligibility, request), { ...merchant, controlKey: keyed.controlKey }, assume);
  expect([judge(raw).ok, judge(assumeDefaults).ok]).toEqual([true, false]);
});

describe('A07', () => {
  const plain = requestSigning.sign(eligibility, credentials, assumeDefaults, fresh);
  const doubled = requestSigning.sign(eligibility, credentials, repeated, fresh);

  test('repeats five parameters in the body and signs them once', () => {
    expect(doubled.pairs.slice(plain.pairs.length).map(([name]) => name)).toEqual([
      'oauth_consumer_key',
      'oauth_nonce',
      'oauth_signature_method',
      'oauth_timestamp',
      'oauth_version',
    ]);
    expect(doubled.headers).toEqual(plain.headers);
  });

  test.each([
    ['plain', plain, assumeDefaults],
    ['plain', plain, repeated],
    ['repeated', doubled, assumeDefaults],
    ['repeated', doubled, repeated],
  ])('%s, the request is accepted under either value', (_, request, assume) => {
    expect(requestSigning.verify(received(eligibility, request), merchant, assume)).toEqual({ ok: true, ...fresh });
  });

  test('leaves RSA alone', () => {
    const { body } = requestSigning.sign(check, credentials, repeated, fresh);
    expect(body).not.toContain('oauth_');
  });
});

describe.each(kinds)('a request under $name', ({ name, unsigned }) => {
  const request = requestSigning.sign(unsigned, credentials, assumeDefaults, fresh);
  const good = received(unsigned, request);
  const { pairs } = parseAuthorizationHeader(good.authorization ?? '');
  const judge = (change: Partial<Received>) => requestSigning.verify({ ...good, ...change }, merchant, assumeDefaults);
  const header = (change: (pairs: readonly Pair[]) => readonly Pair[]) => ({
    authorization: authorizationHeader(change(pairs)),
  });
  const set = (wanted: string, value: string) =>
    header((all) => all.map(([key, old]) => [key, key === wanted ? value : old]));
  const drop = (wanted: string) => header((all) => all.filter(([key]) => key !== wanted));

  test('is accepted, and hands on nonce and timestamp', () => expect(judge({})).toEqual({ ok: true, ...fresh }));
  test('is accepted with a realm', () =>
    expect(judge({ authorization: authorizationHeader(pairs, { realm: 'any' }) })).toMatchObject({ ok: true }));

  test.each<[string, Partial<Received>, string]>([
    ['a malformed header', { authorization: 'OAuth x' }, 'oauth-malformed'],
    ['no nonce', drop('oauth_nonce'), 'oauth-parameters'],
    ['no signature', drop('oauth_signature'), 'oauth-parameters'],
    ['a parameter twice', header((all) => [...all, ['oauth_nonce', fresh.nonce]]), 'oauth-parameters'],
    ['another nonce in the body', { pairs: [...good.pairs, ['oauth_nonce', 'x']] }, 'oauth-parameters'],
    ['oauth_* in the query', { url: `${good.url}?oauth_nonce=${fresh.nonce}` }, 'oauth-parameters'],
    ['another version', set('oauth_version', '2.0'), 'oauth-version'],
    ['another consumer', set('oauth_consumer_key', 'shop_2'), 'oauth-consumer'],
    ['another nonce', set('oauth_nonce', 'x'), 'oauth-signature'],
    ['another value', { pairs: good.pairs.map(([key, value]) => [key, `${value}x`]) }, 'oauth-signature'],
    ['a field more', { pairs: [...good.pairs, ['comment', '']] }, 'oauth-signature'],
    ['another address', { url: `${good.url}0` }, 'oauth-signature'],
  ])('with %s is refused', (_, change, reason) => {
    const verdict = judge(change);
    expect(verdict).toMatchObject({ ok: false, reason });
    expect(JSON.stringify(verdict)).not.toContain(fresh.nonce);
  });

  test('is not accepted under the other method', () => {
    const other = kinds.find((kind) => kind.name !== name)?.unsigned.protection ?? unsigned.protection;
    expect(judge({ protection: other })).toMatchObject({ ok: false, reason: 'oauth-method' });
  });
});

test('a merchant without a public key cannot be verified under RSA', () => {
  const { publicKey: _, ...keyless } = merchant;
  const request = requestSigning.sign(check, credentials, assumeDefaults, fresh);
  expect(requestSigning.verify(received(check, request), keyless, assumeDefaults)).toMatchObject({
    ok: false,
    reason: 'oauth-key-missing',
  });
});

test.each([
  ['a control key', eligibility],
  ['a private key', check],
])('a profile without %s cannot sign', (lacking, unsigned) => {
  expect(() => requestSigning.sign(unsigned, { login: 'shop_1' }, assumeDefaults, fresh)).toThrow(
    expect.objectContaining({ code: 'PROFILE_INCOMPLETE', facts: expect.objectContaining({ lacking }) }),
  );
});

test('query parameters are signed and sent where they stand', () => {
  const unsigned = { ...check, url: `${check.url}?group=1&b=%20` };
  const request = requestSigning.sign(unsigned, credentials, assumeDefaults, fresh);
  expect(request.url).toBe(unsigned.url);
  expect(request.stages).toMatchObject({ pairs: expect.arrayContaining([{ source: 'query', name: 'b', value: ' ' }]) });
  expect(requestSigning.verify(received(unsigned, request), merchant, assumeDefaults)).toMatchObject({ ok: true });
});
