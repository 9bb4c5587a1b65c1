import { addressMistakes } from './address-mistakes.js';
import type { Mistake, OauthMistakeName } from './diagnosis.js';
import { charsetMistakes, encodingMistakes } from './encoding-mistakes.js';
import { type BaseStringMistake, type Elements, type OauthParts, textWith } from './oauth-parts.js';
import { emptyValueMistakes, leftOutMistakes, repeatedNameMistakes } from './parameter-mistakes.js';
import { protocolMistakes } from './protocol-mistakes.js';
import { sortOrderMistakes } from './sort-orders.js';
import { sourceMistakes, textMistakes } from './source-mistakes.js';
import { timestampMistakes } from './timestamp-mistakes.js';

/** Makes base strings wrongly, each in another way. */
export type MistakeSource = (parts: OauthParts) => Iterable<BaseStringMistake>;

/**
 * What a mistake changes: how the parameters are `written` and sorted, `which` of them are signed, the address, or the
 * text as a whole.
 */
type Changes = 'written' | 'which' | 'address' | 'text';

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
];

/** Likeliest first: of two mistakes that come to the same text, the first is named first. */
const baseStringSources: readonly MistakeSource[] = table.map(([source]) => source);

/** Those that change this, in the same order. */
export function sourcesChanging(changes: Changes): readonly MistakeSource[] {
  return table.filter((row) => row[1] === changes).map(([source]) => source);
}

export interface MistakenBaseString {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly elements: Partial<Elements>;
  /** Whether the text is no more than its elements. */
  readonly isJoined: boolean;
  readonly source: MistakeSource;
  readonly text: string;
}

/** Every base string of these sources, equal ones included. */
export function* baseStringsOf(parts: OauthParts, sources: readonly MistakeSource[]): Generator<MistakenBaseString> {
  for (const source of sources)
    for (const { name, variant, detail, elements, text } of source(parts))
      yield {
        mistake: { name, variant, detail },
        elements,
        isJoined: text === undefined,
        source,
        text: text ?? textWith(parts, elements),
      };
}

/** Every faulty base string that differs from the right one; of one mistake each text once. */
export function* mistakenBaseStrings(
  parts: OauthParts,
  sources: readonly MistakeSource[] = baseStringSources,
): Generator<MistakenBaseString> {
  const seen = new Set<string>();
  for (const made of baseStringsOf(parts, sources)) {
    const key = `${made.mistake.name}\n${made.text}`;
    if (made.text === parts.text || seen.has(key)) continue;
    seen.add(key);
    yield made;
  }
}
