import { maskCard } from '../wire/mask.js';

/**
 * Masks these card numbers in a text, with other characters between their digits as well, or in digits of another
 * script. The number has to be known: dots and slashes are in dates, addresses and versions as well.
 */
export function withoutSpreadCards(text: string, cards: readonly string[]): string {
  let shown = text;
  for (const card of cards) shown = withoutSpreadCard(shown, card);
  return shown;
}

// Between two digits: at most three characters, none of them a letter or a number.
const gap = /^[^\p{L}\p{N}]{0,3}$/u;

function withoutSpreadCard(text: string, card: string): string {
  if (card.length < 12 || text.length < card.length) return text;
  const found = [...text.matchAll(/\p{Nd}/gu)];
  const digits = found.map(([digit]) => digitValue(digit)).join('');
  let shown = '';
  let shownTo = 0;
  for (let at = digits.indexOf(card); at !== -1; at = digits.indexOf(card, at + 1)) {
    const [start = 0, end = 0] = [found[at]?.index, endOf(found[at + card.length - 1])];
    const between = found
      .slice(at + 1, at + card.length)
      .map((digit, next) => text.slice(endOf(found[at + next]), digit.index));
    if (start < shownTo || !between.every((each) => gap.test(each))) continue;
    shown += `${text.slice(shownTo, start)}${maskCard(card)}`;
    shownTo = end;
  }
  return shown + text.slice(shownTo);
}

function endOf(digit: RegExpMatchArray | undefined): number {
  return (digit?.index ?? 0) + (digit?.[0].length ?? 0);
}

/** The ten digits of a script are consecutive code points; several such tens may follow each other. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return before % 10;
}
