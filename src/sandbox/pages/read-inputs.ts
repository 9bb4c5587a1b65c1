import { checkValue } from '../../wire/check.js';
import type { Pair } from '../../wire/form.js';
import { hasExpired, isTestNumber } from '../cards.js';
import type { Input } from './inputs.js';

/** What was typed, by the name of the control, and what is wrong with it. */
export interface Typed {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: ReadonlyMap<string, string>;
}

interface Terms {
  readonly anyCard: boolean;
  readonly now: number;
}

/** Reads the controls of a form. Nothing but the named ones is looked at. */
export function readInputs(pairs: readonly Pair[], inputs: readonly Input[], terms: Terms): Typed {
  const values: Record<string, string> = {};
  const errors = new Map<string, string>();
  for (const input of inputs) {
    const typed = (pairs.find(([name]) => name === input.name)?.[1] ?? '').trim();
    const value = input.check === 'card' ? typed.replace(/[\s-]/g, '') : typed;
    const error = value === '' ? (input.isOptional ? undefined : input.missing) : faultOf(input, value, terms);
    if (error !== undefined) errors.set(input.name, error);
    if (value !== '') values[input.name] = value;
  }
  return { values, errors };
}

function faultOf(input: Input, value: string, { anyCard, now }: Terms): string | undefined {
  if (input.check === 'expiry') return expiryFault(input, value, now);
  if (checkValue(input.field, value) !== undefined) return input.wrong;
  if (input.check === 'card' && !anyCard && !isTestNumber(value))
    return 'This is no published test number, and the sandbox takes no others';
  return undefined;
}

function expiryFault(input: Input, value: string, now: number): string | undefined {
  const read = readExpiry(value);
  if (read === undefined) return input.wrong;
  return hasExpired(read, now) ? 'The card has expired' : undefined;
}

/** Month and year out of 4/31, 04/31, 0431 or 04/2031; undefined for anything else. */
export function readExpiry(text: string): { readonly month: string; readonly year: string } | undefined {
  const [, month = '', year = ''] = /^(0?[1-9]|1[0-2])\s*[/ -]\s*(\d{2}|20\d\d)$/.exec(text) ?? /^(0[1-9]|1[0-2])(\d{2})$/.exec(text) ?? [];
  return month === '' ? undefined : { month: String(Number(month)), year: year.length === 2 ? `20${year}` : year };
}
