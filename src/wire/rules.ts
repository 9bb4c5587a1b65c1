import type { Assume, Operation, Rule } from '../spec/index.js';
import { isDecimal, unitsOf } from './amount.js';
import { isDate } from './time.js';

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

/** The rules of a row that hold under these assumptions. */
export function rulesInForce({ rules }: Operation, assume: Assume): readonly Rule[] {
  return rules.filter(({ when }) => when === undefined || assume[when.switch] === when.value);
}

interface RuleContext {
  /** Values that are not empty, by field key; fields in force only. */
  readonly values: ReadonlyMap<string, string>;
  /** Keys of the fields in force. Rules ignore the others, which cannot be sent. */
  readonly inForce: ReadonlySet<string>;
  readonly name: (key: string) => string;
}

/** How a request breaks one rule between its fields. */
export function problemsWith(rule: Rule, { values, inForce, name }: RuleContext): Problem[] {
  const isGiven = (key: string) => values.has(key);
  const sendable = (keys: readonly string[]) => keys.filter((key) => inForce.has(key));
  if (rule.unlessAll?.every(isGiven) === true) return [];
  const names = (keys: readonly string[], word: 'and' | 'or' = 'and') => listed(keys.map(name), word);
  const broken = (keys: readonly string[], why: string): Problem[] => [{ keys, kind: 'rule', why }];
  const absent = (keys: readonly string[]) => sendable(keys).filter((key) => !isGiven(key));
  const missing = (keys: readonly string[], when: string): Problem[] =>
    absent(keys).map((key) => ({ key, kind: 'missing', why: `${name(key)} is missing: it is needed ${when}` }));
  switch (rule.rule) {
    case 'together': {
      const keys = sendable(rule.fields);
      const lacking = absent(keys);
      if (lacking.length === 0 || lacking.length === keys.length) return [];
      const verb = lacking.length === 1 ? 'is' : 'are';
      return broken(keys, `use ${names(keys)} together: ${names(lacking)} ${verb} missing`);
    }
    case 'atLeastOne': {
      const keys = sendable(rule.fields);
      return keys.length === 0 || keys.some(isGiven) ? [] : broken(keys, `at least one of ${names(keys)} is needed`);
    }
    case 'exactlyOne':
      return brokenChoice(rule.groups, { values, inForce, name });
    case 'onlyWith':
      if (!isGiven(rule.field) || rule.others.some(isGiven)) return [];
      return broken(
        [rule.field, ...rule.others],
        `${name(rule.field)} is allowed only with ${names(rule.others, 'or')}`,
      );
    case 'needs':
      return isGiven(rule.field) ? missing(rule.others, `with ${name(rule.field)}`) : [];
    case 'requiredWhen': {
      const value = values.get(rule.field);
      const isAsked = value !== undefined && rule.values.includes(value);
      return isAsked ? missing(rule.fields, `when ${name(rule.field)} is ${value}`) : [];
    }
    case 'notAfter': {
      const word = comparison(values.get(rule.field) ?? '', values.get(rule.other) ?? '');
      const keys = [rule.field, rule.other];
      return word === undefined ? [] : broken(keys, `${name(rule.field)} is ${word} ${name(rule.other)}`);
    }
    case 'forbidden':
      return rule.fields
        .filter(isGiven)
        .map((key) => ({ key, kind: 'rule', why: `${name(key)} is not allowed here: ${rule.why}` }));
  }
}

/** A member is a key, or `key=value`. Groups may share members: those of the chosen group do not count for another. */
function brokenChoice(groups: readonly (readonly string[])[], { values, inForce, name }: RuleContext): Problem[] {
  const keyOf = (member: string) => member.split('=', 1)[0] ?? member;
  const isThere = (member: string) => {
    const key = keyOf(member);
    return key === member ? values.has(key) : `${key}=${values.get(key)}` === member;
  };
  const possible = groups.filter((group) => group.every((member) => inForce.has(keyOf(member))));
  const present = groups.flat().filter(isThere).map(keyOf);
  const fits = (group: readonly string[]) =>
    group.every(isThere) && present.every((key) => group.some((member) => keyOf(member) === key));
  if (possible.length === 0 || possible.some(fits)) return [];
  const label = (member: string) => name(keyOf(member)) + member.slice(keyOf(member).length);
  const choices = possible.map((group) => listed(group.map(label), 'and'));
  const keys = [...new Set(possible.flat().map(keyOf))];
  return [{ keys, kind: 'rule', why: `exactly one of these is needed: ${choices.join(' | ')}` }];
}

/** How the first exceeds the second. A value that is neither a day nor an amount is reported by its own field. */
function comparison(...both: readonly [first: string, second: string]): 'after' | 'more than' | undefined {
  const [first, second] = both;
  if (both.every((text) => text.includes('-') && isDate(text))) return first > second ? 'after' : undefined;
  // A float would lose digits.
  return both.every(isDecimal) && unitsOf(first) > unitsOf(second) ? 'more than' : undefined;
}

function listed(names: readonly string[], word: 'and' | 'or'): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}
