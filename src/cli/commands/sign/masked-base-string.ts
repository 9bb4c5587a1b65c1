import { decodedOrSame, type Pair, percentEncode } from '../../../wire/form.js';
import { isMask } from '../../../wire/mask.js';

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
