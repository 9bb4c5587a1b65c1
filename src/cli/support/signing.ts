import type { Intent } from '../../journal/index.js';
import { type Assume, allOperations, type Field, kindOf, type Operation, type PlainProtection } from '../../spec/index.js';
import { decimalText, digitsOf } from '../../wire/amount.js';
import { fieldsInForce, protectionOf } from '../../wire/check.js';
import { printable } from '../../wire/redact.js';
import { columns } from '../present/columns.js';
import { recipeWords } from '../present/signature-recipe.js';

/** One value that was signed, as far as the journal has it. */
export interface Slot {
  readonly name: string;
  /** Nothing where it was not kept. */
  readonly value: string | null;
  readonly remark: string;
}

export interface SignedEntry {
  readonly entry: number;
  readonly operation: string;
  readonly path: string;
  readonly scheme: string;
  readonly recipe: string;
  readonly slots: readonly Slot[];
}

/** What a request of the journal was signed over, by the assumptions in force now. Card data is never kept. */
export function signedEntry(intent: Intent, assume: Assume): SignedEntry {
  const row = allOperations.find(({ id }) => id === intent.operation);
  const { id: entry, operation } = intent;
  if (row === undefined)
    return { entry, operation, path: operation, scheme: 'by hand', recipe: 'a path by hand; how it was signed is not kept', slots: [] };
  const protection = protectionOf(row, assume);
  const slots = slotsOf(row, protection, intent, assume);
  return { entry, operation, path: row.path, scheme: protection.scheme, recipe: recipeWords(row, protection, assume), slots };
}

function slotsOf(row: Operation, protection: PlainProtection, intent: Intent, assume: Assume): Slot[] {
  if (protection.scheme === 'none') return [];
  if (protection.scheme === 'control') {
    const known = { ...idsOf(intent), amount: intent.sum?.minor };
    return protection.values.map((key) => slotOf(key, row.fields[key], known, intent));
  }
  const known = { ...idsOf(intent), amount: bodyAmount(intent, assume) };
  const made = ['oauth_nonce', 'oauth_timestamp'].map((name) => ({ name, value: null, remark: 'made anew each time; not kept' }));
  return [...fieldsInForce(row, assume).map(([key, field]) => slotOf(key, field, known, intent)), ...made];
}

type Known = Readonly<Record<string, string | undefined>>;

function idsOf({ endpointId, login, clientOrderId, orderId, sum }: Intent): Known {
  return { endpointId, login, clientOrderId, orderId, currency: sum?.currency };
}

/** A03, A04: as it stood in the body. */
function bodyAmount({ sum, endpointId }: Intent, assume: Assume): string | undefined {
  if (sum === undefined || assume['body-amount'] === 'minor') return sum?.minor;
  return decimalText(BigInt(sum.minor), sum.digits ?? digitsOf(sum.currency, assume['minor-digits'], endpointId) ?? 0);
}

function slotOf(key: string, field: Field | undefined, known: Known, { sum }: Intent): Slot {
  const name = field?.wire ?? key;
  const secrecy = field === undefined ? 'open' : kindOf(field.kind).secrecy;
  if (secrecy === 'card' || secrecy === 'secret') return { name, value: null, remark: 'card data; never kept' };
  const value = known[key];
  if (value !== undefined) return { name, value, remark: '' };
  if (sum === undefined && (key === 'amount' || key === 'currency')) return { name, value: '', remark: 'the request had none' };
  return { name, value: null, remark: field?.need === 'optional' ? 'not kept, nor whether it was sent' : 'not kept' };
}

/** The same for people. */
export function signedText({ entry, operation, path, recipe, slots }: SignedEntry): string {
  const rows = slots.map(({ name, value, remark }) => {
    const text = value === null ? remark : value === '' ? `(empty) ${remark}` : printable(value);
    return [`  ${printable(name)}`, text];
  });
  return `Entry ${entry}  ${operation}  POST ${printable(path)}\n  ${recipe}\n${columns(rows)}`;
}
