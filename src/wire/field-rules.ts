import type { Assume, Operation, Rule } from '../spec/index.js';
import { isDate } from './value-checks.js';

/**
 * One thing wrong with a request. `why` is a whole clause with the names in it. `missing` and `invalid` name one `key`;
 * a broken rule names all its `keys`, or the one `key` that has to go.
 */
export interface Problem {
  readonly key?: string;
  readonly keys?: readonly string[];
  readonly kind: 'missing' | 'invalid' | 'rule';
  readonly why: string;
}

interface RuleContext {
  /** Values that are not empty, by field key; fields in force only. */
  readonly values: ReadonlyMap<string, string>;
  /** Keys of the fields in force. Rules ignore the others, which cannot be sent. */
  readonly inForce: ReadonlySet<string>;
  readonly name: (key: string) => string;
}

/** The rules of a row that hold under these assumptions. */
export function rulesInForce({ rules }: Operation, assume: Assume): readonly Rule[] {
  return rules.filter(({ when }) => when === undefined || assume[when.switch] === when.value);
}

/** How a request breaks one rule between its fields. */
export function ruleProblems(rule: Rule, context: RuleContext): Problem[] {
  if (rule.unlessAll?.every((key) => context.values.has(key)) === true) return [];
  switch (rule.rule) {
    case 'together':
      return brokenTogether(rule.fields, context);
    case 'atLeastOne':
      return brokenAtLeastOne(rule.fields, context);
    case 'exactlyOne':
      return brokenExactlyOne(rule.groups, context);
    case 'onlyWith':
      return brokenOnlyWith(rule.field, rule.others, context);
    case 'needs':
      return brokenNeeds(rule.field, rule.others, context);
    case 'requiredWhen':
      return brokenRequiredWhen(rule, context);
    case 'notAfter':
      return brokenNotAfter(rule.field, rule.other, context);
    case 'forbidden':
      return rule.fields
        .filter((key) => context.values.has(key))
        .map((key) => ({ key, kind: 'rule', why: `${context.name(key)} is not allowed here: ${rule.why}` }));
  }
}

function brokenTogether(fields: readonly string[], { values, inForce, name }: RuleContext): Problem[] {
  const keys = fields.filter((key) => inForce.has(key));
  const absent = keys.filter((key) => !values.has(key));
  if (absent.length === 0 || absent.length === keys.length) return [];
  const lacks = `${listed(absent.map(name), 'and')} ${absent.length === 1 ? 'is' : 'are'} missing`;
  return [{ keys, kind: 'rule', why: `use ${listed(keys.map(name), 'and')} together: ${lacks}` }];
}

function brokenAtLeastOne(fields: readonly string[], { values, inForce, name }: RuleContext): Problem[] {
  const keys = fields.filter((key) => inForce.has(key));
  if (keys.length === 0 || keys.some((key) => values.has(key))) return [];
  return [{ keys, kind: 'rule', why: `at least one of ${listed(keys.map(name), 'and')} is needed` }];
}

// Groups may share members: those of the chosen group do not count as members of another.
function brokenExactlyOne(all: readonly (readonly string[])[], { values, inForce, name }: RuleContext): Problem[] {
  const named = membersOf(all);
  const isThere = ({ key, value }: Member) => (value === undefined ? values.has(key) : values.get(key) === value);
  const present = named.flat().filter(isThere);
  const isPossible = (group: readonly Member[]) => group.every(({ key }) => inForce.has(key));
  const fits = (group: readonly Member[]) =>
    group.every(isThere) && present.every((each) => group.some(({ key }) => key === each.key)) && isPossible(group);
  if (named.some(fits)) return [];
  const groups = named.filter(isPossible);
  if (groups.length === 0) return [];
  const label = ({ key, value }: Member) => (value === undefined ? name(key) : `${name(key)}=${value}`);
  const choices = groups.map((group) => listed(group.map(label), 'and'));
  const keys = [...new Set(groups.flat().map(({ key }) => key))];
  return [{ keys, kind: 'rule', why: `exactly one of these is needed: ${choices.join(' | ')}` }];
}

// Cached: each request is checked against the same few rules.
const members = new WeakMap<object, readonly (readonly Member[])[]>();

function membersOf(all: readonly (readonly string[])[]): readonly (readonly Member[])[] {
  const found = members.get(all) ?? all.map((group) => group.map(memberOf));
  members.set(all, found);
  return found;
}

interface Member {
  readonly key: string;
  readonly value: string | undefined;
}

function memberOf(text: string): Member {
  const cut = text.indexOf('=');
  return cut === -1 ? { key: text, value: undefined } : { key: text.slice(0, cut), value: text.slice(cut + 1) };
}

function brokenOnlyWith(field: string, others: readonly string[], { values, name }: RuleContext): Problem[] {
  if (!values.has(field) || others.some((key) => values.has(key))) return [];
  return [
    {
      keys: [field, ...others],
      kind: 'rule',
      why: `${name(field)} is allowed only with ${listed(others.map(name), 'or')}`,
    },
  ];
}

function brokenNeeds(field: string, others: readonly string[], { values, inForce, name }: RuleContext): Problem[] {
  if (!values.has(field)) return [];
  return others
    .filter((key) => inForce.has(key) && !values.has(key))
    .map((key) => ({ key, kind: 'missing', why: `${name(key)} is missing: it is needed with ${name(field)}` }));
}

function brokenRequiredWhen(
  rule: Extract<Rule, { rule: 'requiredWhen' }>,
  { values, inForce, name }: RuleContext,
): Problem[] {
  const value = values.get(rule.field);
  if (value === undefined || !rule.values.includes(value)) return [];
  return rule.fields
    .filter((key) => inForce.has(key) && !values.has(key))
    .map((key) => ({
      key,
      kind: 'missing',
      why: `${name(key)} is missing: it is needed when ${name(rule.field)} is ${value}`,
    }));
}

/** Ignores a value that is neither a date nor an amount: the field itself reports that. */
function brokenNotAfter(field: string, other: string, { values, name }: RuleContext): Problem[] {
  const [first = '', last = ''] = [values.get(field), values.get(other)];
  const word = isDay(first) && isDay(last) && first > last ? 'after' : isMore(first, last) ? 'more than' : undefined;
  return word === undefined
    ? []
    : [{ keys: [field, other], kind: 'rule', why: `${name(field)} is ${word} ${name(other)}` }];
}

const dayForm = /^\d{4}-\d\d-\d\d$/;

function isDay(text: string): boolean {
  return dayForm.test(text) && isDate(text);
}

/** Compares amounts of one currency as integers; a float would lose digits. */
function isMore(one: string, two: string): boolean {
  const [first, second] = [tenThousandths(one), tenThousandths(two)];
  return first !== undefined && second !== undefined && first > second;
}

// No currency has more than four digits after the point.
function tenThousandths(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(4, '0'));
}

function listed(names: readonly string[], word: 'and' | 'or'): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}
