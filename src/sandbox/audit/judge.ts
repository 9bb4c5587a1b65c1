import { readForm } from '../../signing/request-form.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { readRequest } from '../checks.js';
import { orRefusal, Refusal, type RefusalName, type RuleViolation } from '../refusal.js';
import type { CheckedRequest, Route, SandboxRequest, SandboxSettings } from '../request.js';
import type { Store } from '../store.js';
import type { RuleId } from './rules.js';

/** A refused request, as far as it was parsed. */
export interface RefusedRequest {
  readonly request: SandboxRequest;
  readonly route: Route | undefined;
  readonly checked: CheckedRequest | undefined;
  readonly settings: SandboxSettings;
  readonly refusal: Refusal;
  readonly pairs: readonly Pair[];
  readonly login: string | undefined;
  readonly orderId: string | undefined;
}

/** Looks for mistakes behind a refusal. */
export type Judge = (seen: RefusedRequest, store: Store) => readonly RuleViolation[];

const unexaminedRules: Partial<Readonly<Record<RefusalName, RuleId>>> = {
  ...{ control: 'control-wrong', oauth: 'oauth-signature', 'oauth-clock': 'oauth-clock', 'oauth-nonce': 'oauth-nonce' },
};

/** A refused signature, where nothing that finds its mistake is loaded. */
export const judgeUnexamined: Judge = ({ refusal, route }) => {
  const rule = unexaminedRules[refusal.reason];
  if (route === undefined || rule === undefined) return [];
  return [{ rule, detail: `${route.row.command}: not examined, because this sandbox does not listen` }];
};

const formRules: ReadonlySet<RuleId> = new Set(['body-separator', 'body-encoding', 'amount-form']);

/**
 * What is wrong with everything but the signature: what the checks found, and where the fields are separated, encoded
 * or written otherwise than as a form, that in place of what follows from it.
 */
export const judgeForm: Judge = (seen, store) => {
  const { refusal, request, route, settings } = seen;
  if (route === undefined || refusal.reason !== 'invalid') return refusal.violations;
  // The fields of a body that is no form cannot be told from one another.
  if (refusal.violations.some(({ rule }) => rule === 'content-type'))
    return refusal.violations.filter(({ rule }) => !rule.startsWith('field-'));
  const form = readForm(request, { ...route, assume: settings.assume });
  const ofForm = form.findings.filter(({ rule }) => formRules.has(rule));
  if (ofForm.length === 0) return refusal.violations;
  const start = `${route.row.command}: `;
  const isAmountNamed = ofForm.some(({ rule }) => rule === 'amount-form');
  const body = new TextEncoder().encode(encodeForm(form.pairs));
  const again = orRefusal(() => readRequest(store, { ...request, body }, route, settings));
  return [
    ...ofForm.map(({ rule, detail }) => ({ rule, detail: start + detail })),
    ...(again instanceof Refusal ? again.violations : []).filter(
      ({ rule, detail }) => !(isAmountNamed && rule === 'field-wrong' && detail.startsWith(`${start}amount`)),
    ),
  ];
};
