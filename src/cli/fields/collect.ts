import { fail, type PaycliError, problemsText, suggest } from '../../errors/index.js';
import { type Assume, assumptionNamed, type Field, kindOf, type Operation, testCards } from '../../spec/index.js';
import { checkRequest, fieldsInForce, isOutOfForce } from '../../wire/check.js';
import type { Problem } from '../../wire/rules.js';
import { exposedSecrets } from '../../wire/secret-names.js';
import { flagOf } from '../command.js';
import type { Typed } from '../core/common-options.js';
import { isFromProfile } from '../flags.js';
import type { Session } from '../session.js';

/** Values being collected. The first source of a key wins. */
export class CollectedFields {
  readonly values: Record<string, string> = {};
  readonly origins: Record<string, string> = {};
  /** Mistakes in how values were given, reported with the mistakes in the values. */
  readonly faults: PaycliError[] = [];

  add(key: string, value: string | undefined, origin: string): void {
    if (value === undefined || Object.hasOwn(this.values, key)) return;
    this.values[key] = value;
    this.origins[key] = origin;
  }

  /** Replaces a value; undefined removes it. */
  replace(key: string, value: string | undefined, origin: string): void {
    delete this.values[key];
    delete this.origins[key];
    this.add(key, value, origin);
  }
}

/** What is missing or wrong in the values collected so far. */
export function problemsOf(row: Operation, session: Session, collected: Pick<CollectedFields, 'values'>): Problem[] {
  const endpointId = session.endpointFor(row, collected.values['currency']);
  // The login comes from the profile and is part of the request where A05 says so.
  const values = { ...collected.values, login: session.login };
  const problems = checkRequest(row, values, { assume: session.assume, endpointId, name: flagOf });
  return [...problems, ...exposedSecrets(row, values, flagOf)];
}

/** Whether a mistake was found already: it is reported before anybody, or the gateway, is asked for the rest. */
export function hasMistake(row: Operation, session: Session, collected: CollectedFields): boolean {
  return collected.faults.length > 0 || problemsOf(row, session, collected).some(({ kind }) => kind === 'invalid');
}

/**
 * Throws the problems and the faults of a request as one error. A single mistake keeps its own code and next step. What
 * is missing may be what a mistake left out, so it is told only where there is none.
 */
export function throwProblems(found: readonly Problem[], session: Session, { faults }: CollectedFields): void {
  const problems = faults.length === 0 ? found : found.filter(({ kind }) => kind === 'invalid');
  const [fault] = faults;
  if (fault !== undefined && faults.length + problems.length === 1) throw fault;
  if (faults.length + problems.length === 0) return;
  if (faults.length === 0 && problems.every((problem) => problem.kind === 'missing' && problem.key !== undefined))
    throw fail('FIELD_MISSING', {
      flags: problems.map((problem) => flagOf(problem.key ?? '')).join(', '),
      fillers: fillersFor(problems, session),
    });
  const lines = [...faults.map(({ message }) => message), ...problems.map(({ why }) => why)];
  throw fail('FIELD_INVALID', { problems: problemsText(lines) });
}

/** What fills in missing fields at once; undefined where each needs its flag. */
function fillersFor(problems: readonly Problem[], session: Session): string | undefined {
  if (!problems.some(({ key = '' }) => key === 'cardNumber')) return undefined;
  return session.class === 'live'
    ? 'those of the card with --input, from a file of mode 0600 or from -'
    : '--test-card approved fills in a card and a payer';
}

/**
 * Mistakes for given values that would not be sent. Nothing typed is dropped silently: a user who gives a card, a
 * partial amount or an order expects it in the request.
 */
export function unusedFaults(row: Operation, { fields, options }: Typed, assume: Assume): PaycliError[] {
  const hasCard = fieldsInForce(row, assume).some(([key]) => cardKeys.some((card) => card === key));
  const noCard = hasCard || options.testCard === undefined ? undefined : whenUnused(row.fields['cardNumber'], assume);
  const why = [
    ...Object.keys(fields).map((key) => unusedReason(row, key, assume)),
    noCard === undefined ? undefined : `--test-card ${noCard}`,
  ];
  return why.flatMap((each) => (each === undefined ? [] : [fail('USAGE', { why: each })]));
}

/** Why a field of the row is not sent under these assumptions; undefined where it is. */
export function unusedReason(row: Operation, key: string, assume: Assume): string | undefined {
  const field = row.fields[key];
  if (field === undefined || isFromProfile(key) || !isOutOfForce(field, assume)) return undefined;
  return `${flagOf(key)} ${whenUnused(field, assume)}`;
}

/** The key of the field that a user may give by this name: on the wire, in code, or as a flag. */
export function fieldNamed(name: string, row: Operation, assume: Assume): string | undefined {
  const fields = fieldsInForce(row, assume).filter(([key]) => !isFromProfile(key));
  return fields.find(([key, { wire }]) => [wire, key, flagOf(key).slice(2)].includes(name))?.[0];
}

/** Why a name is none of those, after the name. */
export function unknownReason(name: string, row: Operation, assume: Assume): string {
  if (isFromProfile(name)) return 'comes from the profile; use --login to override it';
  const unused = Object.entries(row.fields).find(([key, { wire }]) => [wire, key].includes(name))?.[0];
  const why = unused === undefined ? undefined : unusedReason(row, unused, assume);
  if (why !== undefined) return `would not be sent: ${why}`;
  const known = fieldsInForce(row, assume).flatMap(([key, { wire }]) => [wire, key, flagOf(key).slice(2)]);
  return `is not a field of ${row.command}${suggest(name, known, '; --allow-unknown-field sends it anyway')}`;
}

function whenUnused(field: Field | undefined, assume: Assume): string | undefined {
  if (field?.when === undefined) return undefined;
  const { switch: name, value } = field.when;
  const { id = '', about = '' } = assumptionNamed(name) ?? {};
  return `is only used when ${id} ${name} is ${value}, but it is ${assume[name]}: ${about.replace(/\.$/, '')}`;
}

/** The fields that a published test card fills in, by field key; it expires four years after `now` (milliseconds). */
export function testCardFields(
  name: string | undefined,
  row: Operation,
  now: number,
): Readonly<Record<string, string>> {
  const card = testCards.find((candidate) => candidate.name === name);
  if (card === undefined) return {};
  const expireYear = String(new Date(now).getUTCFullYear() + 4);
  const { number: cardNumber, cvv } = card;
  const all = { cardNumber, cvv, cardHolder: 'TEST CARD', expireMonth: '12', expireYear };
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in row.fields));
}

/** A card number or a CVV. An opaque field is masked because its content is unknown, not because it is card data. */
export function isCardData(row: Operation, key: string): boolean {
  const field = row.fields[key];
  return field !== undefined && field.kind !== 'opaque' && ['card', 'secret'].includes(kindOf(field.kind).secrecy);
}

/** The fields of a card, by key. */
export const cardKeys = ['cardNumber', 'cardHolder', 'expireMonth', 'expireYear', 'cvv'] as const;
