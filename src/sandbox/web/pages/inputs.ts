import { type Field, payout, sale } from '../../../spec/index.js';
import { checkValue } from '../../../wire/check.js';
import type { Pair } from '../../../wire/form.js';
import { hasExpired } from '../../../wire/time.js';
import { isTestNumber } from '../../ledger/cards.js';

/** One thing a customer types. `name` is also the id of the control. */
export interface Input {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** What is held against the text, once blanks around it are gone. */
  readonly field: Field;
  readonly missing: string;
  readonly wrong: string;
  readonly autocomplete: string;
  readonly inputmode: 'text' | 'numeric' | 'tel';
  /** The check of the script in the page, by name. */
  readonly check: 'card' | 'expiry' | 'code' | 'text';
  readonly max: number;
  readonly isOptional?: true;
  /** True when the text may stand in the page again after a mistake. */
  readonly isShownAgain?: true | undefined;
}

const number: Input = {
  name: 'number',
  label: 'Card number',
  field: sale.fields.cardNumber,
  missing: 'Enter the card number',
  wrong: 'Check the card number: a digit is wrong or missing',
  autocomplete: 'cc-number',
  inputmode: 'numeric',
  check: 'card',
  max: 23,
};

const holder: Input = {
  name: 'holder',
  label: 'Name on the card',
  field: sale.fields.cardHolder,
  missing: 'Enter the name on the card',
  wrong: 'Enter the name on one line, with at most 128 characters',
  autocomplete: 'cc-name',
  inputmode: 'text',
  check: 'text',
  max: 128,
  isShownAgain: true,
};

/** Month and year in one control, as they stand on the card. */
const expiry: Input = {
  name: 'expiry',
  label: 'Expires',
  hint: 'For example 04/31',
  field: sale.fields.expireYear,
  missing: 'Enter the expiry date',
  wrong: 'Enter month and year, such as 04/31',
  autocomplete: 'cc-exp',
  inputmode: 'numeric',
  check: 'expiry',
  max: 7,
};

const code: Input = {
  name: 'code',
  label: 'Security code',
  hint: '3 or 4 digits',
  field: sale.fields.cvv,
  missing: 'Enter the security code',
  wrong: 'The security code has 3 or 4 digits',
  autocomplete: 'cc-csc',
  inputmode: 'numeric',
  check: 'code',
  max: 4,
};

export const cardInputs: readonly Input[] = [number, holder, expiry, code];

function textInput(name: string, label: string, field: Field, more: Partial<Input> = {}): Input {
  const words = label.toLowerCase();
  return {
    name,
    label,
    field,
    missing: `Enter the ${words}`,
    wrong: `Check the ${words}: at most ${field.max ?? 15} characters on one line`,
    autocomplete: 'off',
    inputmode: 'text',
    check: 'text',
    max: field.max ?? 128,
    isShownAgain: true,
    ...more,
  };
}

export interface Destination {
  readonly name: string;
  readonly label: string;
  readonly inputs: readonly Input[];
}

/** A39: where a payout can go, each with what it needs. */
export const destinations: readonly Destination[] = [
  { name: 'card', label: 'Card', inputs: [number, { ...holder, isOptional: true }] },
  {
    name: 'bank',
    label: 'Bank account',
    inputs: [
      textInput('account', 'Account number', payout.fields.accountNumber, {
        inputmode: 'numeric',
        isShownAgain: undefined,
      }),
      textInput('account-name', 'Account holder', payout.fields.accountName, {
        autocomplete: 'name',
        isOptional: true,
      }),
      textInput('bank', 'Bank', payout.fields.bankName),
      textInput('branch', 'Branch', payout.fields.bankBranch),
    ],
  },
  {
    name: 'phone',
    label: 'Phone',
    inputs: [
      textInput('phone', 'Phone number', payout.fields.receiverPhone, {
        autocomplete: 'tel',
        inputmode: 'tel',
        max: 15,
        wrong: 'Check the phone number: 6 to 15 digits, spaces or + - ( )',
      }),
      textInput('phone-bank', 'Code of the bank linked to the phone', payout.fields.bankId),
    ],
  },
  {
    name: 'wallet',
    label: 'E-wallet',
    inputs: [
      textInput('wallet-type', 'Wallet type', payout.fields.walletType),
      textInput('wallet', 'Wallet id', payout.fields.walletId),
    ],
  },
];

/** The destination a customer chose; the first one when nothing, or nothing known, was chosen. */
export function destinationNamed(name: string | undefined): Destination | undefined {
  return destinations.find((each) => each.name === name);
}

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
  for (const input of inputs) {
    const typed = (pairs.find(([name]) => name === input.name)?.[1] ?? '').trim();
    const value = input.check === 'card' ? typed.replace(/[\s-]/g, '') : typed;
    const error = value === '' ? (input.isOptional ? undefined : input.missing) : inputFault(input, value, rules);
    if (error !== undefined) errors.set(input.name, error);
    if (value !== '') values[input.name] = value;
  }
  return { values, errors };
}

function inputFault(input: Input, value: string, { anyCard, now }: InputRules): string | undefined {
  if (input.check === 'expiry') return expiryFault(input, value, now);
  if (checkValue(input.field, value) !== undefined) return input.wrong;
  if (input.check === 'card' && !anyCard && !isTestNumber(value))
    return 'This is not a published test number, and the sandbox accepts no others';
  return undefined;
}

function expiryFault(input: Input, value: string, now: number): string | undefined {
  const read = readExpiry(value);
  if (read === undefined) return input.wrong;
  return hasExpired(read, now) ? 'The card has expired' : undefined;
}

/** Month and year out of 4/31, 04/31, 0431 or 04/2031; undefined for anything else. */
export function readExpiry(text: string): { readonly month: string; readonly year: string } | undefined {
  const [, month = '', year = ''] =
    /^(0?[1-9]|1[0-2])\s*[/ -]\s*(\d{2}|20\d\d)$/.exec(text) ?? /^(0[1-9]|1[0-2])(\d{2})$/.exec(text) ?? [];
  return month === '' ? undefined : { month: String(Number(month)), year: year.length === 2 ? `20${year}` : year };
}
