import { allOperations } from '../../spec/index.js';
import type { PlanHead } from '../plan.js';

type Entries = Readonly<Record<string, unknown>>;

/**
 * Whether this is the head of a plan as paycli writes one. The file is untrusted, as an approver opens a copy on their
 * own account: what is shown or put into a suggested command must have the form that it has in a plan. Only the path of
 * the file may have any character.
 */
export function isPlanHead(value: unknown): value is PlanHead {
  if (!isEntries(value)) return false;
  const { operation, planner, file, totals } = value;
  return (
    Object.entries(forms).every(([key, form]) => has(value, key, form)) &&
    allOperations.some(({ id }) => id === operation) &&
    [value['count'], value['madeAt']].every(Number.isSafeInteger) &&
    isEntries(planner) &&
    [value['base'], value['login'], value['version'], planner['user'], planner['host'], planner['id'] ?? ''].every(
      isVisible,
    ) &&
    isEntries(file) &&
    typeof file['path'] === 'string' &&
    Array.isArray(totals) &&
    totals.every(isTotal)
  );
}

const forms = {
  // The id of a plan that pays what another plan had validated begins with the id of that plan.
  id: /^b-\d{8}-[a-z0-9]{6}(?:-pay-[a-z0-9]{4})?$/,
  profile: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  class: /^(?:sandbox|test|live)$/,
  digest: /^[\da-f]{64}$/,
};

function has(entries: Entries, key: string, form: RegExp): boolean {
  const text = entries[key];
  return typeof text === 'string' && form.test(text);
}

/** No controls, bidirectional or zero-width characters, separators of lines, halves of surrogate pairs. */
function isVisible(text: unknown): boolean {
  return typeof text === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(text);
}

function isTotal(total: unknown): boolean {
  if (!isEntries(total)) return false;
  return (
    has(total, 'currency', /^[A-Z]{3}$/) &&
    has(total, 'minor', /^-?\d+$/) &&
    [total['count'], total['digits']].every(Number.isSafeInteger)
  );
}

function isEntries(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null;
}
