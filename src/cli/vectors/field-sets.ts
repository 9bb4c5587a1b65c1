import type { Assume, Operation, Rule } from '../../spec/index.js';
import { fieldsInForce, type Problem, rulesInForce } from '../../wire/check.js';

/** Fields of one request that go together, by key. */
export interface FieldSet {
  readonly keys: readonly string[];
  /** Values a rule demands. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** As many fields as go together: one set for each choice that the rules of the operation leave. */
export function fullSets(row: Operation, assume: Assume): readonly FieldSet[] {
  const rules = rulesInForce(row, assume);
  const choices = rules.filter(isExactlyOne);
  const count = Math.max(1, ...choices.map(({ groups }) => groups.length));
  return Array.from({ length: count }, (_, at) => {
    const chosen = choose(choices, at);
    const excluded = excludedBeside(chosen.keys, rules);
    const keys = fieldsInForce(row, assume).map(([key]) => key);
    return { ...chosen, keys: keys.filter((key) => !excluded.has(key)) };
  });
}

/** The fewest: what is required, with whatever else `problemsOf` says that these then need. */
export function requiredSet(row: Operation, assume: Assume, problemsOf: (set: FieldSet) => readonly Problem[]): FieldSet {
  const chosen = choose(rulesInForce(row, assume).filter(isExactlyOne), 0);
  const required = fieldsInForce(row, assume).flatMap(([key, { need }]) => (need === 'required' ? [key] : []));
  let set: FieldSet = { ...chosen, keys: [...required, ...chosen.keys] };
  for (;;) {
    const [problem] = problemsOf(set);
    const key = problem?.key ?? problem?.keys?.at(-1);
    if (key === undefined || set.keys.includes(key)) return set;
    set = { ...set, keys: [...set.keys, key] };
  }
}

type ExactlyOne = Extract<Rule, { rule: 'exactlyOne' }>;

function isExactlyOne(rule: Rule): rule is ExactlyOne {
  return rule.rule === 'exactlyOne';
}

/** The members of one group of each choice. */
function choose(choices: readonly ExactlyOne[], at: number): FieldSet {
  const members = choices.flatMap(({ groups }) => groups[at % groups.length] ?? []).map((member) => member.split('='));
  const fixed = members.flatMap(([key = '', value]) => (value === undefined ? [] : [[key, value] as const]));
  return { keys: members.map(([key = '']) => key), fixed: Object.fromEntries(fixed) };
}

function excludedBeside(chosen: readonly string[], rules: readonly Rule[]): ReadonlySet<string> {
  const excluded = new Set<string>();
  for (const rule of rules) {
    if (rule.rule === 'forbidden') for (const key of rule.fields) excluded.add(key);
    if (!isExactlyOne(rule)) continue;
    const keys = rule.groups.flat().map((member) => member.split('=')[0] ?? '');
    for (const key of keys) if (!chosen.includes(key)) excluded.add(key);
  }
  for (const rule of rules) if (rule.rule === 'onlyWith' && rule.others.every((key) => excluded.has(key))) excluded.add(rule.field);
  return excluded;
}
