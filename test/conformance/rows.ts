import {
  allOperations,
  assumeDefaults,
  type Field,
  kindOf,
  type OperationId,
  operations,
  type Rule,
} from '../../src/spec/index.js';
import { samples } from '../support/samples.js';
import type { Values } from './signer.js';

/**
 * What the suite takes from the table: which operations, fields and rules there are, and samples of kinds. Never how to
 * sign.
 */
export const ids: readonly OperationId[] = operations.map(({ id }) => id);

export interface WireField extends Field {
  readonly key: string;
  /** Most characters. */
  readonly limit: number;
}

/** The fields of an operation while every switch has its default. */
export function fieldsOf(id: OperationId): readonly WireField[] {
  const row = allOperations.find((candidate) => candidate.id === id);
  return Object.entries(row?.fields ?? {})
    .filter(([, { when }]) => when === undefined || assumeDefaults[when.switch] === when.value)
    .map(([key, field]) => ({ ...field, key, limit: field.max ?? kindOf(field.kind).max }));
}

export function badSamples({ kind }: Field): readonly string[] {
  return samples[kind].bad;
}

const chosen: Readonly<Record<string, string>> = {
  state: 'CA',
  amount: '10.42',
  'amount-from': '1.00',
  'amount-to': '10.42',
  period: 'weekly',
};

export function goodSample({ wire, kind, values }: Field): string {
  return chosen[wire] ?? values?.[0] ?? samples[kind].good[0] ?? 'x';
}

export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** One way of breaking a rule: values taken out (undefined) or put in, and the words of the refusal. */
export interface Breach {
  readonly name: string;
  readonly changes: Readonly<Record<string, string | undefined>>;
  readonly reason: RegExp;
  /** True when each of these fields may be there alone. */
  readonly isFreeAlone?: true;
}

/** Each rule of an operation broken in each of its ways. */
export function breachesOf(id: OperationId): readonly Breach[] {
  const fields = fieldsOf(id);
  const rules = allOperations.find((candidate) => candidate.id === id)?.rules ?? [];
  const fieldAt = (key: string): WireField => {
    const field = fields.find((candidate) => candidate.key === key);
    if (field === undefined) throw new Error(`${id} has no ${key} in force`);
    return field;
  };
  return rules.flatMap((rule) => breachesOfRule(rule, fieldAt));
}

type FieldAt = (key: string) => WireField;
type Changes = Breach['changes'];

function breachesOfRule(rule: Rule, fieldAt: FieldAt): Breach[] {
  const wire = (key: string) => fieldAt(key).wire;
  const put = (...keys: string[]): Changes =>
    Object.fromEntries(keys.map((key) => [wire(key), goodSample(fieldAt(key))]));
  const out = (...keys: string[]): Changes => Object.fromEntries(keys.map((key) => [wire(key), undefined]));
  switch (rule.rule) {
    case 'together':
      return rule.fields.map((key) => ({
        name: `together without ${wire(key)}`,
        changes: { ...put(...rule.fields), ...out(key) },
        reason: new RegExp(` together: ${literally(wire(key))} is missing`),
      }));
    case 'atLeastOne':
      return [{ name: 'atLeastOne with none', changes: out(...rule.fields), reason: /at least one of .* is needed/ }];
    case 'exactlyOne':
      return breachesOfChoice(rule.groups, fieldAt);
    case 'onlyWith':
      return [
        {
          name: `${wire(rule.field)} without ${rule.others.map(wire).join(', ')}`,
          changes: { ...put(rule.field), ...out(...rule.others) },
          reason: new RegExp(
            `(?:^|; )${literally(wire(rule.field))} is allowed only with ${literally(rule.others.map(wire).join(' or '))}`,
          ),
        },
      ];
    case 'needs':
      return rule.others.map((key) => ({
        name: `${wire(rule.field)} without ${wire(key)}`,
        changes: { ...put(rule.field), ...out(key) },
        reason: new RegExp(
          `(?:^|; )${literally(wire(key))} is missing: it is needed with ${literally(wire(rule.field))}`,
        ),
      }));
    case 'requiredWhen':
      return rule.values.flatMap((value) =>
        rule.fields.map((key) => ({
          name: `${wire(rule.field)} ${value} without ${wire(key)}`,
          changes: { [wire(rule.field)]: value, ...out(key) },
          reason: new RegExp(
            `(?:^|; )${literally(wire(key))} is missing: it is needed when ${literally(wire(rule.field))} is ${literally(value)}`,
          ),
        })),
      );
    case 'notAfter':
      return [
        {
          name: `${wire(rule.field)} behind ${wire(rule.other)}`,
          changes: { ...put(rule.field, rule.other), ...behind(fieldAt(rule.field), fieldAt(rule.other)) },
          reason: new RegExp(
            `(?:^|; )${literally(wire(rule.field))} is (?:after|more than) ${literally(wire(rule.other))}`,
          ),
          isFreeAlone: true,
        },
      ];
    case 'forbidden':
      return rule.fields.map((key) => ({
        name: `forbidden ${wire(key)}`,
        changes: put(key),
        reason: new RegExp(`(?:^|; )${literally(wire(key))} is not allowed here: `),
      }));
  }
}

/** Two values in the wrong order. */
function behind(field: WireField, other: WireField): Breach['changes'] {
  const [later, earlier] = field.kind === 'date' ? ['2030-02-01', '2030-01-31'] : ['10.00', '9.99'];
  return { [field.wire]: later, [other.wire]: earlier };
}

function breachesOfChoice(groups: readonly (readonly string[])[], fieldAt: FieldAt): Breach[] {
  const memberOf = (text: string): readonly [string, string] => {
    const [key = '', value] = text.split('=');
    const field = fieldAt(key);
    return [field.wire, value ?? goodSample(field)];
  };
  const named = groups.map((group) => group.map(memberOf));
  const nothing: Changes = Object.fromEntries(named.flat().map(([wire]) => [wire, undefined]));
  const reason = /exactly one of these is needed: /;
  const words = (group: readonly (readonly [string, string])[]) => group.map(([wire]) => wire).join('+');
  const pairs = named.flatMap((one, at) => named.slice(at + 1).map((two) => [one, two] as const));
  return [
    { name: `none of ${named.map(words).join(' | ')}`, changes: nothing, reason },
    ...pairs.map(([one, two]) => ({
      name: `both ${words(one)} and ${words(two)}`,
      changes: { ...nothing, ...Object.fromEntries([...one, ...two]) },
      reason,
    })),
    ...named.flatMap((group) =>
      group.length < 2
        ? []
        : group.map(([missing]) => ({
            name: `${words(group)} without ${missing}`,
            changes: { ...nothing, ...Object.fromEntries(group), [missing]: undefined },
            reason,
          })),
    ),
  ];
}

/** Values with some of them replaced, put in, or taken out. */
export function changed(values: Values, changes: Changes): Values {
  const merged = { ...values, ...changes };
  return Object.fromEntries(
    Object.entries(merged).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
