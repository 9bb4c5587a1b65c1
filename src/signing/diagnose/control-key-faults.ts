import type { ControlCase, ControlMistakeName, Mistake } from './types.js';

/** Another text in the place of the control key. */
export interface ControlKeyFault {
  readonly mistake: Mistake<ControlMistakeName>;
  readonly key: string;
}

export function controlKeyFaults({ key, otherKeys = [], login }: ControlCase): ControlKeyFault[] {
  const rows: (readonly [name: ControlMistakeName, variant: string, detail: string, key: string])[] = [
    ['key-whitespace', 'line-feed', 'a line feed behind the key, as a file has it', `${key}\n`],
    ['key-whitespace', 'crlf', 'a carriage return and a line feed behind the key, as a file has them', `${key}\r\n`],
    ['key-whitespace', 'carriage-return', 'a carriage return behind the key', `${key}\r`],
    ['key-whitespace', 'blank', 'a blank behind the key', `${key} `],
    ['key-whitespace', 'blank', 'a blank before the key', ` ${key}`],
    ['key-whitespace', 'blanks', 'blanks at both ends of the key', ` ${key} `],
    ['key-whitespace', 'tab', 'a tab behind the key', `${key}\t`],
    ['key-whitespace', 'line-feed-before', 'a line feed before the key', `\n${key}`],
    ['key-whitespace', 'byte-order-mark', 'a byte order mark before the key', `\uFEFF${key}`],
    ['key-whitespace', 'trimmed', 'blanks or line ends of the key cut off', key.trim()],
    ['key-whitespace', 'trimmed-end', 'blanks or line ends behind the key cut off', key.trimEnd()],
    ...otherKeys.map((other) => ['other-key', 'profile', `the control key of ${other.name}`, other.key] as const),
    ['other-key', 'none', 'no key at all', ''],
    ['other-key', 'login', 'the login in the place of the key', login],
    ['other-key', 'quotes', 'the key with quotes around it', `"${key}"`],
    ['other-key', 'quotes', 'the key with quotes around it', `'${key}'`],
    ['other-key', 'twice', 'the key twice', key + key],
    ['upper-case', 'key', 'the key in upper case', key.toUpperCase()],
    ['upper-case', 'key-lower', 'the key in lower case', key.toLowerCase()],
  ];
  return rows.map(([name, variant, detail, text]) => ({ mistake: { name, variant, detail }, key: text }));
}
