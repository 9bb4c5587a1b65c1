import { suggest } from '../errors/index.js';
import {
  type Assumption,
  allOperations,
  assumeDefaults,
  assumptionNamed,
  assumptions,
  kindOf,
  mayBe,
  type Operation,
  operationNamed,
  type SwitchName,
} from '../spec/index.js';
import { type Minor, readMoney } from '../wire/amount.js';
import { isMapping, type Mapping, nameOf } from './sanitize.js';
import type { ProfileEntries } from './schema.js';
import type { ExplainRow, Sourced } from './settings.js';

/** An endpoint id for one operation, one currency, or one operation in one currency. */
export interface EndpointRule {
  /** As written in the file. */
  readonly key: string;
  readonly origin: string;
  readonly operation: string | undefined;
  readonly currency: string | undefined;
  readonly id: string;
}

/** Reads the keys of `endpoints`: `EUR`, `payout`, `card-ref-create`, `payout/EUR`. */
export function endpointRules(
  entries: Readonly<Record<string, string>>,
  path: readonly string[],
  origin: string,
  problems: string[],
): EndpointRule[] {
  const rules: EndpointRule[] = [];
  for (const [key, id] of Object.entries(entries)) {
    const target = targetOf(key);
    const isRepeated = rules.some(
      ({ operation, currency }) => operation === target?.operation && currency === target?.currency,
    );
    if (target === undefined)
      problems.push(`${nameOf([...path, key])} is neither a currency, an operation nor operation/CURRENCY`);
    else if (isRepeated) problems.push(`${nameOf([...path, key])} is set twice`);
    else rules.push({ ...target, key, id, origin: `${origin}.${key}` });
  }
  return rules;
}

/** The most specific rule that fits; one for the operation wins over one for the currency. */
export function endpointFrom(
  rules: readonly EndpointRule[],
  operation: string,
  currency: string | undefined,
): string | undefined {
  const id = operationOf(operation)?.id;
  const fits = (wantedOperation: string | undefined, wantedCurrency: string | undefined) =>
    rules.find((rule) => rule.operation === wantedOperation && rule.currency === wantedCurrency);
  const both = id === undefined || currency === undefined ? undefined : fits(id, currency);
  const byOperation = id === undefined ? undefined : fits(id, undefined);
  const byCurrency = currency === undefined ? undefined : fits(undefined, currency);
  return (both ?? byOperation ?? byCurrency)?.id;
}

function targetOf(key: string): Pick<EndpointRule, 'operation' | 'currency'> | undefined {
  const isCurrency = (text: string) => kindOf('currency').pattern.test(text);
  if (isCurrency(key)) return { operation: undefined, currency: key };
  const [name = '', currency, ...rest] = key.split('/');
  const operation = operationOf(name)?.id;
  if (operation === undefined || rest.length > 0 || (currency !== undefined && !isCurrency(currency))) return undefined;
  return { operation, currency };
}

// A key of a file is one word, so `card-ref create` is written card-ref-create there.
function operationOf(name: string): Operation | undefined {
  const joined = (command: string) => command.replaceAll(' ', '-');
  return (
    operationNamed(name) ??
    allOperations.find((row) => [row.command, ...(row.aliases ?? [])].map(joined).includes(name))
  );
}

export interface Money {
  /** By the digits of ISO 4217, whatever the profile assumes about minor units. */
  readonly minor: Minor;
  readonly currency: string;
}

/**
 * The largest payment and the largest sum of a day, at most one amount per currency. Without any there is no cap; else
 * a currency that is not named is refused.
 */
export interface Caps {
  readonly maxAmount: readonly Money[];
  readonly maxTotalPerDay: readonly Money[];
  /** Batches ask a second person: always, or on live above these amounts. */
  readonly requireApproval: boolean;
  readonly approvalAbove: readonly Money[];
  readonly rows: readonly ExplainRow[];
}

export const noCaps: Caps = { maxAmount: [], maxTotalPerDay: [], requireApproval: false, approvalAbove: [], rows: [] };

type MoneyKey = 'max-amount' | 'max-total-per-day' | 'approval-above';
type CapKey = MoneyKey | 'require-approval';

/** Reads `max-amount`, `max-total-per-day` and `approval-above`: `500.00 EUR`, or a list of such texts. */
export function capsIn(
  shape: ProfileEntries,
  originOf: (key: CapKey) => string,
  problem: (key: CapKey, why: string) => void,
): Caps {
  const read = (key: MoneyKey) => {
    const money: Money[] = [];
    for (const text of shape[key] ?? []) {
      const one = readMoney(text);
      if (!one.ok) problem(key, one.why);
      else if (money.some(({ currency }) => currency === one.currency)) problem(key, `names ${one.currency} twice`);
      else money.push({ minor: one.minor, currency: one.currency });
    }
    return money;
  };
  const row = (key: CapKey): ExplainRow[] => {
    const found = shape[key];
    const value = typeof found === 'boolean' ? String(found) : found?.join(', ');
    return value === undefined ? [] : [{ key, value, origin: originOf(key), hidden: false }];
  };
  return {
    maxAmount: read('max-amount'),
    maxTotalPerDay: read('max-total-per-day'),
    requireApproval: shape['require-approval'] === true,
    approvalAbove: read('approval-above'),
    rows: (['max-amount', 'max-total-per-day', 'require-approval', 'approval-above'] as const).flatMap(row),
  };
}

export type Assumed = Readonly<Partial<Record<SwitchName, Sourced<string>>>>;

/** Reads `assume`: switches or ids of the register with one of their values. */
export function assumedIn(entries: Mapping, path: readonly string[], origin: string, problems: string[]): Assumed {
  const assumed: Partial<Record<SwitchName, Sourced<string>>> = {};
  for (const [name, raw] of Object.entries(entries)) {
    const key = nameOf([...path, name]);
    const assumption = assumptionNamed(name);
    if (assumption === undefined || !isSwitch(assumption.switch)) {
      problems.push(`${key} is not a switch${suggest(name, names)}; \`paycli assumptions list\` shows them`);
      continue;
    }
    const value = textOf(raw);
    if (value === undefined || !mayBe(assumption, value)) problems.push(`${key}: use ${valuesOf(assumption)}`);
    else if (assumed[assumption.switch] !== undefined)
      problems.push(`${key} is set twice, as ${assumption.switch} and as ${assumption.id}`);
    else assumed[assumption.switch] = { value, origin: `${origin}.${name}` };
  }
  return assumed;
}

function isSwitch(name: string): name is SwitchName {
  return Object.hasOwn(assumeDefaults, name);
}

const names = [...assumptions.map((row) => row.switch), ...assumptions.map((row) => row.id)];

/** `{ JPY: 2, 4001/KWD: 3 }` is written JPY=2,4001/KWD=3 in the register. */
function textOf(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number') return String(raw);
  if (!isMapping(raw)) return undefined;
  return Object.entries(raw)
    .map(([currency, digits]) => `${currency}=${String(digits)}`)
    .join(',');
}

function valuesOf({ default: usual, others, switch: name }: Assumption): string {
  const values = [usual, ...others.filter((other) => !other.startsWith('<'))];
  if (name === 'minor-digits') return `${values.join(', ')} or a mapping such as { JPY: 2, 4001/KWD: 2 }`;
  if (name === 'oauth-window') return 'a whole number of seconds';
  return `one of ${values.join(', ')}`;
}
