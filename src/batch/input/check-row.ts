import { isPaycliError } from '../../errors/index.js';
import type { Sum } from '../../journal/port.js';
import { type Assume, kindOf, type Operation } from '../../spec/index.js';
import { readSum } from '../../wire/amount.js';
import { checkRequest } from '../../wire/check.js';
import { maskStart, withoutCardNumbers } from '../../wire/mask.js';
import { exposedSecrets } from '../../wire/secret-names.js';
import type { BatchPlace } from '../plan.js';
import type { Fault } from './source.js';

/** What a profile provides for rows: where they go, and defaults of fields. */
export interface GatewayProfile extends BatchPlace {
  readonly assume: Assume;
  /** By field key, for rows without the field. */
  readonly defaults: Readonly<Record<string, string>>;
  /** The same, only where a row would lack something otherwise. */
  readonly payer: Readonly<Record<string, string>>;
  endpointFor(currency: string | undefined): string;
}

/** The values of a row of a file, by field key. */
export interface InputRow {
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
  /** How the file names a field. */
  readonly name: (key: string) => string;
}

export interface CheckedRow {
  readonly values: Readonly<Record<string, string>>;
  readonly endpointId: string;
  readonly sum: Sum | undefined;
  readonly faults: readonly Fault[];
}

/** Checks a row as the command of its operation checks its flags. */
export function checkRow(given: InputRow, gateway: GatewayProfile): CheckedRow {
  const { line, name } = given;
  const { row, assume, payer } = gateway;
  // The login comes from the profile and stands in the request where A05 says so.
  const { currency: _, ...others } = gateway.defaults;
  // A follow-up on the whole of an order, such as a void, names no currency.
  const defaults = row.opens || given.values['amount'] !== undefined ? gateway.defaults : others;
  let values: Readonly<Record<string, string>> = { ...defaults, ...given.values, login: gateway.place.login };
  const endpointId = endpointOf(values['currency'], gateway);
  if (endpointId === undefined) {
    const why = `the profile has no endpoint id for this ${row.command} and its ${name('currency')}`;
    const fault = { line, ...idsOfRow(values), field: name('currency'), why };
    return { values, endpointId: '', sum: undefined, faults: [fault] };
  }
  const problemsOf = () => [
    ...checkRequest(row, values, { assume, endpointId, name }),
    ...exposedSecrets(row, values, name),
  ];
  let problems = problemsOf();
  const filled = problems.flatMap(({ kind, key = '' }) =>
    kind === 'missing' && payer[key] !== undefined ? [[key, payer[key]]] : [],
  );
  if (filled.length > 0) {
    values = { ...values, ...Object.fromEntries(filled) };
    problems = problemsOf();
  }
  const faults = [
    ...problems.map(({ key, why }): Fault => ({ line, ...(key === undefined ? {} : { field: name(key) }), why })),
    ...spreadsheetDamage(given),
  ].map((fault) => ({ ...fault, ...idsOfRow(values) }));
  const sum = readSum(values['amount'], values['currency'] ?? '', assume['minor-digits'], endpointId);
  return { values, endpointId, sum, faults };
}

const longestId = 64;

/** The order ids of a row, for messages; a card number in the wrong column is left out. */
export function idsOfRow(values: Readonly<Record<string, string>>): Pick<Fault, 'clientOrderId' | 'orderId'> {
  const shown = (key: 'clientOrderId' | 'orderId') => {
    const text = values[key];
    if (text === undefined || text === '') return {};
    const safe = withoutCardNumbers(text).replaceAll(/[\r\n\t]/g, ' ');
    return { [key]: safe.length > longestId ? `${safe.slice(0, longestId)}…` : safe };
  };
  return { ...shown('clientOrderId'), ...shown('orderId') };
}

function endpointOf(currency: string | undefined, gateway: GatewayProfile): string | undefined {
  try {
    return gateway.endpointFor(currency);
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

const scientific = /^[+-]?\d+[.,]\d+E\+?\d+$/i;

/**
 * Long numbers of which a spreadsheet kept the first digits only. Other checks may pass them: an account may look like
 * anything.
 */
function spreadsheetDamage({ line, values, name }: InputRow): Fault[] {
  return Object.keys(values)
    .filter((key) => scientific.test(values[key] ?? ''))
    .map((key) => ({
      line,
      field: name(key),
      why: `${name(key)} was shortened by a spreadsheet, and its last digits are lost; export it again with that column as text`,
    }));
}

const destinations: readonly (readonly [key: string, what: string, isOpen?: 'open'])[] = [
  ['destinationCardNumber', 'card'],
  ['destinationRecurringId', 'token', 'open'],
  ['destinationCardRefId', 'card ref', 'open'],
  ['accountNumber', 'account'],
  ['receiverPhone', 'phone'],
  ['walletId', 'wallet'],
  ['cardNumber', 'card'],
  ['cardRefId', 'card ref', 'open'],
  ['orderId', 'order', 'open'],
  ['clientOrderId', 'order', 'open'],
];

/** Who gets the money of a row or what it is about, as people may see it. */
export function destinationOf(values: Readonly<Record<string, string>>): string {
  for (const [key, what, isOpen] of destinations) {
    const text = values[key];
    if (text !== undefined && text !== '') return `${what} ${isOpen === undefined ? maskStart(text) : text}`;
  }
  return '';
}

/**
 * The keys of a row that a plan stores, in an order that never changes: no card number, expiry date, security code or
 * login.
 */
export function storableKeys(row: Operation): readonly string[] {
  return Object.entries(row.fields)
    .filter(([key, { kind }]) => key !== 'login' && !['card', 'secret'].includes(kindOf(kind).secrecy))
    .map(([key]) => key)
    .sort();
}
