import { fail, isPaycliError, type PaycliError, problemsText, shellWord } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Assume, assumptionNamed, type Operation, type TestCard, testCards } from '../../spec/index.js';
import { checkRequest, fieldsInForce, isOutOfForce } from '../../wire/check.js';
import type { Problem } from '../../wire/rules.js';
import { exposedSecrets, nameableWord } from '../../wire/secret-names.js';
import { orderNotNamed } from '../core/ask-order.js';
import { flagOf, isFromProfile, sendingFlagProblem } from '../core/flags.js';
import type { Session } from '../session.js';

/** The fields a published test card fills in, by field key; it expires four years after `now` (milliseconds). */
export function testCardFields(card: TestCard, row: Operation, now: number): Readonly<Record<string, string>> {
  const year = new Date(now).getUTCFullYear() + 4;
  const all = {
    cardNumber: card.number,
    cvv: card.cvv,
    cardHolder: 'TEST CARD',
    expireMonth: '12',
    expireYear: String(year),
  };
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in row.fields));
}

/** The test card of this name. Throws USAGE naming the nearest one. */
export function testCardNamed(name: string, row: Operation): TestCard {
  const card = testCards.find((candidate) => candidate.name === name);
  if (card !== undefined) return card;
  throw fail('USAGE', { why: sendingFlagProblem('--test-card', name) ?? '', command: row.command });
}

const maxCardFileBytes = 65_536;

/** The fields a card source may give, by key. */
export const cardKeys = ['cardNumber', 'cardHolder', 'expireMonth', 'expireYear', 'cvv'] as const;

/**
 * Card fields from a file (mode 0600) or an open descriptor, as a JSON object or as name=value lines. Names are flag
 * names or wire names. Errors name a wrong field, and never repeat a value.
 */
export async function readCardFields(
  source: { readonly file: string | undefined; readonly descriptor: string | undefined },
  row: Operation,
  runtime: Runtime,
): Promise<Readonly<Record<string, string>>> {
  const text =
    source.file === undefined
      ? await readOpenDescriptor(source.descriptor ?? '', runtime)
      : readFile(source.file, runtime);
  const names = cardKeys.flatMap((key) => row.fields[key]?.wire ?? []).join(', ');
  const pairs = parse(text, names).map(([name, value]) => [keyOf(name, row), name, value] as const);
  const others = pairs.flatMap(([key, name]) => (key === undefined ? [shownName(name)] : []));
  const are = others.length === 1 ? 'is not a card field' : 'are not card fields';
  if (others.length > 0)
    throw fail('SECRET_UNREADABLE', {
      what: 'card data',
      why: `${others.join(', ')} ${are} of ${row.command}`,
      how: `use the names ${names}, in lines such as credit_card_number=… or in a JSON object`,
      command: row.command,
    });
  return Object.fromEntries(pairs.map(([key, , value]) => [key, value]));
}

function keyOf(name: string, row: Operation): string | undefined {
  return cardKeys.find((key) => row.fields[key]?.wire === name || flagOf(key) === `--${name}` || key === name);
}

/** A name as an error may show it: what is of another form may be a value in its place. */
function shownName(name: string): string {
  return (/^[A-Za-z][\w.-]*$/.test(name) ? nameableWord(name) : undefined) ?? 'a name that is not shown';
}

function readFile(path: string, runtime: Runtime): string {
  // Until a file is found there, the path is not repeated: it may be the card itself, put there by mistake.
  const facts = attempt('the file given with --card-file', () => runtime.files.facts(path));
  if (facts === undefined || !facts.isFile)
    throw fail('SECRET_UNREADABLE', {
      what: 'card data',
      why: 'the file given with --card-file does not exist or is not a regular file',
      how: 'name a file of your own, mode 0600',
    });
  if ((facts.mode & 0o077) !== 0 || !facts.ownedByUser)
    throw fail('SECRET_UNREADABLE', {
      what: 'card data',
      why: `other users can read ${path}`,
      how: `run \`chmod 600 ${shellWord(path, 'PATH')}\``,
      path,
    });
  return attempt(path, () => runtime.files.readText(path, maxCardFileBytes));
}

function attempt<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch {
    // Without a cause: its message repeats the path.
    throw fail('SECRET_UNREADABLE', {
      what: 'card data',
      why: `${what} cannot be read as text`,
      how: 'write lines such as credit_card_number=…, or a JSON object with such names',
    });
  }
}

async function readOpenDescriptor(descriptor: string, runtime: Runtime): Promise<string> {
  if (!/^\d{1,4}$/.test(descriptor))
    throw fail('SECRET_UNREADABLE', {
      what: 'card data',
      why: '--card-fd: use the number of an open descriptor',
      how: 'open one, as in 3<card.json --card-fd 3',
    });
  if (descriptor === '0') return runtime.terminal.readStdin();
  try {
    return runtime.files.readDescriptor(Number(descriptor));
  } catch (cause) {
    throw fail(
      'SECRET_UNREADABLE',
      {
        what: 'card data',
        why: `descriptor ${descriptor} is not open for reading`,
        how: `open it, as in ${descriptor}<card.json`,
      },
      { cause },
    );
  }
}

