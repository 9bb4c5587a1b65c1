import { fail, type PaycliError, problemsText } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { kindOf, type Operation, testCards } from '../../spec/index.js';
import { checkRequest, checkValue, type Problem } from '../../wire/check-request.js';
import type { Pair } from '../../wire/form.js';
import { exposedSecrets } from '../../wire/secret-names.js';
import { cardKeys, readCardFields, testCardFields, testCardNamed } from './card-source.js';
import { CollectedFields, readFieldFlags } from './field-flags.js';
import { flagOf, sendingFlagProblem } from './flags.js';
import type { OrderSource } from './follow-up-order.js';
import type { CommonOptions, Typed } from './options.js';
import { promptOneOf } from './prompt-one-of.js';
import type { Session } from './session.js';
import { testPayer } from './test-payer.js';
import { orderNamed, unusedFaults } from './unused-fields.js';

/**
 * Prompts for one field; `why` says what was wrong with the last answer. Choosing a test card answers several fields.
 * Answers are by field key.
 */
async function promptField(
  key: string,
  row: Operation,
  session: Session,
  values: Readonly<Record<string, string>>,
  runtime: Runtime,
  why?: string,
): Promise<Readonly<Record<string, string>>> {
  const field = row.fields[key];
  if (field === undefined) return {};
  const prompter = await runtime.prompter();
  // Only a sandbox is known to have these cards, and without a security code they have no outcome.
  const hasTestCards = key === 'cardNumber' && session.class === 'sandbox' && 'cvv' in row.fields;
  const testCard = hasTestCards ? await promptTestCard(row, runtime) : undefined;
  if (testCard !== undefined) return testCard;
  const { secrecy, placeholder, isUpperCase = false } = kindOf(field.kind);
  const normalized = (text: string) => (isUpperCase ? text.trim().toUpperCase() : text);
  const answer = await prompter.ask({
    name: key,
    message: why === undefined ? field.meaning : `${field.meaning} (${why})`,
    hint: field.values?.join(', ') ?? placeholder,
    hidden: secrecy === 'secret' || field.kind === 'cardNumber',
    isUpperCase,
    ...(field.values === undefined ? {} : { choices: field.values }),
    check: (typed) => {
      const text = normalized(typed);
      const reason = checkValue(field, text);
      if (reason !== undefined) return reason;
      // An amount has to fit the currency as well, if that is known already.
      const endpointId = session.endpointFor(row, values['currency']);
      const problems = checkRequest(
        row,
        { ...values, [key]: text },
        { assume: session.assume, endpointId, name: flagOf },
      );
      return problems.find((problem) => problem.key === key && problem.kind === 'invalid')?.why;
    },
  });
  return { [key]: normalized(answer) };
}

const otherCard = 'another card';

/** The fields of a test card, chosen by its outcome; undefined where the number is to be typed. */
async function promptTestCard(row: Operation, runtime: Runtime): Promise<Readonly<Record<string, string>> | undefined> {
  const prompter = await runtime.prompter();
  const name = await prompter.ask({
    name: 'test-card',
    message: 'which test card',
    choices: [...testCards.map((card) => card.name), otherCard],
    meanings: {
      ...Object.fromEntries(testCards.map((card) => [card.name, card.about])),
      [otherCard]: 'type its number',
    },
    initial: 'approved',
  });
  if (name === otherCard) return undefined;
  return testCardFields(testCardNamed(name, row), row, runtime.clock.now());
}

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
  /** Given values that another source overrides, as text. */
  readonly overridden: readonly string[];
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
    if (promptRuntime !== undefined && collected.faults.length === 0) {
      const { chooseOrder } = await import('./choose-order.js');
      await chooseOrder(row, collected, orderSources.includes('status'), session, promptRuntime);
    }
    const { completeOrder, currencyOfOrder } = await import('./follow-up-order.js');
    await completeOrder(row, collected, orderSources, session, runtime);
    if (row.effect !== 'read' && orderSources.includes('journal'))
      orderCurrency = await currencyOfOrder(row, collected, session, runtime);
  }
  for (const [key, { value, origin }] of Object.entries(session.defaultsFor(row))) collected.add(key, value, origin);
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
    overridden: collected.overridden,
    endpointId,
  };
}

function problemsOf(row: Operation, session: Session, collected: CollectedFields): Problem[] {
  const endpointId = session.endpointFor(row, collected.values['currency']);
  // The login comes from the profile and is part of the request where A05 says so.
  const values = { ...collected.values, login: session.login };
  const problems = checkRequest(row, values, { assume: session.assume, endpointId, name: flagOf });
  return [...problems, ...exposedSecrets(row, values, flagOf)];
}

