import { fail, isPaycliError } from '../../errors/index.js';
import { compose } from '../../payments/compose.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import type { Operation } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { flagOf, mayPrompt } from '../command.js';
import type { Typed } from '../core/common-options.js';
import type { Reporter } from '../core/reporter.js';
import type { Fields } from '../format/meaning.js';
import { testPayer } from '../sandbox-session.js';
import type { Session } from '../session.js';
import {
  CollectedFields,
  fieldNamed,
  isCardData,
  problemsOf,
  testCardFields,
  throwProblems,
  unusedFaults,
} from './collect.js';
import { promptMissing } from './prompt.js';

/** Every value of a request with the place it came from, strongest source first. */
export interface Resolved {
  /** By field key. */
  readonly values: Readonly<Record<string, string>>;
  /** By field key, in words: `flag --amount`, `profile shop-test`, `prompt`, `generated`. */
  readonly origins: Readonly<Record<string, string>>;
  /** Pairs that no field of the row has, from --field and --input. */
  readonly extra: readonly Pair[];
  /** Keys filled with a test payer. */
  readonly filledIn: readonly string[];
  readonly endpointId: string;
  /** The status of the order, where the gateway had to be asked for its ids. */
  readonly status: Fields | undefined;
}

/**
 * Collects the fields of one request from flags, card sources, the profile and, on a terminal, the user; then checks
 * all of them. `mayAsk`: the gateway may be asked for the second id of an order. Throws FIELD_MISSING or FIELD_INVALID with
 * everything that is wrong.
 */
export async function resolveFields(
  row: Operation,
  typed: Typed,
  session: Session,
  runtime: Runtime,
  mayAsk: boolean,
): Promise<Resolved> {
  refuseLiveCards(row, typed, session);
  const collected = new CollectedFields();
  collected.faults.push(...unusedFaults(row, typed, session.assume));
  for (const [key, value] of Object.entries(typed.fields)) collected.add(key, value, `flag ${flagOf(key)}`);
  const extra = await addNamed(row, typed, session, collected, runtime);
  const { testCard } = typed.options;
  for (const [key, value] of Object.entries(testCardFields(testCard, row, runtime.clock.now())))
    collected.add(key, value, `test card ${testCard}`);
  const order = row.opens
    ? {}
    : await (await import('../core/order-argument.js')).addOrder(row, typed, collected, { mayAsk, session, runtime });
  // A follow-up on the whole of an order, such as a void, names no currency.
  for (const [key, { value, origin }] of Object.entries(session.defaults))
    if (key in row.fields && (key !== 'currency' || row.opens || collected.values['amount'] !== undefined))
      collected.add(key, value, origin);
  if (row.opens) addOrderId(session, typed, collected, runtime);
  const filledIn = fillIn(row, typed, session, collected);
  if (mayPrompt(typed.options, runtime)) {
    // Report invalid flags before prompting for anything.
    const invalid = problemsOf(row, session, collected).filter(({ kind }) => kind === 'invalid');
    throwProblems(invalid, session, collected);
    const asking = { ...runtime, prompter: () => runtime.prompter(typed.options.color) };
    await promptMissing(row, session, collected, asking);
  }
  const endpointId = session.endpointFor(row, collected.values['currency'] ?? order.currency);
  throwProblems(problemsOf(row, session, collected), session, collected);
  const { values, origins } = collected;
  return { values, origins, extra, filledIn, endpointId, status: order.status };
}

/** Card data in a flag stays in the shell history: refused with a live profile. */
function refuseLiveCards(row: Operation, { options, fields }: Typed, session: Session): void {
  if (session.class !== 'live') return;
  if (options.testCard !== undefined)
    throw fail('FIELD_INVALID', {
      problems: `--test-card is for sandbox and test profiles, and profile ${session.name} is live`,
    });
  const byName = (options.field ?? []).map((text) => fieldNamed(text.split('=', 1)[0] ?? '', row, session.assume));
  if ([...Object.keys(fields), ...byName].some((key) => key !== undefined && isCardData(row, key)))
    throw fail('CARD_ON_COMMAND_LINE');
}

/** The fields of --field and --input; gives the pairs that no field of the row has. */
async function addNamed(
  row: Operation,
  { options, input }: Typed,
  { assume }: Session,
  collected: CollectedFields,
  runtime: Runtime,
): Promise<readonly Pair[]> {
  const { field = [], inputFile, allowUnknownField } = options;
  if (field.length === 0 && inputFile === undefined) return [];
  const { addByName, readInput, readPairs } = await import('./input-json.js');
  const how = { assume, allowUnknown: allowUnknownField === true };
  try {
    const pairs = { entries: readPairs(field), unfitForCards: undefined };
    const byFlag = addByName(pairs, '--field', row, how, collected);
    if (inputFile === undefined) return byFlag;
    const read = input ?? (await readInput(inputFile, options, runtime));
    return [...byFlag, ...addByName(read, '--input', row, how, collected)];
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    collected.faults.push(error);
    return [];
  }
}

/** Generates a client order id for a new order when the user gave none. */
function addOrderId(session: Session, typed: Typed, collected: CollectedFields, runtime: Runtime): void {
  if (collected.values['clientOrderId'] !== undefined) return;
  if (session.class === 'live' && !mayPrompt(typed.options, runtime)) throw fail('ORDER_ID_NEEDED');
  const stamp = new Date(runtime.clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  collected.add('clientOrderId', `pc-${stamp}-${runtime.random.letters(6)}`, 'generated');
}

/** Fills in missing payer fields: in the built-in sandbox, or beside --test-card on profiles that are not live. */
function fillIn(row: Operation, { options }: Typed, session: Session, collected: CollectedFields): readonly string[] {
  const payer = options.testCard === undefined || session.class === 'live' ? session.payer : testPayer;
  const filled: string[] = [];
  for (const { key = '', kind } of problemsOf(row, session, collected)) {
    if (kind !== 'missing' || payer[key] === undefined) continue;
    collected.add(key, payer[key], 'test payer');
    filled.push(key);
  }
  return filled;
}

/** A request ready to be signed, with the values it was composed of. */
export interface Composed {
  readonly unsigned: Unsigned;
  readonly resolved: Resolved;
}

/** Composes the request that the typed flags describe. Throws what `resolveFields` throws. */
export async function composeRequest(
  row: Operation,
  typed: Typed,
  session: Session,
  runtime: Runtime,
  mayAsk: boolean,
): Promise<Composed> {
  const resolved = await resolveFields(row, typed, session, runtime, mayAsk);
  const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
  return { unsigned, resolved };
}

/** Notes values that were made up for a request. Only of one that is sent or shown: nothing else has them. */
export function announce({ filledIn, values, origins }: Resolved, report: Reporter): void {
  if (filledIn.length > 0) report.notes([`fields filled in for a test payer: ${filledIn.length}`]);
  if (origins['clientOrderId'] === 'generated')
    report.notes([`client order id (idempotency key): ${values['clientOrderId'] ?? ''}`]);
}
