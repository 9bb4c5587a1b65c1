import {
  type ControlMistakeName,
  findControlMistakes,
  findOauthMistakes,
  type Mistake,
  type OauthMistakeName,
} from '../../signing/diagnose/index.js';
import { type Merchant, type Received, type RefusalReason, requestSigning } from '../../signing/index.js';
import type { Assume } from '../../spec/index.js';
import { receivedRequest, verificationKeys } from '../checks.js';
import { type Detector, noViolations, type RuleViolation, violation } from './detectors.js';
import type { RuleId } from './rules.js';
import { controlCaseOf, oauthCaseOf } from './signature-cases.js';

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
// Where a value differs, the kind of difference tells more.
const controlRuleByVariant: Readonly<Record<string, RuleId>> = {
  'left-out': 'control-value-missing',
  both: 'control-value-extra',
  kept: 'control-value-extra',
};

// A request is answered quickly, whatever it holds.
const maxTries = 2000;

/** A wrong control: tries common mistakes until one of them explains it. */
const checkControl: Detector = ({ refusal, request, checked }, store) => {
  if (refusal.reason !== 'control' || checked === undefined || checked.protection.scheme !== 'control')
    return noViolations;
  const { route, settings, merchant } = checked;
  const received = receivedRequest(request, checked);
  const verdict = requestSigning.verify(received, verificationKeys(checked), settings.assume);
  if (!verdict.ok && verdict.reason === 'control-missing')
    return violation('control-missing', `${route.row.command} without control`);
  const sent = checked.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  const given = controlCaseOf(received, merchant, store, settings.assume);
  const [mistakes] = findControlMistakes(given, sent, { max: maxTries }).explanations;
  if (mistakes === undefined) return violation('control-wrong', `${route.row.command}: no known mistake explains it`);
  return mistakes.map((mistake) => ({ rule: ruleOf(mistake), detail: `${route.row.command}: ${mistake.detail}` }));
};

function ruleOf({ name, variant }: Mistake): RuleId {
  const rule = controlRuleByMistake.get(name) ?? 'control-wrong';
  return rule === 'control-value-other' ? (controlRuleByVariant[variant] ?? rule) : rule;
}

/** The rule that a signature breaks which is not even looked at, by the reason it is refused for. */
export const oauthRuleByReason: Partial<Readonly<Record<RefusalReason, RuleId>>> = {
  'oauth-missing': 'oauth-missing',
  'oauth-malformed': 'oauth-header',
  'oauth-parameters': 'oauth-header',
  'oauth-version': 'oauth-header',
  'oauth-method': 'oauth-method',
  'oauth-consumer': 'oauth-consumer',
};

/** A wrong OAuth signature, or a valid one with a bad timestamp or a reused nonce. */
const checkOauth: Detector = ({ refusal, request, checked }, { machine }) => {
  if (!refusal.reason.startsWith('oauth') || checked === undefined) return noViolations;
  const { route, settings } = checked;
  const received = receivedRequest(request, checked);
  const keys = verificationKeys(checked);
  const verdict = requestSigning.verify(received, keys, settings.assume);
  if (verdict.ok) {
    const off = Math.abs(Math.floor(machine.now() / 1000) - Number(verdict.timestamp));
    return off > Number(settings.assume['oauth-window'])
      ? violation('oauth-clock', `${route.row.command}: ${clockSkewText(off)}`)
      : violation('oauth-nonce', `${route.row.command}: the nonce was used before`);
  }
  const rule = oauthRuleByReason[verdict.reason];
  if (rule !== undefined) return violation(rule, `${route.row.command}: ${verdict.detail}`);
  return causesOf(received, keys, settings.assume).map(({ rule: cause, detail }) => ({
    rule: cause,
    detail: `${route.row.command}: ${detail}`,
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

/** What finds the mistakes behind a refused signature. */
export const signatureDetectors: readonly Detector[] = [checkControl, checkOauth];