/** Card data in a flag stays in the shell history: refused with a live profile. */
function refuseLiveCards(row: Operation, typed: Typed, session: Session): void {
  if (session.class !== 'live') return;
  if (typed.options.testCard !== undefined) throw fail('testCardOnLive', { command: row.command });
  if (typed.options.testPayer === true) throw fail('testPayerOnLive', { command: row.command });
  const isCard = (key: string) => {
    const field = row.fields[key];
    // An opaque field is masked because its content is unknown, not because it is card data.
    return field !== undefined && field.kind !== 'opaque' && ['card', 'secret'].includes(kindOf(field.kind).secrecy);
  };
  const byWire = (typed.options.field ?? []).map(
    (text) => Object.entries(row.fields).find(([, field]) => text.startsWith(`${field.wire}=`))?.[0],
  );
  if ([...Object.keys(typed.fields), ...byWire].some((key) => key !== undefined && isCard(key)))
    throw fail('CARD_ON_COMMAND_LINE');
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

/** True on a terminal, unless --no-input or PAYCLI_NO_INPUT says otherwise. */
export function mayPrompt(options: Pick<CommonOptions, 'input'>, runtime: Runtime): boolean {
  return runtime.terminal.canPrompt && options.input !== false && !isOn(runtime.env['PAYCLI_NO_INPUT']);
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}

/** Asks for what is missing, one field after another; an answer may make another field necessary. */
async function promptMissing(
  row: Operation,
  session: Session,
  collected: CollectedFields,
  runtime: Runtime,
): Promise<void> {
  for (;;) {
    const problems = problemsOf(row, session, collected);
    // An amount that was typed may turn out not to fit the currency that was typed after it.
    const wrong = problems.find(
      ({ kind, key }) => kind === 'invalid' && key !== undefined && collected.origins[key] === 'prompt',
    );
    const next =
      wrong ??
      problems.find(({ kind, key }) => kind === 'missing' && key !== undefined && collected.values[key] === undefined);
    const group = next?.key === undefined ? await promptOneOf(row, session, collected.values, runtime) : undefined;
    const keys = next?.key === undefined ? group?.keys : [next.key];
    if (keys === undefined) return;
    addAnswers(group?.values ?? {}, collected);
    if (wrong?.key !== undefined) collected.replace(wrong.key, undefined, '');
    for (const key of keys)
      addAnswers(await promptField(key, row, session, collected.values, runtime, wrong?.why), collected);
  }
}

function addAnswers(answers: Readonly<Record<string, string>>, collected: CollectedFields): void {
  for (const [key, value] of Object.entries(answers)) collected.add(key, value, 'prompt');
}

interface FieldContext {
  readonly row: Operation;
  readonly session: Session;
  readonly collected: CollectedFields;
}

/** Throws all problems as one error. A single mistake keeps its own code and next step. */
function throwProblems(found: readonly Problem[], { row, session, collected }: FieldContext): void {
  const { faults, excused } = collected;
  const isUnnamed = lacksOrder(row, collected) && found.some(({ kind, key }) => kind === 'missing' && isOrderKey(key));
  if (isUnnamed) {
    faults.push(fail('orderNotNamed', { command: row.command }));
    // The currency comes from the order.
    for (const key of ['orderId', 'clientOrderId', 'currency']) excused.add(key);
  }
  const problems = found.filter(({ key, keys = [] }) =>
    key === undefined ? !keys.some((each) => isAbsent(each, collected)) : !isAbsent(key, collected),
  );
  const [fault] = faults;
  if (fault !== undefined && faults.length + problems.length === 1) throw fault;
  if (faults.length + problems.length === 0) return;
  const { command } = row;
  if (faults.length === 0 && problems.every((problem) => problem.kind === 'missing' && problem.key !== undefined))
    throw fail('FIELD_MISSING', {
      flags: problems.map((problem) => flagOf(problem.key ?? '')).join(', '),
      testCard: fittingTestCard(problems, session),
      command,
    });
  const lines = [...faults.map(({ message }) => message), ...problems.map(({ why }) => why)];
  throw fail('FIELD_INVALID', { problems: problemsText(lines), command });
}

function isOrderKey(key: string | undefined): boolean {
  return key === 'orderId' || key === 'clientOrderId';
}

function lacksOrder(row: Operation, { values }: CollectedFields): boolean {
  return (
    !row.opens && 'orderId' in row.fields && values['orderId'] === undefined && values['clientOrderId'] === undefined
  );
}

/** Missing for a reason that is already reported. */
function isAbsent(key: string, { values, excused }: CollectedFields): boolean {
  return excused.has(key) && values[key] === undefined;
}

function fittingTestCard(problems: readonly Problem[], session: Session): string | undefined {
  const lacksCard = problems.some((problem) => problem.key === 'cardNumber');
  return lacksCard && session.class !== 'live' ? 'approved' : undefined;
}