/** `names` are those of the card fields. */
function parse(text: string, names: string): [string, string][] {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return parseJson(trimmed, names);
  return text.split(/\r?\n/).flatMap((line, at): [string, string][] => {
    if (line.trim() === '' || line.trimStart().startsWith('#')) return [];
    const cut = line.indexOf('=');
    if (cut < 1)
      throw fail('SECRET_UNREADABLE', {
        what: 'card data',
        why: `line ${at + 1} is not of the form name=value`,
        how: `use the names ${names}, in lines such as credit_card_number=… or in a JSON object`,
        line: at + 1,
      });
    return [[line.slice(0, cut).trim(), line.slice(cut + 1).trim()]];
  });
}

function parseJson(text: string, names: string): [string, string][] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may be a card number.
    throw fail('SECRET_UNREADABLE', {
      what: 'card data',
      why: 'it is not readable JSON',
      how: `use the names ${names}, in lines such as credit_card_number=… or in a JSON object`,
    });
  }
  return Object.entries(data ?? {}).map(([name, value]) => {
    if (typeof value !== 'string')
      throw fail('SECRET_UNREADABLE', {
        what: 'card data',
        why: `${shownName(name)}: write it as a string, in quotes`,
        how: `use the names ${names}, in lines such as credit_card_number=… or in a JSON object`,
        name: shownName(name),
      });
    return [name, value];
  });
}

/** A payer who does not exist, at addresses reserved for documentation. */
export const testPayer: Readonly<Record<string, string>> = {
  orderDesc: 'Sandbox order',
  email: 'payer@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zipCode: '10115',
  country: 'DE',
  ipAddress: '192.0.2.10',
  redirectUrl: 'https://shop.example/return',
  firstName: 'Pat',
  lastName: 'Payer',
};

/** True for operations with payer fields, which take --test-payer. */
export function hasPayer(row: Operation): boolean {
  return ['email', 'address1', 'country'].every((key) => key in row.fields);
}

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
    faults.push(orderNotNamed(row.command));
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
      fillers: fillersFor(problems, row, session),
      command,
    });
  const lines = [...faults.map(({ message }) => message), ...problems.map(({ why }) => why)];
  throw fail('FIELD_INVALID', { problems: problemsText(lines), command });
}

function isOrderKey(key: string): boolean {
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
  readonly options: CardSources;
}

interface CardSources {
  readonly testCard?: string;
  readonly cardFile?: string;
  readonly cardFd?: string;
}

/**
 * Mistakes for given values that would not be sent. Nothing typed is dropped silently: a user who gives a card, a
 * partial amount or an order expects it in the request.
 */
export function unusedFaults(row: Operation, typed: GivenValues, assume: Assume): PaycliError[] {
  const { fields, order, options } = typed;
  const given = order === undefined ? fields : { ...fields, ...orderNamed(row, { fields, order }) };
  const why = [
    ...Object.keys(given).map((key) => unusedReason(row, key, assume)),
    ...cardSources(options).map((flag) => whyNoCard(row, flag, assume)),
  ];
  const { command } = row;
  const isThird = order !== undefined && !Object.values(given).includes(order);
  return [
    ...(isThird ? [threeIdsForOneOrder(command)] : []),
    ...why.flatMap((each) => (each === undefined ? [] : [fail('USAGE', { why: each, command })])),
  ];
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
  if (field?.when === undefined || isFromProfile(key) || !isOutOfForce(field, assume)) return undefined;
  return `${flagOf(key)} ${notSent(field.when.switch, field.when.value, assume)}`;
}

function cardSources({ testCard, cardFile, cardFd }: CardSources): string[] {
  const given = { '--test-card': testCard, '--card-file': cardFile, '--card-fd': cardFd };
  return Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
}

function whyNoCard(row: Operation, flag: string, assume: Assume): string | undefined {
  if (fieldsInForce(row, assume).some(([key]) => cardKeys.some((card) => card === key))) return undefined;
  const when = row.fields['cardNumber']?.when;
  return when === undefined ? undefined : `${flag} ${notSent(when.switch, when.value, assume)}`;
}

function notSent(name: keyof Assume, value: string, assume: Assume): string {
  const { id = '', about = '' } = assumptionNamed(name) ?? {};
  return `is only used when ${id} ${name} is ${value}, but it is ${assume[name]}: ${about.replace(/\.$/, '')}`;
}

/** An argument beside both flags that name an order. */
export function threeIdsForOneOrder(command: string): PaycliError {
  return fail('USAGE', {
    why: 'the order argument, --order-id and --client-order-id name one order three times; omit the argument',
    command,
  });
}
