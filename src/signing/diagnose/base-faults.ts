import { addressFaults } from './address-faults.js';
import { bodyFaults } from './body-faults.js';
import { charsetFaults } from './charset-faults.js';
import { encodingFaults } from './encoding-faults.js';
import { nameFaults } from './name-faults.js';
import { type Elements, joinText, type OauthParts, type Wrong } from './oauth-parts.js';
import { orderFaults } from './order-faults.js';
import { protocolFaults } from './protocol-faults.js';
import { stampFaults } from './stamp-faults.js';
import type { Mistake, OauthMistakeName } from './types.js';
import { valueFaults } from './value-faults.js';

export interface BaseFault {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly changed: Partial<Elements>;
  readonly text: string;
}

export type Faults = (parts: OauthParts) => Iterable<Wrong>;

/** Likeliest first: of two mistakes that come to the same text, the first is named first. */
const kinds: readonly Faults[] = [
  encodingFaults,
  charsetFaults,
  bodyFaults,
  orderFaults,
  addressFaults,
  valueFaults,
  nameFaults,
  stampFaults,
  protocolFaults,
];

/** Every faulty base string that differs from the right one; of one mistake each text once. */
export function* baseFaults(parts: OauthParts, from: readonly Faults[] = kinds): Generator<BaseFault> {
  const seen = new Set<string>();
  for (const faults of from)
    for (const { name, variant, detail, elements, text = joinText({ ...parts.elements, ...elements }) } of faults(parts)) {
      const key = `${name}\n${text}`;
      if (text === parts.text || seen.has(key)) continue;
      seen.add(key);
      yield { mistake: { name, variant, detail }, changed: elements, text };
    }
}
