import type { SignatureFinding } from '../../../sandbox/audit/examine.js';
import type { RuleId } from '../../../sandbox/audit/rules.js';
import type { Finding } from './report.js';

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
