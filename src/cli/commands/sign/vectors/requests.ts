import { compose, type Target } from '../../../../payments/compose.js';
import type { Unsigned } from '../../../../signing/index.js';
import type { Assume, Operation, Rule } from '../../../../spec/index.js';
import {
  checkRequest,
  fieldsInForce,
  type Problem,
  protectionOf,
  rulesInForce,
} from '../../../../wire/check-request.js';
import { ruleProblems } from '../../../../wire/field-rules.js';
import type { Pair } from '../../../../wire/form.js';
import { currencyFor, type Seeded, type Style, type ValueContext, valueFor } from './values.js';

export interface VectorRequest {
  readonly id: string;
  /** What it is there to show. */
  readonly about: string;
  readonly style: Style;
  readonly login: string;
  readonly unsigned: Unsigned;
}

const login = 'vector-shop';
const baseUrl = 'https://gateway.example/prefix';

/** Names and values that no operation has. RFC 5849 signs what is sent, whatever it is. */
const unusualFields: readonly Pair[] = [
  ['  blanks ', '  at both ends  '],
  ['empty', ''],
  ['repeated', 'b'],
  ['repeated', 'a'],
  ['repeated', ''],
  ['a b', 'blank'],
  ['a+b', 'plus'],
  ['a%20b', 'escape'],
  ['c@', 'raw it sorts after c2, encoded before it'],
  ['c2', ''],
  ['__proto__', "!*'()~"],
  ['10', 'two\r\nlines'],
  ['realm', 'in the body a field like any other'],
  ['😀', 'שלום'],
];

/** The requests that the vectors of an operation are made of. */
export function requestsFor(row: Operation, assume: Assume, seeded: Seeded): readonly VectorRequest[] {
  const { scheme } = protectionOf(row, assume);
  const make = (
    name: string,
    about: string,
    style: Style,
    given: FieldSet | undefined,
    extra: readonly Pair[] = [],
  ): VectorRequest => {
    const place: ValueContext = { seeded, label: `${row.id}/${scheme}/${name}`, style };
    const target: Target = {
      baseUrl,
      endpointId: String(1000 + seeded.below(`${place.label}/endpoint`, 9000)),
      login,
      assume,
    };
    const values = (set: FieldSet) => valuesOf(row, set, assume, place);
    const problems = (set: FieldSet) =>
      checkRequest(row, { ...values(set), login }, { assume, endpointId: target.endpointId, name: (key) => key });
    const set = given ?? requiredSet(row, assume, problems);
    return { id: place.label, about, style, login, unsigned: compose(row, values(set), extra, target) };
  };
  const isOauth = scheme === 'hmac-sha1' || scheme === 'rsa-sha256';
  return [
    make('required', 'required fields only', 'plain', undefined),
    ...fullSets(row, assume).map((set, at) =>
      make(`full-${at + 1}`, 'all compatible fields, with values that are easily mis-encoded', 'awkward', set),
    ),
    ...(isOauth
      ? [
          make(
            'odd',
            'fields that the operation does not have, with odd names and values',
            'plain',
            undefined,
            unusualFields,
          ),
        ]
      : []),
  ];
}

/** By field key. */
function valuesOf(
  row: Operation,
  { keys, fixed }: FieldSet,
  assume: Assume,
  place: ValueContext,
): Readonly<Record<string, string>> {
  const currency = currencyFor(place);
  const fields = fieldsInForce(row, assume).filter(([key]) => keys.includes(key));
  const made = fields.map(([key, field]) => [key, valueFor(key, field, currency, assume, place)] as const);
  return { ...inOrder(row, assume, Object.fromEntries(made)), ...fixed };
}

/** Values a rule wants in order, which chance has put the other way round, change places. */
function inOrder(
  row: Operation,
  assume: Assume,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const present = new Map(Object.entries(values));
  const turned = rulesInForce(row, assume).flatMap((rule) => {
    if (
      rule.rule !== 'notAfter' ||
      ruleProblems(rule, { values: present, inForce: new Set(present.keys()), name: (key) => key }).length === 0
    )
      return [];
    return [
      [rule.field, values[rule.other] ?? ''],
      [rule.other, values[rule.field] ?? ''],
    ] as const;
  });
  return { ...values, ...Object.fromEntries(turned) };
}

/** Fields of one request that go together, by key. */
interface FieldSet {
  readonly keys: readonly string[];
  /** Values a rule demands. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** As many fields as go together: one set for each choice that the rules of the operation leave. */
function fullSets(row: Operation, assume: Assume): readonly FieldSet[] {
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
function requiredSet(row: Operation, assume: Assume, problemsOf: (set: FieldSet) => readonly Problem[]): FieldSet {
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
  for (const rule of rules)
    if (rule.rule === 'onlyWith' && rule.others.every((key) => excluded.has(key))) excluded.add(rule.field);
  return excluded;
}
