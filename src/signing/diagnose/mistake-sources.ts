import { addressMistakes } from './address-mistakes.js';
import { charsetMistakes, encodingMistakes } from './encoding-mistakes.js';
import { joiningMistakes } from './joining-mistakes.js';
import type { BaseStringMistake, OauthParts } from './oauth-parts.js';
import { emptyValueMistakes, leftOutMistakes, repeatedNameMistakes, sortOrderMistakes } from './parameter-mistakes.js';
import { protocolMistakes } from './protocol-mistakes.js';
import { sourceMistakes, textMistakes } from './source-mistakes.js';
import { timestampMistakes } from './timestamp-mistakes.js';

/** Makes base strings wrongly, each in another way. */
export type MistakeSource = (parts: OauthParts) => Iterable<BaseStringMistake>;

/**
 * What a mistake changes: how the parameters are `written` and sorted, `which` of them are signed, the address, or the
 * text as a whole. What is so rare that no second mistake is looked for beside it changes `all`.
 */
type Changes = 'written' | 'which' | 'address' | 'text' | 'all';

const table: readonly (readonly [source: MistakeSource, changes: Changes])[] = [
  [encodingMistakes, 'written'],
  [charsetMistakes, 'written'],
  [leftOutMistakes, 'which'],
  [sortOrderMistakes, 'written'],
  [addressMistakes, 'address'],
  [emptyValueMistakes, 'which'],
  [repeatedNameMistakes, 'which'],
  [timestampMistakes, 'which'],
  [protocolMistakes, 'which'],
  [sourceMistakes, 'which'],
  [textMistakes, 'text'],
  [joiningMistakes, 'all'],
];

/** Likeliest first: of two mistakes that come to the same text, the first is named first. */
export const baseStringSources: readonly MistakeSource[] = table.map(([source]) => source);

/** Those that change this, in the same order. */
export function sourcesChanging(changes: Changes): readonly MistakeSource[] {
  return table.filter((row) => row[1] === changes).map(([source]) => source);
}
