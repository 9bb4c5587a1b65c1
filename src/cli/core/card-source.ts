import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, type TestCard, testCards } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { flagOf, sendingFlagProblem } from './flags.js';

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
    throw fail('cardDataNamesOtherField', { others: others.join(', '), are, command: row.command, names });
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
  if (facts === undefined || !facts.isFile) throw fail('cardFileNotAFile');
  if ((facts.mode & 0o077) !== 0 || !facts.ownedByUser) throw fail('cardDataOpenToOthers', { path });
  return attempt(path, () => runtime.files.readText(path, maxCardFileBytes));
}

function attempt<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch {
    // Without a cause: its message repeats the path.
    throw fail('cardDataNotText', { place: what });
  }
}

async function readOpenDescriptor(descriptor: string, runtime: Runtime): Promise<string> {
  if (!/^\d{1,4}$/.test(descriptor)) throw fail('cardDescriptorNotANumber');
  if (descriptor === '0') return runtime.terminal.readStdin();
  try {
    return runtime.files.readDescriptor(Number(descriptor));
  } catch (cause) {
    throw fail('cardDescriptorNotOpen', { descriptor }, { cause });
  }
}

/** `names` are those of the card fields. */
function parse(text: string, names: string): [string, string][] {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return parseJson(trimmed, names);
  return text.split(/\r?\n/).flatMap((line, at): [string, string][] => {
    if (line.trim() === '' || line.trimStart().startsWith('#')) return [];
    const cut = line.indexOf('=');
    if (cut < 1) throw fail('cardLineNotOfForm', { line: at + 1, names });
    return [[line.slice(0, cut).trim(), line.slice(cut + 1).trim()]];
  });
}

function parseJson(text: string, names: string): [string, string][] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may be a card number.
    throw fail('cardJsonUnreadable', { names });
  }
  return Object.entries(data ?? {}).map(([name, value]) => {
    if (typeof value !== 'string') throw fail('cardJsonNotTexts', { name: shownName(name), names });
    return [name, value];
  });
}
