import { type Field, payout, sale } from '../../spec/index.js';
import { checkValue } from '../../wire/check.js';
import type { Pair } from '../../wire/form.js';
import { hasExpired } from '../../wire/time.js';
import { isTestNumber } from '../cards.js';

/** One thing a customer types. `name` is also the id of the control. */
export interface Input {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** What is held against the text, once blanks around it are gone. */
  readonly field: Field;
  readonly missing: string;
  readonly wrong: string;
  readonly autocomplete: 'off' | 'name' | 'tel' | 'cc-number' | 'cc-name' | 'cc-exp' | 'cc-csc';
  readonly inputmode: 'text' | 'numeric' | 'tel';
  readonly max: number;
  readonly isOptional?: true;
  /** True when the text may stand in the page again after a mistake. */
  readonly isShownAgain: boolean;
}

function input(name: string, label: string, field: Field, more: Partial<Input> = {}): Input {
  const words = label.charAt(0).toLowerCase() + label.slice(1);
  const max = more.max ?? field.max ?? 128;
  return {
    name,
    label,
    field,
    missing: `Enter the ${words}`,
    wrong: `Check the ${words}: at most ${max} characters on one line`,
    autocomplete: 'off',
    inputmode: 'text',
    max,
    isShownAgain: true,
    ...more,
  };
}

/** Digits that never stand in a page again. */
const secret = { inputmode: 'numeric', isShownAgain: false } as const;

const number = input('number', 'Card number', sale.fields.cardNumber, {
  ...secret,
  wrong: 'Check the card number: a digit is wrong or missing',
  autocomplete: 'cc-number',
  max: 23,
});
const holder = input('holder', 'Name on the card', sale.fields.cardHolder, { autocomplete: 'cc-name', max: 128 });
/** Month and year in one control, as they stand on the card. */
const expiry = input('expiry', 'Expires', sale.fields.expireYear, {
  ...secret,
  missing: 'Enter the expiry date',
  hint: 'For example 04/31',
  wrong: 'Enter month and year, such as 04/31',
  autocomplete: 'cc-exp',
  max: 7,
});
const code = input('code', 'Security code', sale.fields.cvv, {
  ...secret,
  hint: '3 or 4 digits',
  wrong: 'The security code has 3 or 4 digits',
  autocomplete: 'cc-csc',
  max: 4,
});

export const cardInputs: readonly Input[] = [number, holder, expiry, code];

export interface Destination {
  readonly name: string;
  readonly label: string;
  readonly inputs: readonly Input[];
}

const { accountNumber, accountName, bankName, bankBranch, receiverPhone, bankId, walletType, walletId } = payout.fields;
const phoneForm = 'Check the phone number: 6 to 15 digits, spaces or + - ( )';

/** A39: where a payout can go, each with what it needs. */
export const destinations: readonly Destination[] = [
  { name: 'card', label: 'Card', inputs: [number, { ...holder, isOptional: true }] },
  {
    name: 'bank',
    label: 'Bank account',
    inputs: [
      input('account', 'Account number', accountNumber, secret),
      input('account-name', 'Account holder', accountName, { autocomplete: 'name', isOptional: true }),
      input('bank', 'Bank', bankName),
      input('branch', 'Branch', bankBranch),
    ],
  },
  {
    name: 'phone',
    label: 'Phone',
    inputs: [
      input('phone', 'Phone number', receiverPhone, {
        ...{ autocomplete: 'tel', inputmode: 'tel', max: 15, wrong: phoneForm },
      }),
      input('phone-bank', 'Code of the bank linked to the phone', bankId),
    ],
  },
  {
    name: 'wallet',
    label: 'E-wallet',
    inputs: [input('wallet-type', 'Wallet type', walletType), input('wallet', 'Wallet id', walletId)],
  },
];

/** What was typed, by the name of the control, and what is wrong with it. */
export interface SubmittedInputs {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: ReadonlyMap<string, string>;
}

interface InputRules {
  readonly anyCard: boolean;
  readonly now: number;
}

/** Reads the controls of a form. Nothing but the named ones is looked at. */
export function readInputs(pairs: readonly Pair[], inputs: readonly Input[], rules: InputRules): SubmittedInputs {
  const values: Record<string, string> = {};
  const errors = new Map<string, string>();
  for (const each of inputs) {
    const typed = (pairs.find(([name]) => name === each.name)?.[1] ?? '').trim();
    const value = each === number ? typed.replace(/[\s-]/g, '') : typed;
    const missing = each.isOptional === true ? undefined : each.missing;
    const error = value === '' ? missing : inputFault(each, value, rules);
    if (error !== undefined) errors.set(each.name, error);
    if (value !== '') values[each.name] = value;
  }
  return { values, errors };
}

function inputFault(each: Input, value: string, { anyCard, now }: InputRules): string | undefined {
  if (each === expiry) {
    const read = readExpiry(value);
    return read === undefined ? each.wrong : hasExpired(read, now) ? 'The card has expired' : undefined;
  }
  if (checkValue(each.field, value) !== undefined) return each.wrong;
  if (each === number && !anyCard && !isTestNumber(value))
    return 'This is not a published test number, and the sandbox accepts no others';
  return undefined;
}

/** Month and year out of 4/31, 04/31, 0431 or 04/2031; undefined for anything else. */
export function readExpiry(text: string): { readonly month: string; readonly year: string } | undefined {
  const [, month = '', year = ''] =
    /^(0?[1-9]|1[0-2])\s*[/ -]\s*(\d{2}|20\d\d)$/.exec(text) ?? /^(0[1-9]|1[0-2])(\d{2})$/.exec(text) ?? [];
  return month === '' ? undefined : { month: String(Number(month)), year: year.length === 2 ? `20${year}` : year };
}
