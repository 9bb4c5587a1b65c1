import type { Difference } from '../../../signing/diagnose/index.js';
import { allOperations, kindOf, type Secrecy } from '../../../spec/index.js';
import type { Pair } from '../../../wire/form.js';
import { hidden } from '../../../wire/mask.js';
import { maskValue } from '../../../wire/redact.js';

const codeNames = namesOf('secret');
/** Wire names of card data, in any operation. */
const cardNames: ReadonlySet<string> = new Set([...namesOf('card'), ...codeNames]);

function namesOf(secrecy: Secrecy): ReadonlySet<string> {
  const fields = allOperations.flatMap((row) => Object.values(row.fields));
  return new Set(fields.flatMap(({ kind, wire }) => (kindOf(kind).secrecy === secrecy ? [wire] : [])));
}

// A value ends at the next & in whatever state of encoding it is.
const cardValue = new RegExp(`(?<=(?:${[...cardNames].join('|')})(?:%(?:25)*3D|=)).*?(?=%(?:25)*26|&|$)`, 'gs');
// A stretch may begin in the middle of a name, of its sign, or of a value.
const cutName = /^([\w-]*)(%(?:25)*3D|=)(.*?)(?=%(?:25)*26|&|$)/s;
const cutValue = /^(?:(?:(?!%(?:25)*3D)[^&=])*?(?=%(?:25)*26)|[%\dD]*\d(?=[%&]|$))/s;

const allNames: ReadonlySet<string> = new Set(
  allOperations.flatMap((row) => Object.values(row.fields).map(({ wire }) => wire)),
);

// Under a name that no operation has, a long number may be a card's.
const namedNumber = /(?<=^|&|%(?:25)*26)([\w-]+)(%(?:25)*3D|=)(\d{12,})/g;

/**
 * The difference with a mask in place of card data, however long that is. No checksum holds card data, so a control
 * string stays as it is.
 */
export function maskDifference(difference: Difference): Difference {
  const { pair, ours, theirs, of } = difference;
  if (of === 'control string') return difference;
  const hidden = { ...difference, ours: maskCards(ours), theirs: maskCards(theirs) };
  return pair === undefined
    ? hidden
    : { ...hidden, pair: { ours: maskedPair(pair.ours), theirs: maskedPair(pair.theirs) } };
}

function maskCards(stretch: string): string {
  const beheaded = stretch.replace(cutName, (whole, name: string, sign: string, value: string) =>
    [...cardNames].some((each) => each.endsWith(name)) ? name + sign + hide(value) : whole,
  );
  return beheaded
    .replace(cardValue, hide)
    .replace(cutValue, hide)
    .replace(namedNumber, (whole, name: string, sign: string, value: string) =>
      allNames.has(name) ? whole : name + sign + hide(value),
    );
}

function maskedPair(pair: Pair | undefined): Pair | undefined {
  return pair === undefined ? undefined : [pair[0], maskCardValue(pair[0], pair[1])];
}

/** True for card data by its name, and for a long number under a name that no operation has. */
export function isCardName(name: string, value: string): boolean {
  return cardNames.has(name) || (!allNames.has(name) && /^\d{12,}$/.test(value));
}

/** A value, masked where it is card data: of a card number the last four digits stay. */
export function maskCardValue(name: string, value: string): string {
  return isCardName(name, value) ? maskValue(codeNames.has(name) ? 'secret' : 'card', value) : value;
}

/** A parameter as it stands in a signed text, `mask` in place of its value; without a sign of equality all of it. */
export function maskSigned(text: string, mask: string): string {
  const [head = ''] = /^[\w-]*(?:%(?:25)*3D|=)/i.exec(text) ?? [];
  return text.length === head.length ? text : head + mask;
}

function hide(text: string): string {
  return text === '' ? '' : hidden;
}
