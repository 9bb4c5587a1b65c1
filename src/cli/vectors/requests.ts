import { compose, type Target } from '../../payments/compose.js';
import type { Unsigned } from '../../signing/index.js';
import type { Assume, Operation } from '../../spec/index.js';
import { checkRequest, fieldsInForce, protectionOf, rulesInForce } from '../../wire/check.js';
import type { Pair } from '../../wire/form.js';
import { broken } from '../../wire/rules.js';
import { type FieldSet, fullSets, requiredSet } from './field-sets.js';
import type { Seeded } from './seeded.js';
import { currencyFor, type Place, type Style, valueFor } from './values.js';

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
const odd: readonly Pair[] = [
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
  const make = (name: string, about: string, style: Style, given: FieldSet | undefined, extra: readonly Pair[] = []): VectorRequest => {
    const place: Place = { seeded, label: `${row.id}/${scheme}/${name}`, style };
    const target: Target = { baseUrl, endpointId: String(1000 + seeded.below(`${place.label}/endpoint`, 9000)), login, assume };
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
      make(`full-${at + 1}`, 'all fields that go together, easily encoded wrongly', 'awkward', set),
    ),
    ...(isOauth ? [make('odd', 'fields that the operation does not have, with odd names and values', 'plain', undefined, odd)] : []),
  ];
}

/** By field key. */
function valuesOf(row: Operation, { keys, fixed }: FieldSet, assume: Assume, place: Place): Readonly<Record<string, string>> {
  const currency = currencyFor(place);
  const fields = fieldsInForce(row, assume).filter(([key]) => keys.includes(key));
  const made = fields.map(([key, field]) => [key, valueFor(key, field, currency, assume, place)] as const);
  return { ...inOrder(row, assume, Object.fromEntries(made)), ...fixed };
}

/** Values a rule wants in order, which chance has put the other way round, change places. */
function inOrder(row: Operation, assume: Assume, values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const present = new Map(Object.entries(values));
  const turned = rulesInForce(row, assume).flatMap((rule) => {
    if (rule.rule !== 'notAfter' || broken(rule, { values: present, inForce: new Set(present.keys()), name: (key) => key }).length === 0)
      return [];
    return [
      [rule.field, values[rule.other] ?? ''],
      [rule.other, values[rule.field] ?? ''],
    ] as const;
  });
  return { ...values, ...Object.fromEntries(turned) };
}
