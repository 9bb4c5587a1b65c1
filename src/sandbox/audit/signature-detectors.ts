import {
  type ControlCase,
  type ControlMistakeName,
  findControlMistakes,
  findOauthMistakes,
  type Mistake,
  type OauthCase,
  type OauthMistakeName,
} from '../../signing/diagnose/index.js';
import {
  controlEncoding,
  type Merchant,
  parseAuthorizationHeader,
  type Received,
  type RefusalReason,
  requestSigning,
} from '../../signing/index.js';
import type { Assume } from '../../spec/index.js';
import { minorText } from '../../wire/amount.js';
import { receivedRequest, verificationKeys } from '../checks/check-request.js';
import type { CheckedRequest } from '../checks/request.js';
import { listMerchants } from '../ledger/merchants.js';
import type { Store } from '../ledger/store.js';
import { type Detector, noViolations, type RuleViolation, violation } from './detectors.js';
import type { RuleId } from './rules.js';

const controlRules = {
  order: 'control-order',
  'decimal-amount': 'control-decimals',
  'missing-email': 'control-value-missing',
  'endpoint-login': 'control-value-other',
  'orderid-text': 'control-value-other',
  'amount-currency': 'control-value-other',
  'endpoint-group': 'control-value-other',
  'key-whitespace': 'control-key-newline',
  'other-key': 'control-key-wrong',
  'upper-case': 'control-upper-case',
  base64: 'control-base64',
  charset: 'control-encoded',
  digest: 'control-hash',
} as const satisfies Record<ControlMistakeName, RuleId>;
const controlRuleByMistake: ReadonlyMap<string, RuleId> = new Map(Object.entries(controlRules));
// Where a value is another one, the way it is tells more.
const controlRuleByVariant: Readonly<Record<string, RuleId>> = {
  'left-out': 'control-value-missing',
  both: 'control-value-extra',
  kept: 'control-value-extra',
};

// A request is answered quickly, whatever it holds.
const maxTries = 1000;
const maxMerchants = 20;

/** A control that does not fit: tries the mistakes people make until one of them explains it. */
export const checkControl: Detector = ({ refusal, request, checked }, store) => {
  if (refusal.reason !== 'control' || checked === undefined || checked.protection.scheme !== 'control')
    return noViolations;
  const { route, settings } = checked;
  const verdict = requestSigning.verify(receivedRequest(request, checked), verificationKeys(checked), settings.assume);
  if (!verdict.ok && verdict.reason === 'control-missing')
    return violation('control-missing', `${route.id} without control`);
  const sent = checked.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  const [mistakes] = findControlMistakes(controlCaseOf(checked, store), sent, { most: maxTries }).explanations;
  if (mistakes === undefined) return violation('control-wrong', `${route.id}: no known mistake explains it`);
  return mistakes.map((mistake) => ({ rule: ruleOf(mistake), detail: `${route.id}: ${mistake.detail}` }));
};

function controlCaseOf(
  { protection, route, merchant, pairs, amount, settings }: CheckedRequest,
  store: Store,
): ControlCase {
  const sent = (wire: string) => pairs.find(([name]) => name === wire)?.[1] ?? '';
  const { row, endpointId } = route;
  const slots = (protection.scheme === 'control' ? protection.values : []).map((name) => {
    const wire = row.fields[name]?.wire ?? name;
    if (name === 'login') return { name, wire, value: merchant.login };
    if (name === 'endpointId') return { name, wire, value: endpointId };
    return {
      name,
      wire,
      value: row.fields[name]?.kind === 'amount' && amount !== undefined ? minorText(amount) : sent(wire),
    };
  });
  const merchants = listMerchants(store).slice(0, maxMerchants);
  const others = merchants.filter(({ login }) => login !== merchant.login);
  const endpoints = merchants.flatMap((each) => each.endpoints.map(({ id }) => id));
  return {
    slots,
    key: merchant.controlKey,
    encoding: controlEncoding(settings.assume),
    amountText: sent('amount') === '' ? undefined : sent('amount'),
    currency: sent('currency'),
    login: merchant.login,
    endpointId,
    otherEndpoints: endpoints.filter((id) => id !== endpointId),
    otherKeys: others.map(({ login, controlKey }) => ({ name: `the merchant ${login}`, key: controlKey })),
  };
}

function ruleOf({ name, variant }: Mistake): RuleId {
  const rule = controlRuleByMistake.get(name) ?? 'control-wrong';
  return rule === 'control-value-other' ? (controlRuleByVariant[variant] ?? rule) : rule;
}

const oauthRuleByReason: Partial<Readonly<Record<RefusalReason, RuleId>>> = {
  'oauth-missing': 'oauth-missing',
  'oauth-malformed': 'oauth-header',
  'oauth-parameters': 'oauth-header',
  'oauth-version': 'oauth-header',
  'oauth-method': 'oauth-method',
  'oauth-consumer': 'oauth-consumer',
};

/** An OAuth signature that does not fit, or one that fits and comes at the wrong time or twice. */
export const checkOauth: Detector = ({ refusal, request, checked }, { machine }) => {
  if (refusal.reason !== 'oauth' || checked === undefined) return noViolations;
  const { route, settings } = checked;
  const received = receivedRequest(request, checked);
  const keys = verificationKeys(checked);
  const verdict = requestSigning.verify(received, keys, settings.assume);
  if (verdict.ok) {
    const off = Math.abs(Math.floor(machine.now() / 1000) - Number(verdict.timestamp));
    return off > Number(settings.assume['oauth-window'])
      ? violation('oauth-clock', `${route.id}: ${clockSkewText(off)}`)
      : violation('oauth-nonce', `${route.id}: the nonce was used before`);
  }
  const rule = oauthRuleByReason[verdict.reason];
  if (rule !== undefined) return violation(rule, `${route.id}: ${verdict.detail}`);
  return causesOf(received, keys, settings.assume).map(({ rule: cause, detail }) => ({
    rule: cause,
    detail: `${route.id}: ${detail}`,
  }));
};

function clockSkewText(seconds: number): string {
  if (seconds > 1e9) return 'milliseconds instead of seconds, or not a timestamp';
  return seconds % 3600 < 120 || seconds % 3600 > 3480
    ? `off by about ${Math.round(seconds / 3600)} h, probably a time zone error`
    : 'off by minutes or more';
}

const oauthRules = {
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
const oauthRuleByMistake: ReadonlyMap<string, RuleId> = new Map(Object.entries(oauthRules));

// A request is answered quickly, whatever it holds.
const maxExamined = 4096;

function causesOf(received: Received, keys: Merchant, assume: Assume): readonly RuleViolation[] {
  const unknown = violation('oauth-signature', 'no known mistake explains it');
  const { authorization = '', url, pairs } = received;
  const size = pairs.reduce(
    (sum, [name, value]) => sum + encodeURIComponent(name).length + encodeURIComponent(value).length,
    0,
  );
  if (size + authorization.length + url.length > maxExamined)
    return violation('oauth-signature', 'too long to diagnose');
  const { given, signature } = oauthCaseOf(received, keys, assume);
  const [mistakes] = findOauthMistakes(given, signature, { quick: true }).explanations;
  return mistakes === undefined
    ? unknown
    : mistakes.map(({ name, detail }) => ({ rule: oauthRuleByMistake.get(name) ?? 'oauth-signature', detail }));
}

/** The request as it came, with the values of its header. */
function oauthCaseOf(
  received: Received,
  keys: Merchant,
  assume: Assume,
): { readonly given: OauthCase; readonly signature: string } {
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
