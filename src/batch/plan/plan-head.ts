import { type Facts, isFacts } from '../../journal/index.js';
import { allOperations } from '../../spec/index.js';
import type { PlanHead } from '../plan.js';

/**
 * Whether this is the head of a plan as paycli writes one. The file is untrusted, as an approver opens a copy on their
 * own account: what is shown or put into a suggested command must have the form that it has in a plan. Only the path of
 * the file may have any character.
 */
export function isPlanHead(value: unknown): value is PlanHead {
  if (!isFacts(value)) return false;
  const { operation, planner, file, totals } = value;
  return (
    Object.entries(forms).every(([key, form]) => hasTextOfForm(value, key, form)) &&
    allOperations.some(({ id }) => id === operation) &&
    [value['count'], value['madeAt']].every(Number.isSafeInteger) &&
    isFacts(planner) &&
    [value['base'], value['login'], value['version'], planner['user'], planner['host'], planner['id']].every(
      isVisible,
    ) &&
    isFacts(file) &&
    typeof file['path'] === 'string' &&
    Array.isArray(totals) &&
    totals.every(isTotal)
  );
}

/** The forms of the texts in a head that have one. */
const forms = {
  // The id of a plan that pays what another plan had validated begins with the id of that plan.
  id: /^b-\d{8}-[a-z0-9]{6}(?:-pay-[a-z0-9]{4})?$/,
  profile: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  class: /^(?:sandbox|test|live)$/,
  digest: /^[\da-f]{64}$/,
};

function hasTextOfForm(facts: Facts, key: string, form: RegExp): boolean {
  const text = facts[key];
  return typeof text === 'string' && form.test(text);
}

/** A text without characters that could change how a terminal shows it: controls, bidirectional and zero-width ones. */
function isVisible(text: unknown): boolean {
  return typeof text === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text);
}

function isTotal(total: unknown): boolean {
  if (!isFacts(total)) return false;
  return (
    hasTextOfForm(total, 'currency', /^[A-Z]{3}$/) &&
    hasTextOfForm(total, 'minor', /^-?\d+$/) &&
    [total['count'], total['digits']].every(Number.isSafeInteger)
  );
}
