/** A character that looks like another one, or like nothing. */
export interface OddCharacter {
  /** Its place among the characters of the text, from 0. */
  readonly at: number;
  /** `U+00A0` */
  readonly codePoint: string;
  readonly kind: 'invisible' | 'blank' | 'decomposed' | 'look-alike';
  /** What it is, or what it looks like. */
  readonly name: string;
}

const names: Readonly<Record<string, string>> = {
  ...{ '\0': 'zero byte', '\t': 'tab', '\n': 'line feed', '\r': 'carriage return', '\u00a0': 'no-break space' },
  ...{ '\u00ad': 'soft hyphen', '\u200b': 'zero width space', '\u200e': 'left-to-right mark' },
  ...{ '\u202f': 'narrow no-break space', '\ufe0f': 'variation selector', '\ufeff': 'byte order mark' },
};

/** Letters of other alphabets and marks of editors, each before the character of ASCII that it looks like. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  [
    ...'аaеeоoрpсcуyхxіiјjѕsАAВBЕEКKМMНHОOРPСCТTХXІI',
    ...'οoνvΑAΒBΕEΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXΖZ',
    ..."‐-‑-‒-–-—-−-‘'’'‚'′'“\"”\"„\"⁄/∕/∶:∗*∼~",
  ].flatMap((char, at, all): [string, string][] => (at % 2 === 0 ? [[char, all[at + 1] ?? '']] : [])),
);

/**
 * The characters of a text that an eye does not tell from others: invisible ones, blanks that are no space, letters in
 * two parts (NFD), and letters of another alphabet in a word of ASCII.
 */
export function oddCharacters(text: string): OddCharacter[] {
  const chars = [...text];
  return chars.flatMap((char, at): OddCharacter[] => {
    const found = /^[ -~]$/.test(char) ? undefined : oddityOf(char, chars[at - 1] ?? '', text);
    const digits = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return found === undefined ? [] : [{ at, codePoint: `U+${digits}`, ...found }];
  });
}

function oddityOf(char: string, before: string, text: string): Pick<OddCharacter, 'kind' | 'name'> | undefined {
  if (/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|[\ufe00-\ufe0f]/u.test(char))
    return { kind: 'invisible', name: names[char] ?? 'invisible character' };
  if (/\p{Zs}/u.test(char)) return { kind: 'blank', name: names[char] ?? 'space of a different width' };
  const whole = (before + char).normalize('NFC');
  if (/\p{M}/u.test(char) && [...whole].length === 1)
    return { kind: 'decomposed', name: `combining mark after its letter, which NFC composes to ${whole}` };
  const plain = lookAlikes.get(char);
  // A text of that alphabet is meant as it is.
  if (plain === undefined || (/\p{L}/u.test(char) && !/[A-Za-z]/.test(text))) return undefined;
  return { kind: 'look-alike', name: `looks like ${plain}` };
}
