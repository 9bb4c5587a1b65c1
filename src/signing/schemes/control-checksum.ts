import { hash } from 'node:crypto';
import { fail } from '../../errors/index.js';
import type { Assume } from '../../spec/index.js';
import type { ControlEncoding } from './public-types.js';

export type { ControlEncoding } from './public-types.js';

const writers: Readonly<Record<ControlEncoding, (text: string) => string>> = {
  'hex-lower': (text) => hash('sha1', text, 'hex'),
  'hex-upper': (text) => hash('sha1', text, 'hex').toUpperCase(),
  base64: (text) => hash('sha1', text, 'base64'),
};

/**
 * SHA-1 over the values joined with nothing between them, followed by the merchant control key, as UTF-8 (A02). An
 * empty value adds nothing (A06); which values belong in is the caller's business. Throws TEXT_INVALID for a lone
 * surrogate.
 */
export function controlChecksum(
  values: readonly string[],
  merchantControlKey: string,
  options: { readonly encoding?: ControlEncoding } = {},
): string {
  // One by one: two broken halves may look whole once they are joined.
  for (const [index, value] of values.entries()) requireWhole(value, `value ${index + 1} of the checksum`);
  requireWhole(merchantControlKey, 'control key');
  return writers[options.encoding ?? 'hex-lower'](values.join('') + merchantControlKey);
}

/** The encoding in force (A01). */
export function controlEncoding(assume: Assume): ControlEncoding {
  const name = assume['control-encoding'];
  if (isControlEncoding(name)) return name;
  throw fail('controlEncodingUnknown');
}

function isControlEncoding(name: string): name is ControlEncoding {
  return Object.hasOwn(writers, name);
}

function requireWhole(text: string, field: string): void {
  if (!text.isWellFormed()) throw fail('halfOfSurrogatePair', { field });
}
