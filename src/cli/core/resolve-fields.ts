import { fail, type PaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { kindOf, type Operation } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { cardKeys, readCardFields, testCardFields, testCardNamed } from './card-source.js';
import { CollectedFields, hasMistake, problemsOf, throwProblems } from './collected-fields.js';
import { readFieldFlags } from './field-flags.js';
import { flagOf, sendingFlagProblem } from './flags.js';
import type { OrderSource } from './follow-up-order.js';
import { type CommonOptions, mayPrompt, type Typed } from './options.js';
import { promptMissing } from './prompt-fields.js';
import { repeatedFlags } from './repeated-flags.js';
import type { Session } from './session.js';
import { testPayer } from './test-payer.js';
import { orderNamed, unusedFaults } from './unused-fields.js';

/** Every value of a request with the place it came from, strongest source first. */
export interface Resolved {
  /** By field key. */
  readonly values: Readonly<Record<string, string>>;
  /** By field key, in words: `flag --amount`, `profile shop-test`, `prompt`, `generated`. */
  readonly origins: Readonly<Record<string, string>>;
  /** Pairs that no field of the row has, from --field and --input. */
  readonly extra: readonly Pair[];
  /** Keys filled with a test payer: that of the built-in sandbox, or of --test-payer. */
  readonly filledIn: readonly string[];
  /** See `CollectedFields`. */
  readonly remarks: readonly string[];
  readonly endpointId: string;
}

/**
 * Collects the fields of one request from flags, card sources, the profile and, on a terminal, the user; then checks
 * all of them. `orderSources` says where the second id of an order may come from. Throws FIELD_MISSING or
 * FIELD_INVALID with everything that is wrong.
 */
export async function resolveFields(
  row: Operation,
  typed: Typed,
  session: Session,
  runtime: Runtime,
  orderSources: readonly OrderSource[] = [],
): Promise<Resolved> {
  refuseLiveCards(row, typed, session);
  const collected = new CollectedFields();
  collected.faults.push(...unusedFaults(row, typed, session.assume), ...flagFaults(row, typed.options));
  for (const [key, value] of Object.entries(typed.fields)) collected.add(key, value, `flag ${flagOf(key)}`);
  for (const [key, value] of Object.entries(orderNamed(row, typed))) collected.add(key, value, 'argument');
  const byFlag = await readFieldFlags(row, typed, session, collected, runtime);
  await collected.collectError(cardKeys, () => addCard(row, typed, collected, runtime));
  const extra = [...byFlag, ...(await addInput(row, typed, session, collected, runtime))];
  const promptRuntime = mayPrompt(typed.options, runtime)
    ? { ...runtime, prompter: () => runtime.prompter(typed.options.color) }
    : undefined;
  let orderCurrency: string | undefined;
  if (!row.opens) {
    if (promptRuntime !== undefined && !hasMistake(row, session, collected)) {
      const { chooseOrder } = await import('./choose-order.js');
      await chooseOrder(row, collected, orderSources.includes('status'), session, promptRuntime);
    }
    const { completeOrder, currencyOfOrder } = await import('./follow-up-order.js');
    const repeated = repeatedFlags(row, typed, collected.values);
    await completeOrder(row, collected, orderSources, session, runtime, repeated);
    if (row.effect !== 'read' && orderSources.includes('journal'))
      orderCurrency = await currencyOfOrder(row, collected, session, runtime);
  }
  // A follow-up on the whole of an order, such as a void, names no currency.
  for (const [key, { value, origin }] of Object.entries(session.defaultsFor(row)))
    if (key !== 'currency' || row.opens || collected.values['amount'] !== undefined) collected.add(key, value, origin);
  if (row.opens) addOrderId(session, typed, collected, runtime);
  const filledIn = fillIn(row, typed, session, collected);
  if (promptRuntime !== undefined) {
    // Report invalid flags before prompting for anything.
    throwProblems(
      problemsOf(row, session, collected).filter(({ kind }) => kind === 'invalid'),
      { row, session, collected },
    );
    await promptMissing(row, session, collected, promptRuntime);
  }
  const endpointId = session.endpointFor(row, collected.values['currency'] ?? orderCurrency);
  throwProblems(problemsOf(row, session, collected), { row, session, collected });
  return {
    values: collected.values,
    origins: collected.origins,
    extra,
    filledIn,
    remarks: collected.remarks,
    endpointId,
  };
}

/** Card data in a flag stays in the shell history: refused with a live profile. */
function refuseLiveCards(row: Operation, typed: Typed, session: Session): void {
  if (session.class !== 'live') return;
  const live = { profile: session.name, command: row.command };
  if (typed.options.testCard !== undefined) throw fail('testCardOnLive', live);
  if (typed.options.testPayer === true) throw fail('testPayerOnLive', live);
  const byWire = (typed.options.field ?? []).map(
    (text) => Object.entries(row.fields).find(([, field]) => text.startsWith(`${field.wire}=`))?.[0],
  );
  if ([...Object.keys(typed.fields), ...byWire].some((key) => key !== undefined && isCardData(row, key)))
    throw fail('CARD_ON_COMMAND_LINE');
}

/** A card number or a CVV. An opaque field is masked because its content is unknown, not because it is card data. */
export function isCardData(row: Operation, key: string): boolean {
  const field = row.fields[key];
  return field !== undefined && field.kind !== 'opaque' && ['card', 'secret'].includes(kindOf(field.kind).secrecy);
}

/** Mistakes in flags that are not fields. */
function flagFaults({ command }: Operation, { expect, timeout, waitTimeout }: CommonOptions): PaycliError[] {
  const given = { '--expect': expect, '--timeout': timeout, '--wait-timeout': waitTimeout };
  return Object.entries(given).flatMap(([flag, text]) => {
    const why = sendingFlagProblem(flag, text);
    return why === undefined ? [] : [fail('USAGE', { why, command })];
  });
}

async function addCard(row: Operation, typed: Typed, collected: CollectedFields, runtime: Runtime): Promise<void> {
  const { testCard, cardFile, cardFd } = typed.options;
  if ([testCard, cardFile, cardFd].filter((source) => source !== undefined).length > 1)
    throw fail('severalCardSources', { command: row.command });
  if (testCard !== undefined) addTestCard(testCard, row, collected, runtime);
  if (cardFile === undefined && cardFd === undefined) return;
  const fields = await readCardFields({ file: cardFile, descriptor: cardFd }, row, runtime);
  for (const [key, value] of Object.entries(fields))
    collected.addGiven(key, value, cardFile === undefined ? 'flag --card-fd' : 'flag --card-file');
}

/** The fields of --input; gives the pairs that no field of the row has. */
async function addInput(
  row: Operation,
  typed: Typed,
  session: Session,
  collected: CollectedFields,
  runtime: Runtime,
): Promise<readonly Pair[]> {
  const { inputFile, allowUnknownField } = typed.options;
  if (inputFile === undefined) return [];
  const { fieldsIn, readInput } = await import('./input-json.js');
  const extra: Pair[] = [];
  await collected.collectError(Object.keys(row.fields), async () => {
    const input = typed.input ?? (await readInput(inputFile, typed.options, row.command, runtime));
    const found = fieldsIn(input, row, session.assume, allowUnknownField === true);
    for (const [key, value] of Object.entries(found.values)) collected.addGiven(key, value, 'input');
    for (const key of found.wrong) collected.excused.add(key);
    collected.faults.push(...found.faults);
    extra.push(...found.extra);
  });
  return extra;
}

function addTestCard(name: string, row: Operation, collected: CollectedFields, runtime: Runtime): void {
  const fields = testCardFields(testCardNamed(name, row), row, runtime.clock.now());
  for (const [key, value] of Object.entries(fields)) collected.add(key, value, `test card ${name}`);
}

/** Generates a client order id for a new order when the user gave none. */
function addOrderId(session: Session, typed: Typed, collected: CollectedFields, runtime: Runtime): void {
  if (collected.values['clientOrderId'] !== undefined) return;
  if (session.class === 'live' && !mayPrompt(typed.options, runtime)) throw fail('ORDER_ID_NEEDED');
  const stamp = new Date(runtime.clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  collected.add('clientOrderId', `pc-${stamp}-${runtime.random.letters(6)}`, 'generated');
}

export const testPayerOrigin = 'test payer';

/**
 * Fills in missing payer fields: from the built-in sandbox, or a test payer for --test-payer and --test-card on
 * profiles that are not live.
 */
function fillIn(row: Operation, typed: Typed, session: Session, collected: CollectedFields): readonly string[] {
  const { testPayer: isWanted, testCard } = typed.options;
  const isFromSession = session.builtin || session.class === 'live' || (isWanted !== true && testCard === undefined);
  const payer = isFromSession ? session.payer : testPayer;
  const filled: string[] = [];
  for (const { key, kind } of problemsOf(row, session, collected)) {
    const value = key === undefined ? undefined : payer[key];
    if (kind !== 'missing' || key === undefined || value === undefined) continue;
    collected.add(key, value, isFromSession ? 'built-in sandbox profile' : testPayerOrigin);
    filled.push(key);
  }
  return filled;
}
