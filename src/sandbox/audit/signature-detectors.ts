import type { ControlMistakeName, Mistake, OauthMistakeName } from '../../signing/diagnose/index.js';
import type { RefusalReason } from '../../signing/index.js';
import type { Detector } from './detectors.js';
import { noViolations, violation } from './detectors.js';
import { examineRefused, type SignatureFinding } from './examine.js';
import type { RuleId } from './rules.js';

const rulesOfMistakes = {
  control: {
    ...{ order: 'control-order', 'decimal-amount': 'control-decimals', 'missing-email': 'control-value-missing' },
    ...{ 'endpoint-login': 'control-value-other', 'orderid-text': 'control-value-other' },
    ...{ 'amount-currency': 'control-value-other', 'endpoint-group': 'control-value-other' },
    ...{ 'key-whitespace': 'control-key-newline', 'other-key': 'control-key-wrong' },
    ...{ 'upper-case': 'control-upper-case', base64: 'control-base64', charset: 'control-encoded' },
    digest: 'control-hash',
  } satisfies Record<ControlMistakeName, RuleId>,
  oauth: {
    ...{ 'reserved-characters': 'oauth-encoding', 'space-plus': 'oauth-encoding', 'not-utf8': 'oauth-encoding' },
    ...{ 'encoded-twice-or-once': 'oauth-encoding', 'body-left-out': 'oauth-body-unsigned' },
    ...{ 'sort-order': 'oauth-parameters', 'query-left-out': 'oauth-parameters', 'empty-values': 'oauth-parameters' },
    ...{ 'repeated-or-nested-names': 'oauth-parameters', realm: 'oauth-parameters' },
    ...{ 'scheme-host-port': 'oauth-address', method: 'oauth-address', 'signing-key': 'oauth-key' },
    ...{ 'header-not-encoded': 'oauth-header', 'nonce-timestamp': 'oauth-clock' },
    ...{ 'rsa-key-or-method': 'oauth-method', digest: 'oauth-digest' },
  } satisfies Record<OauthMistakeName, RuleId>,
};

// Where a value differs, the kind of difference tells more.
const byVariant: Readonly<Record<string, RuleId>> = {
  ...{ 'left-out': 'control-value-missing', both: 'control-value-extra', kept: 'control-value-extra' },
  original: 'control-value-extra',
};

/** What the audit calls a mistake of a signature. */
function ruleOf({ name, variant }: Mistake, scheme: 'control' | 'oauth'): RuleId {
  const rules: Readonly<Partial<Record<string, RuleId>>> = rulesOfMistakes[scheme];
  const rule = rules[name] ?? (scheme === 'control' ? 'control-wrong' : 'oauth-signature');
  return rule === 'control-value-other' ? (byVariant[variant] ?? rule) : rule;
}

const ruleByReason: Partial<Readonly<Record<RefusalReason, RuleId>>> = {
  ...{ 'control-missing': 'control-missing', 'oauth-missing': 'oauth-missing', 'oauth-malformed': 'oauth-header' },
  ...{ 'oauth-parameters': 'oauth-header', 'oauth-version': 'oauth-header', 'oauth-method': 'oauth-method' },
  'oauth-consumer': 'oauth-consumer',
};

/** The rule that a wrong signature breaks, where the reason of its refusal tells. */
export function ruleOfReason(finding: Extract<SignatureFinding, { state: 'wrong' }>, isControl: boolean): RuleId {
  return finding.rule ?? ruleByReason[finding.reason] ?? (isControl ? 'control-wrong' : 'oauth-signature');
}

// A request is answered quickly, whatever it holds.
const maxPairs = 4000;
const maxExamined = 20_000;

/** What is wrong with a refused signature, or with the time it comes at. */
const checkSignature: Detector = (seen, store) => {
  const { refusal, route } = seen;
  if (route === undefined || !/^(?:control|oauth)/.test(refusal.reason)) return noViolations;
  const { body, headers } = seen.request;
  if (body.length + (headers['authorization'] ?? '').length > maxExamined)
    return violation(refusal.reason === 'control' ? 'control-wrong' : 'oauth-signature', 'too long to diagnose');
  const finding = examineRefused(store, seen, maxPairs);
  if (finding.state !== 'wrong') return noViolations;
  const isControl = refusal.reason === 'control';
  const [rule, { command }] = [ruleOfReason(finding, isControl), route.row];
  const { mistakes } = finding.diagnosis;
  if (rule === 'control-missing') return violation(rule, `${command} without control`);
  if (!finding.isPlain && mistakes.length === 0) return violation(rule, `${command}: ${finding.detail}`);
  if (mistakes.length === 0) return violation(rule, `${command}: no known mistake explains it`);
  return mistakes.map((mistake) => ({
    rule: ruleOf(mistake, isControl ? 'control' : 'oauth'),
    detail: `${command}: ${mistake.detail}`,
  }));
};

/** What finds the mistakes behind refused signatures. */
export const signatureDetectors: readonly Detector[] = [checkSignature];
