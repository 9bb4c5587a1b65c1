import type { Paint } from '../../../runtime/ports.js';
import type { OddCharacter, TextDifference } from '../../../signing/diagnose/index.js';
import { hidden } from '../../../wire/mask.js';
import { printable } from '../../../wire/redact.js';
import type { Layout } from '../../format/document.js';
import { oddWords } from '../../format/parameter-rows.js';
import type { TrimmedPiece } from './inputs.js';
import { isCardName, maskSigned } from './mask-difference.js';

/** The same without card data: what stands under its name, and every digit of a text that has none. */
export function maskDifferences(all: readonly TextDifference[], isControl: boolean): TextDifference[] {
  const hide = (text: string | undefined) => (text === undefined ? undefined : maskSigned(text, hidden));
  const digits = (text: string | undefined) => text?.replace(/\d+/g, hidden);
  return all.map((each): TextDifference => {
    const value = (text: string | undefined) => text?.replace(/^.*?(?:%3D|=)/i, '') ?? '';
    const isCard = [each.ours, each.theirs].some((text) => isCardName(each.name ?? '', value(text)));
    if (each.of === 'parameter' && isCard)
      return { ...each, ours: hide(each.ours), theirs: hide(each.theirs), oddInOurs: [], oddInTheirs: [] };
    if (each.of === 'text' && !isControl) return { ...each, ours: digits(each.ours), theirs: digits(each.theirs) };
    return each;
  });
}

/**
 * Every difference, with the byte where it begins on either side and the characters that an eye does not tell apart.
 */
export function presentDifferences(all: readonly TextDifference[], report: Layout): string {
  const { paint } = report;
  const rows = all.flatMap(({ of, name, at, theirsAt, ours, theirs, oddInOurs, oddInTheirs }) => [
    [`  ${name === undefined ? of : printable(name)}`, 'ours', placeOf(at), shown(ours, paint), odd(oddInOurs, paint)],
    ['', 'theirs', placeOf(theirsAt), shown(theirs, paint), odd(oddInTheirs, paint)],
  ]);
  const title = all.length === 1 ? 'The only difference' : `All ${all.length} differences`;
  return `${paint.bold(title)}\n${report.columns(rows)}`;
}

function placeOf(at: number | undefined): string {
  return at === undefined ? '' : `byte ${at}`;
}

function shown(text: string | undefined, paint: Paint): string {
  if (text === undefined) return paint.dim('(missing)');
  return text === '' ? paint.dim('(nothing)') : printable(text);
}

function odd(list: readonly OddCharacter[], paint: Paint): string {
  return list.length === 0 ? '' : paint.warn(list.map(oddWords).join(', '));
}

/** What was left out before the texts were compared. */
export function presentTrimmed(trimmed: readonly TrimmedPiece[], match: boolean): string {
  const pieces = trimmed.map(({ name, codePoint, at }) => `${name} (${codePoint}) at byte ${at}`);
  const end = match
    ? 'everything else matches. If your program also signs it, its signature does not match'
    : 'if your program also signs it, that is a separate mistake';
  return `  removed from theirs before comparing: ${pieces.join(', ')}; ${end}\n`;
}
