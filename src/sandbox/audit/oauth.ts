import { type Merchant, parseAuthorizationHeader, type Received, type RefusalReason, requestSigning, Secret } from '../../signing/index.js';
import type { Assume } from '../../spec/index.js';
import { keysOf, receivedOf } from '../checks/signature.js';
import type { RuleId } from './rules.js';
import { type Detector, nothing, type Sighting, sighting } from './seen.js';

const byReason: Partial<Readonly<Record<RefusalReason, RuleId>>> = {
  'oauth-missing': 'oauth-missing',
  'oauth-malformed': 'oauth-header',
  'oauth-parameters': 'oauth-header',
  'oauth-version': 'oauth-header',
  'oauth-method': 'oauth-method',
  'oauth-consumer': 'oauth-consumer',
};

/** An OAuth signature that does not fit, or one that fits and comes at the wrong time or twice. */
export const oauth: Detector = ({ refusal, request, checked }, { machine }) => {
  if (refusal.reason !== 'oauth' || checked === undefined) return nothing;
  const { route, terms } = checked;
  const received = receivedOf(request, checked);
  const keys = keysOf(checked);
  const verdict = requestSigning.verify(received, keys, terms.assume);
  if (verdict.ok) {
    const off = Math.abs(Math.floor(machine.now() / 1000) - Number(verdict.timestamp));
    return off > Number(terms.assume['oauth-window'])
      ? sighting('oauth-clock', `${route.id}: ${wayOff(off)}`)
      : sighting('oauth-nonce', `${route.id}: a nonce was there before`);
  }
  const rule = byReason[verdict.reason];
  if (rule !== undefined) return sighting(rule, `${route.id}: ${verdict.detail}`);
  const found = causeOf(received, keys, terms.assume);
  return sighting(found.rule, `${route.id}: ${found.detail}`);
};

function wayOff(seconds: number): string {
  if (seconds > 1e9) return 'milliseconds instead of seconds, or no time at all';
  return seconds % 3600 < 120 || seconds % 3600 > 3480
    ? `off by about ${Math.round(seconds / 3600)} h: a time zone`
    : 'minutes or more off';
}

function causeOf(received: Received, keys: Merchant, assume: Assume): Sighting {
  const fits = (change: Partial<Received>, key: Partial<Merchant> = {}, switches: Partial<Assume> = {}) =>
    requestSigning.verify({ ...received, ...change }, { ...keys, ...key }, { ...assume, ...switches }).ok;
  if (fits({ pairs: [] })) return { rule: 'oauth-body-unsigned', detail: 'only the oauth_ parameters were signed' };
  for (const url of otherAddresses(received.url))
    if (fits({ url })) return { rule: 'oauth-address', detail: `signed ${new URL(url).origin} instead of ${new URL(received.url).origin}` };
  if (received.protection.scheme === 'hmac-sha1') {
    const withEnd = new Secret(`${keys.controlKey.open()}\n`);
    if (fits({}, { controlKey: withEnd })) return { rule: 'oauth-key', detail: 'a line end after the key' };
    const other = assume['hmac-key-encoding'] === 'raw' ? 'encoded' : 'raw';
    if (fits({}, {}, { 'hmac-key-encoding': other })) return { rule: 'oauth-key', detail: 'the key in the other encoding (A51)' };
  }
  return { rule: 'oauth-signature', detail: `no known mistake explains it${hint(received.authorization)}` };
}

/** What a proxy, or a configuration that was not changed, makes of an address. */
function otherAddresses(url: string): string[] {
  const parsed = new URL(url);
  const hosts = ['localhost', '127.0.0.1'].flatMap((name) => [name, `${name}:${parsed.port}`]);
  const origins = ['http', 'https'].flatMap((scheme) => hosts.map((host) => `${scheme}://${host}`));
  const rest = url.slice(parsed.origin.length);
  return origins.filter((origin) => origin !== parsed.origin).map((origin) => `${origin}${rest}`);
}

/** A `+` that became a blank on its way: Base64 that was not percent-encoded. */
function hint(authorization: string | undefined): string {
  const signature = parseAuthorizationHeader(authorization ?? '').pairs.find(([name]) => name === 'oauth_signature')?.[1] ?? '';
  return signature.includes(' ') ? '; the signature holds blanks, so its + was not percent-encoded' : '';
}
