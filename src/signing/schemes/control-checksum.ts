import { hash } from 'node:crypto';
import { fail } from '../../errors/index.js';
import type { Assume } from '../../spec/index.js';
import { halfOfSurrogatePair } from '../../wire/form.js';
import type { ControlEncoding } from './public-types.js';

export type { ControlEncoding } from './public-types.js';

/** How each encoding writes the SHA-1 of a text. */
const writers: Readonly<Record<ControlEncoding, (text: string) => string>> = {
  'hex-lower': (text) => hash('sha1', text, 'hex'),
  'hex-upper': (text) => hash('sha1', text, 'hex').toUpperCase(),
  base64: (text) => hash('sha1', text, 'base64'),
};

/**
 * The checksum of a request or callback (`control`): SHA-1 over the values joined with nothing between them, followed
 * by the merchant control key, as UTF-8. An empty value adds nothing; the caller says which values belong in, and in
 * which order. These are the assumptions A02 and A06 about the gateway (`paycli help assumptions`). Throws TEXT_INVALID
 * for a lone surrogate.
 */
export function controlChecksum(
  values: readonly string[],
  merchantControlKey: string,
  options: { readonly encoding?: ControlEncoding } = {},
): string {
  // Each by itself: halves of a surrogate pair in two values would be valid text once they are joined.
  const odd = values.findIndex((value) => !value.isWellFormed());
  if (odd !== -1) throw halfOfSurrogatePair(`value ${odd + 1} of the checksum`);
  if (!merchantControlKey.isWellFormed()) throw halfOfSurrogatePair('control key');
  return writers[options.encoding ?? 'hex-lower'](values.join('') + merchantControlKey);
}

/** The encoding that the assumption A01 is set to. */
export function controlEncoding(assume: Assume): ControlEncoding {
  const name = assume['control-encoding'];
  if (isControlEncoding(name)) return name;
  const why = 'the switch control-encoding has an unknown value';
  throw fail('INTERNAL', { why, how: 'report this', sent: 'nothing was sent' });
}

function isControlEncoding(name: string): name is ControlEncoding {
  return Object.hasOwn(writers, name);
}
