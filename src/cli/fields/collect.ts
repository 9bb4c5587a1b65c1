import { fail, isPaycliError, type PaycliError, problemsText } from '../../errors/index.js';
import { type Assume, assumptionNamed, type Field, type Operation } from '../../spec/index.js';
import { checkRequest, fieldsInForce, isOutOfForce } from '../../wire/check.js';
import type { Problem } from '../../wire/rules.js';
import { exposedSecrets } from '../../wire/secret-names.js';
import { flagOf } from '../command.js';
import { isFromProfile } from '../flags.js';
import type { Session } from '../session.js';
import { orderNotNamed } from '../usage.js';
import { cardKeys, hasPayer, testPayer } from './card.js';

/** Values being collected. The first source of a key wins. */
export class CollectedFields {
  readonly values: Record<string, string> = {};
  readonly origins: Record<string, string> = {};
  /** Mistakes in how values were given, reported with the mistakes in the values. */
  readonly faults: PaycliError[] = [];
  /** Fields whose source failed; they are not reported as missing as well. */
  readonly excused = new Set<string>();
  /** What is noted about values: those that another source overrides, and how an id was read. */
  readonly remarks: string[] = [];

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

  /** Like `add`, for a value given for this request: notes when another source overrides it. */
  addGiven(key: string, value: string, origin: string): void {
    const before = this.values[key];
    if (before !== undefined && before !== value)
      this.remarks.push(`${this.origins[key]} overrides ${flagOf(key)} from ${origin}`);
    this.add(key, value, origin);
  }

  /** Runs a step that provides these fields; a user error is kept for later. */
  async collectError(keys: readonly string[], step: () => void | Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.faults.push(error);
      for (const key of keys) this.excused.add(key);
    }
  }
}

/** What is missing or wrong in the values collected so far. */
export function problemsOf(row: Operation, session: Session, collected: CollectedFields): Problem[] {
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

interface FieldContext {
  readonly row: Operation;
  readonly session: Session;
  readonly collected: CollectedFields;
}

/** Throws the problems and the faults of a request as one error. A single mistake keeps its own code and next step. */
export function throwProblems(found: readonly Problem[], { row, session, collected }: FieldContext): void {
  const { faults, excused } = collected;
  const isUnnamed =
    lacksOrder(row, collected) &&
    found.some(({ key, keys = [] }) => (key === undefined ? keys : [key]).every(isOrderKey));
  if (isUnnamed) {
    faults.push(orderNotNamed());
    // The currency comes from the order.
    for (const key of ['orderId', 'clientOrderId', 'currency']) excused.add(key);
  }
  const problems = found.filter(({ key, keys = [] }) =>
    key === undefined ? !keys.some((each) => isAbsent(each, collected)) : !isAbsent(key, collected),
  );
  const [fault] = faults;
  if (fault !== undefined && faults.length + problems.length === 1) throw fault;
  if (faults.length + problems.length === 0) return;
  if (faults.length === 0 && problems.every((problem) => problem.kind === 'missing' && problem.key !== undefined))
    throw fail('FIELD_MISSING', {
      flags: problems.map((problem) => flagOf(problem.key ?? '')).join(', '),
      fillers: fillersFor(problems, row, session),
    });
  const lines = [...faults.map(({ message }) => message), ...problems.map(({ why }) => why)];
  throw fail('FIELD_INVALID', { problems: problemsText(lines) });
}

function isOrderKey(key: string): boolean {
  return key === 'orderId' || key === 'clientOrderId';
}

/** Whether a follow-up has no order yet. */
export function lacksOrder(row: Operation, { values }: CollectedFields): boolean {
  return (
    !row.opens && 'orderId' in row.fields && values['orderId'] === undefined && values['clientOrderId'] === undefined
  );
}

/** Missing for a reason that is already reported. */
function isAbsent(key: string, { values, excused }: CollectedFields): boolean {
  return excused.has(key) && values[key] === undefined;
}

/** What fills in missing fields at once; undefined where each needs its flag. */
function fillersFor(problems: readonly Problem[], row: Operation, session: Session): string | undefined {
  const lacks = (keys: readonly string[]) => problems.some(({ key }) => key !== undefined && keys.includes(key));
  const lacksPayer = hasPayer(row) && lacks(Object.keys(testPayer));
  if (session.class === 'live')
    return lacks(cardKeys) ? 'those of the card with --card-file or --card-fd, as a live profile requires' : undefined;
  if (lacks(['cardNumber'])) return `--test-card approved fills in a card${lacksPayer ? ' and a payer' : ''}`;
  return lacksPayer ? '--test-payer fills in a payer' : undefined;
}

/** Typed values that may turn out unused. */
interface GivenValues {
  readonly fields: Readonly<Record<string, string>>;
  readonly order: string | undefined;
  readonly options: { readonly testCard?: string; readonly cardFile?: string; readonly cardFd?: string };
}

/**
 * Mistakes for given values that would not be sent. Nothing typed is dropped silently: a user who gives a card, a
 * partial amount or an order expects it in the request.
 */
export function unusedFaults(row: Operation, typed: GivenValues, assume: Assume): PaycliError[] {
  const { order, options } = typed;
  const given = { ...typed.fields, ...orderNamed(row, typed) };
  const cards = { '--test-card': options.testCard, '--card-file': options.cardFile, '--card-fd': options.cardFd };
  const hasCard = fieldsInForce(row, assume).some(([key]) => cardKeys.some((card) => card === key));
  const noCard = hasCard ? undefined : whenUnused(row.fields['cardNumber'], assume);
  const why = [
    ...(order !== undefined && !Object.values(given).includes(order) ? [threeIds] : []),
    ...Object.keys(given).map((key) => unusedReason(row, key, assume)),
    ...Object.entries(cards).map(([flag, value]) =>
      value === undefined || noCard === undefined ? undefined : `${flag} ${noCard}`,
    ),
  ];
  return why.flatMap((each) => (each === undefined ? [] : [fail('USAGE', { why: each })]));
}

const threeIds = 'the order argument, --order-id and --client-order-id name one order three times; omit the argument';

/** An argument beside both flags that name an order. */
export function threeIdsForOneOrder(): PaycliError {
  return fail('USAGE', { why: threeIds });
}

/** Which id the order argument is: beside --order-id it can only be the client order id. */
export function orderNamed(
  row: Operation,
  { fields, order }: Pick<GivenValues, 'fields' | 'order'>,
): Readonly<Record<string, string>> {
  if (order === undefined || fields['orderId'] === order) return {};
  if (fields['orderId'] === undefined) return { orderId: order };
  return fields['clientOrderId'] === undefined && 'clientOrderId' in row.fields ? { clientOrderId: order } : {};
}

/** Why a field of the row is not sent under these assumptions; undefined where it is. */
export function unusedReason(row: Operation, key: string, assume: Assume): string | undefined {
  const field = row.fields[key];
  if (field === undefined || isFromProfile(key) || !isOutOfForce(field, assume)) return undefined;
  return `${flagOf(key)} ${whenUnused(field, assume)}`;
}

function whenUnused(field: Field | undefined, assume: Assume): string | undefined {
  if (field?.when === undefined) return undefined;
  const { switch: name, value } = field.when;
  const { id = '', about = '' } = assumptionNamed(name) ?? {};
  return `is only used when ${id} ${name} is ${value}, but it is ${assume[name]}: ${about.replace(/\.$/, '')}`;
}
