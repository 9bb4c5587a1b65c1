import { createHash } from 'node:crypto';
import type { ControlEncoding } from '../schemes/control-checksum.js';
import type { Slot } from './control-value-mistakes.js';
import type { ControlCase, ControlMistakeName, Mistake } from './diagnosis.js';

/** How a checksum is made. */
export interface ChecksumSteps {
  readonly values: (slots: readonly Slot[]) => readonly Slot[];
  readonly order: (slots: readonly Slot[]) => readonly Slot[];
  readonly join: (values: readonly string[], key: string) => string;
  readonly key: string;
  /** How many values stand before the key; all when undefined. */
  readonly keyAt: number | undefined;
  readonly bytes: (text: string) => Buffer;
  readonly hash: (bytes: Buffer, parts: { readonly string: string; readonly key: string }) => Buffer;
  readonly write: (digest: Buffer) => string;
}

/** A step done wrongly. */
export interface StepMistake {
  readonly mistake: Mistake<ControlMistakeName>;
  readonly steps: Partial<ChecksumSteps>;
  /** Named only where no other mistake comes to the same checksum. */
  readonly isSpare?: boolean;
}

/** A mistake of this name and variant, and what it changes. */
export function step(
  name: ControlMistakeName,
  variant: string,
  detail: string,
  steps: Partial<ChecksumSteps>,
): StepMistake {
  return { mistake: { name, variant, detail }, steps };
}

/** The mistake of a value that has a name of its own; others are of ids. */
export const nameOfSlot: Readonly<Record<string, ControlMistakeName>> = {
  email: 'missing-email',
  amount: 'decimal-amount',
  currency: 'amount-currency',
  login: 'endpoint-login',
  endpointId: 'endpoint-login',
};

const same = <Value>(value: Value) => value;
export const writers: Readonly<Record<ControlEncoding, ChecksumSteps['write']>> = {
  'hex-lower': (digest) => digest.toString('hex'),
  'hex-upper': (digest) => digest.toString('hex').toUpperCase(),
  base64: (digest) => digest.toString('base64'),
};

export function correctSteps({ key, encoding }: ControlCase): ChecksumSteps {
  return {
    values: same,
    order: same,
    join: (values, itsKey) => values.join('') + itsKey,
    key,
    keyAt: undefined,
    bytes: (text) => Buffer.from(text, 'utf8'),
    hash: (bytes) => createHash('sha1').update(bytes).digest(),
    write: writers[encoding],
  };
}
