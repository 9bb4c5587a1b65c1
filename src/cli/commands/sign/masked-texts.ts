import { type Pair, percentEncode, type SignatureStages } from '../../../signing/index.js';
import { hidden, isMask } from '../../../wire/mask.js';

// Letters and marks that no encoding changes: in a signed text the dots themselves would be percent-encoded, twice.
const standIns = [
  [`${hidden}\u2022 `, 'masked-by-paycli-to-the-last-four~'],
  [hidden, 'masked-by-paycli~'],
] as const;

/** A value with masks as it can be signed, in place of the real one. */
export function standInFor(mask: string): string {
  return standIns.reduce((text, [dots, standIn]) => text.replaceAll(dots, standIn), mask);
}

/** A text that was made from such values, with the masks again; whatever their length was, they have one form. */
export function withMasks(text: string): string {
  return standIns.reduce((shown, [dots, standIn]) => shown.replaceAll(standIn, dots), text);
}

/** The stages of a signature over such values, with the masks in every text. */
export function stagesWithMasks<S extends SignatureStages>(stages: S): S {
  return inTexts(stages);
}

function inTexts<T>(value: T): T;
function inTexts(value: unknown): unknown {
  if (typeof value === 'string') return withMasks(value);
  if (Array.isArray(value)) return value.map((each: unknown) => inTexts(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inTexts(each)]));
}

/** A base string with masks filled in, and the names of what they hid. */
interface Filled {
  readonly text: string;
  readonly names: readonly string[];
}

/**
 * Their base string, as a log or `--explain` shows it, with our values where theirs are masked: what is hidden cannot
 * be compared, and the rest can. A mask with other last digits than ours stays, as they differ.
 */
export function fillMasks(theirs: string, ours: readonly Pair[]): Filled {
  const names: string[] = [];
  const text = ours.reduce((filled, [name, value]) => {
    const encoded = percentEncode(percentEncode(name)).replace(/[.~*]/g, '\\$&');
    const place = new RegExp(`(?<=(?:&|%26)${encoded}%3D).*?(?=%26|$)`, 's');
    return filled.replace(place, (shown) => {
      if (!isMask(decodedOrSame(decodedOrSame(shown))) || !value.endsWith(/\d{4}$/.exec(shown)?.[0] ?? ''))
        return shown;
      names.push(name);
      return percentEncode(percentEncode(value));
    });
  }, theirs);
  return { text, names };
}

/** A text with its percent escapes read; as it is when they cannot be. */
function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
