import { findOauthMistakes, type OauthCase, type OauthMistakeName } from '../../signing/diagnose/index.js';
import { type Merchant, parseAuthorizationHeader, type Received, type RefusalReason, requestSigning } from '../../signing/index.js';
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
  return causesOf(received, keys, terms.assume).map(({ rule: cause, detail }) => ({ rule: cause, detail: `${route.id}: ${detail}` }));
};

function wayOff(seconds: number): string {
  if (seconds > 1e9) return 'milliseconds instead of seconds, or no time at all';
  return seconds % 3600 < 120 || seconds % 3600 > 3480
    ? `off by about ${Math.round(seconds / 3600)} h: a time zone`
    : 'minutes or more off';
}

const byName = {
  'reserved-characters': 'oauth-encoding',
  'space-plus': 'oauth-encoding',
  'encoded-twice-or-once': 'oauth-encoding',
  'not-utf8': 'oauth-encoding',
  'body-left-out': 'oauth-body-unsigned',
  'sort-order': 'oauth-parameters',
  'query-left-out': 'oauth-parameters',
  'empty-values': 'oauth-parameters',
  'repeated-or-nested-names': 'oauth-parameters',
  realm: 'oauth-parameters',
  'scheme-host-port': 'oauth-address',
  method: 'oauth-address',
  'signing-key': 'oauth-key',
  'header-not-encoded': 'oauth-header',
  'nonce-timestamp': 'oauth-clock',
  'rsa-key-or-method': 'oauth-method',
  digest: 'oauth-digest',
} as const satisfies Record<OauthMistakeName, RuleId>;
const ruleNames: ReadonlyMap<string, RuleId> = new Map(Object.entries(byName));

// A request is answered quickly, whatever it holds.
const mostExamined = 4096;

function causesOf(received: Received, keys: Merchant, assume: Assume): readonly Sighting[] {
  const unknown = sighting('oauth-signature', 'no known mistake explains it');
  const { authorization = '', url, pairs } = received;
  const size = pairs.reduce((sum, [name, value]) => sum + encodeURIComponent(name).length + encodeURIComponent(value).length, 0);
  if (size + authorization.length + url.length > mostExamined) return sighting('oauth-signature', 'too long to look for its reason');
  const { given, signature } = caseOf(received, keys, assume);
  const [mistakes] = findOauthMistakes(given, signature, { quick: true }).explanations;
  return mistakes === undefined
    ? unknown
    : mistakes.map(({ name, detail }) => ({ rule: ruleNames.get(name) ?? 'oauth-signature', detail }));
}

/** The request as it came, with the values of its header. */
function caseOf(received: Received, keys: Merchant, assume: Assume): { readonly given: OauthCase; readonly signature: string } {
  const { pairs, realm } = parseAuthorizationHeader(received.authorization ?? '');
  const header = new Map(pairs);
  const value = (name: string) => header.get(name) ?? '';
  const isHmac = received.protection.scheme === 'hmac-sha1';
  const given: OauthCase = {
    method: 'POST',
    url: received.url,
    // A07: what the body repeats counts once.
    body: received.pairs.filter(([name]) => !(name.startsWith('oauth_') && header.has(name))),
    signatureMethod: isHmac ? 'HMAC-SHA1' : 'RSA-SHA256',
    consumerKey: value('oauth_consumer_key'),
    nonce: value('oauth_nonce'),
    timestamp: value('oauth_timestamp'),
    hasVersion: header.has('oauth_version'),
    token: header.get('oauth_token'),
    realm,
    keyForm: assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded',
    secret: keys.controlKey.open(),
    publicKey: keys.publicKey,
  };
  return { given, signature: value('oauth_signature') };
}
