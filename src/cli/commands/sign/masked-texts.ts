import type { SignatureStages } from '../../../signing/index.js';
import { hidden } from '../../../wire/mask.js';

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
