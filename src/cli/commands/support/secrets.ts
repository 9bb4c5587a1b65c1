import { cardNumbersIn, holdsSecurityCode } from '../../../wire/mask.js';

export interface BundleFile {
  readonly name: string;
  readonly text: string;
}

/** Patterns of secrets whose value is not known here. */
const shapes: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY/],
  ['a control', /(?<![a-z])control(?:[^\w\u2022]|value|is){1,12}(?:[\da-f]{40}(?![\da-f])|[a-z\d+/]{27}=)/i],
  ['a signature', /(?<![a-z])signature(?:[^\w\u2022]|value|is){1,12}[a-z\d+/%]{27,}={0,2}/i],
];

/**
 * Searches every file for the control key, for card numbers, and for text shaped like a secret, and says what was found
 * where, never the text itself. `ids` are numbers assigned by the gateway, which may be as long as card numbers.
 */
export function scan(
  files: readonly BundleFile[],
  controlKey: string | undefined,
  ids: ReadonlySet<string>,
): readonly string[] {
  return files.flatMap(({ name, text }) => {
    const kinds = [
      ...(controlKey !== undefined && holdsSecret(controlKey, text) ? ['the control key'] : []),
      ...shapes.filter(([, shape]) => shape.test(text)).map(([kind]) => kind),
      ...(holdsSecurityCode(text) ? ['a security code'] : []),
      ...(cardNumbersIn(text).some((number) => !ids.has(number)) ? ['a card number'] : []),
    ];
    return kinds.map((kind) => `${kind} in ${name}`);
  });
}

/** As it is, or as a string of JSON. A very short one would occur inside other words by chance. */
function holdsSecret(secret: string, text: string): boolean {
  return secret.length >= 6 && (text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)));
}
