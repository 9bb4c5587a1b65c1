import { fail, type PaycliError, shellWord } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, type TestCard, testCards } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { flagOf } from '../command.js';

/** The fields a published test card fills in, by field key; it expires four years after `now` (milliseconds). */
export function testCardFields(card: TestCard, row: Operation, now: number): Readonly<Record<string, string>> {
  const expireYear = String(new Date(now).getUTCFullYear() + 4);
  const { number: cardNumber, cvv } = card;
  const all = { cardNumber, cvv, cardHolder: 'TEST CARD', expireMonth: '12', expireYear };
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in row.fields));
}

/** The test card of this name. Throws USAGE; the flag has a better answer. */
export function testCardNamed(name: string): TestCard {
  const card = testCards.find((candidate) => candidate.name === name);
  if (card === undefined) throw fail('USAGE', { why: 'there is no test card of that name' });
  return card;
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
  const form = `use the names ${names}, in lines such as credit_card_number=… or in a JSON object`;
  const pairs = parse(text, form).map(([name, value]) => [keyOf(name, row), name, value] as const);
  const others = pairs.flatMap(([key, name]) => (key === undefined ? [shownName(name)] : []));
  const are = others.length === 1 ? 'is not a card field' : 'are not card fields';
  if (others.length > 0) throw unreadable(`${others.join(', ')} ${are} of ${row.command}`, form);
  return Object.fromEntries(pairs.map(([key, , value]) => [key, value]));
}

/** Without a cause: its message may repeat the path, or the text. */
function unreadable(why: string, how: string): PaycliError {
  return fail('SECRET_UNREADABLE', { what: 'card data', why, how });
}

function keyOf(name: string, row: Operation): string | undefined {
  return cardKeys.find((key) => row.fields[key]?.wire === name || flagOf(key) === `--${name}` || key === name);
}

/** A name as an error may show it: what is of another form may be a value in its place. */
function shownName(name: string): string {
  return (/^[A-Za-z][\w.-]*$/.test(name) ? nameableWord(name) : undefined) ?? 'a name that is not shown';
}

function readFile(path: string, { files }: Runtime): string {
  // Until a file is found there, the path is not repeated: it may be the card itself, put there by mistake.
  const given = 'the file given with --card-file';
  const facts = attempt(given, () => files.facts(path));
  if (facts?.isFile !== true)
    throw unreadable(`${given} does not exist or is not a regular file`, 'name a file of your own, mode 0600');
  if ((facts.mode & 0o077) !== 0 || !facts.ownedByUser)
    throw unreadable(`other users can read ${path}`, `run \`chmod 600 ${shellWord(path, 'PATH')}\``);
  return attempt(path, () => files.readText(path, maxCardFileBytes));
}

function attempt<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw unreadable(
      `${what} cannot be read as text`,
      'write lines such as credit_card_number=…, or a JSON object with such names',
    );
  }
}

async function readOpenDescriptor(descriptor: string, { files, terminal }: Runtime): Promise<string> {
  if (!/^\d{1,4}$/.test(descriptor))
    throw unreadable('--card-fd: use the number of an open descriptor', 'open one, as in 3<card.json --card-fd 3');
  if (descriptor === '0') return terminal.readStdin();
  try {
    return files.readDescriptor(Number(descriptor));
  } catch {
    throw unreadable(`descriptor ${descriptor} is not open for reading`, `open it, as in ${descriptor}<card.json`);
  }
}

function parse(text: string, form: string): [string, string][] {
  if (text.trimStart().startsWith('{')) return parseJson(text, form);
  return text.split(/\r?\n/).flatMap((line, at): [string, string][] => {
    if (line.trim() === '' || line.trimStart().startsWith('#')) return [];
    const cut = line.indexOf('=');
    if (cut < 1) throw unreadable(`line ${at + 1} is not of the form name=value`, form);
    return [[line.slice(0, cut).trim(), line.slice(cut + 1).trim()]];
  });
}

function parseJson(text: string, form: string): [string, string][] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw unreadable('it is not readable JSON', form);
  }
  return Object.entries(data ?? {}).map(([name, value]) => {
    if (typeof value !== 'string') throw unreadable(`${shownName(name)}: write it as a string, in quotes`, form);
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
