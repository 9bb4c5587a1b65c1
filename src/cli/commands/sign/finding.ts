import type { SignatureFinding } from '../../../sandbox/audit/examine.js';
import type { RuleId } from '../../../sandbox/audit/rules.js';
import type { Diagnosis } from '../../../signing/diagnose/index.js';
import { type Merchant, Secret } from '../../../signing/index.js';
import { type Finding, type FormProblem, ownKeyDamaged } from './report.js';

/** What is wrong with the form and with the signature of a request of an operation. */
export async function findingOf(
  violations: readonly { readonly rule: RuleId; readonly detail: string }[],
  signature: SignatureFinding,
  isControl: boolean,
): Promise<Finding> {
  const { rules } = await import('../../../sandbox/audit/rules.js');
  const form = violations.map(({ rule, detail }) => ({ name: rule, detail, fix: rules[rule].fix }));
  if (signature.state !== 'wrong') return { form, mistakes: [] };
  const { mistakes } = signature.diagnosis;
  const { ruleOfReason } = await import('../../../sandbox/audit/examine.js');
  const rule = ruleOfReason(signature, isControl);
  // Of a header, the search says the same.
  const isSaid = mistakes.length > 0 && (signature.isPlain || rule === 'oauth-method' || rule === 'oauth-header');
  if (isSaid) return { form, mistakes };
  const detail = signature.isPlain ? `no known mistake explains it: ${signature.detail}` : signature.detail;
  return { form: [...form, { name: rule, detail, fix: rules[rule].fix }], mistakes };
}

/** What editors, shells and copying do to a key file, and how the key reads without it. */
const repairs: readonly (readonly [words: string, repair: (key: string) => string])[] = [
  ['without its quotes', (key) => /^(["'])(.*)\1$/s.exec(key.trim())?.[2] ?? key],
  ['without the name and = before it', (key) => key.replace(/^\s*(?:export\s+)?\w+\s*=\s*(["']?)(.*)\1\s*$/s, '$2')],
  ['without its byte order mark', (key) => key.replace(/^\uFEFF/, '')],
  ['without the spaces and line ends around it', (key) => key.trim()],
  // Keys are issued in upper case.
  ['in upper case', (key) => (key === key.toLowerCase() ? key.toUpperCase() : key)],
];

/**
 * Examines something of the other side with our key. Where it does not match, our own key file may be what is wrong:
 * then it is examined with the key as it was meant, and the damage is told.
 */
export function examineWithOwnKey<Found extends { readonly diagnosis: Diagnosis }>(
  merchant: Merchant,
  examine: (merchant: Merchant, maxPairs?: number) => Found,
): { readonly found: Found; readonly damage: readonly FormProblem[] } {
  const found = examine(merchant);
  const key = merchant.controlKey.open();
  for (const [words, repair] of found.diagnosis.match ? [] : repairs) {
    const meant = repair(key);
    if (meant === key || meant === '') continue;
    const other = examine({ ...merchant, controlKey: new Secret(meant) }, 0);
    if (!other.diagnosis.match) continue;
    const detail = `the request matches your key ${words}: correct the key file`;
    return {
      found: other,
      damage: [{ name: ownKeyDamaged, detail, fix: 'put the key alone on one line of its file' }],
    };
  }
  return { found, damage: [] };
}
