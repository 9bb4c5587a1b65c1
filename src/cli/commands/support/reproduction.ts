import { shellWord } from '../../../errors/index.js';
import type { Request } from '../../../journal/port.js';
import type { Assume, Operation, Rule } from '../../../spec/index.js';
import { fieldsInForce } from '../../../wire/check.js';
import { rulesInForce } from '../../../wire/rules.js';
import { flagOf } from '../../command.js';
import { isFromProfile } from '../../flags.js';

/** The values of a request that the journal has, by field key, in the form of the body. */
export type KnownValues = Readonly<Record<string, string | undefined>>;

/** What a request may have been: the fields it had by key, with the value of those for which a rule demands one. */
type Way = ReadonlyMap<string, string | undefined>;

/** How to make a request again of which a value is not stored. */
export interface Remaking {
  /** Names of what is not stored, for each way. */
  readonly missing: readonly (readonly string[])[];
  /** The words of each command after its name and order: flags, with a word in capitals for what is not stored. */
  readonly words: readonly (readonly string[])[];
}

/**
 * What it takes to make a request again. There are several ways where the journal does not tell who was paid or what
 * was charged: one for each choice the rules of the operation leave.
 */
export function remakingOf(row: Operation, request: Request, known: KnownValues, assume: Assume): Remaking {
  const fields = fieldsInForce(row, assume).filter(([key]) => !isFromProfile(key) && !isId(key));
  const certain = fields.filter(([key, { need }]) => need === 'required' || known[key] !== undefined);
  let ways: readonly Way[] = [new Map(certain.map(([key]) => [key, undefined]))];
  for (const rule of rulesInForce(row, assume))
    ways = ways.flatMap((way) => choicesOf(rule, row, request).map((more) => new Map([...way, ...more])));
  const had = ways.map((way) => fields.filter(([key]) => way.has(key)));
  return {
    missing: had.map((all) => all.filter(([key]) => known[key] === undefined).map(([, { wire }]) => wire)),
    words: had.map((all, at) => all.flatMap(([key]) => wordsOf(key, known[key] ?? ways[at]?.get(key)))),
  };
}

function isId(key: string): boolean {
  return key === 'orderId' || key === 'clientOrderId';
}

const nothing: readonly Way[] = [new Map()];

/** What one rule adds to a request: a set of fields for each choice it leaves. */
function choicesOf(rule: Rule, row: Operation, request: Request): readonly Way[] {
  if (rule.rule === 'exactlyOne') return rule.groups.map(memberMap).filter((way) => isPossible(way, rule, request));
  if (rule.rule === 'needs' && rule.field === 'cardNumber' && request.card4 !== undefined)
    return [new Map(rule.others.map((key) => [key, undefined]))];
  if (rule.rule !== 'requiredWhen') return nothing;
  const values = row.fields[rule.field]?.values;
  // Whoever fills in a value that is not one of a list is told what it needs besides.
  if (values === undefined) return nothing;
  return values.map((value) => {
    const others = rule.values.includes(value) ? rule.fields : [];
    return new Map([[rule.field, value], ...others.map((key) => [key, undefined] as const)]);
  });
}

function memberMap(group: readonly string[]): Way {
  return new Map(group.map((member) => member.split('=')).map(([key = '', value]) => [key, value]));
}

/** The journal has the end of a card number and the amount of every request that had them. */
function isPossible(way: Way, { groups }: Extract<Rule, { rule: 'exactlyOne' }>, request: Request): boolean {
  const stored: readonly (readonly [string, boolean])[] = [
    ['cardNumber', request.card4 !== undefined],
    ['amount', request.sum !== undefined],
  ];
  return stored.every(([key, had]) => !groups.some((group) => group.includes(key)) || way.has(key) === had);
}

function wordsOf(key: string, value: string | undefined): readonly string[] {
  const flag = flagOf(key);
  return [flag, value === undefined ? flag.slice('--'.length).toUpperCase() : shellWord(value, 'VALUE')];
}
