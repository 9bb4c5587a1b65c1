import { fail, shellWord } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, type TestCard, testCards } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { flagOf } from '../command.js';
import { sendingFlagProblem } from '../flags.js';

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
