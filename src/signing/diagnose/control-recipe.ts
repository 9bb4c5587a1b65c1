import { createHash } from 'node:crypto';
import { halfOfSurrogatePair, type Pair } from '../../wire/form.js';
import type { ControlEncoding } from '../schemes/control-checksum.js';
import type { Made, Row } from './search.js';

export interface Slot {
  /** The field's key in the table, `login` or `endpointId`. */
  readonly name: string;
  readonly wire: string;
  /** An amount in minor units. */
  readonly value: string;
}

/** A request that is protected by a checksum, its key, and what may have been taken for either. */
export interface ControlCase {
  /** In the order of the recipe. */
  readonly slots: readonly Slot[];
  readonly key: string;
  readonly encoding: ControlEncoding;
  readonly login: string;
  readonly endpointId: string;
  /** In the order it is sent, as far as it is known. */
  readonly body: readonly Pair[];
  /** What the request follows, where that is known: values that it does not send again. */
  readonly original?: OriginalOrder | undefined;
  /** Other endpoint ids or groups, and other logins. */
  readonly otherEndpoints?: readonly string[] | undefined;
  readonly otherLogins?: readonly string[] | undefined;
  /** Of other profiles or merchants. */
  readonly otherKeys?: readonly { readonly name: string; readonly key: string }[] | undefined;
}

/** The values of an order as its first request had them; the amount in minor units and as it was sent. */
export interface OriginalOrder {
  readonly amount: string;
  readonly amountText: string;
  readonly currency: string;
  readonly email: string;
  readonly orderId: string;
  readonly clientOrderId: string;
}

/** The steps of a checksum, each of which can be done wrongly. */
export interface ControlRecipe {
  readonly slots: readonly Slot[];
  readonly key: string;
  readonly join: (values: readonly string[], key: string) => string;
  readonly bytes: (text: string) => Buffer;
  readonly digest: (data: Buffer, parts: { readonly string: string; readonly key: string }) => Buffer;
}

export type ControlRow = Row<ControlRecipe>;

/** Every step done as it must be. Throws TEXT_INVALID for a text that UTF-8 cannot carry, naming its field. */
export function rightControl({ slots, key }: ControlCase): ControlRecipe {
  const texts = [...slots.map(({ wire, value }) => [wire, value] as const), ['control key', key] as const];
  for (const [field, text] of texts) if (!text.isWellFormed()) throw halfOfSurrogatePair(field);
  return {
    slots,
    key,
    join: (values, own) => values.join('') + own,
    bytes: (text) => Buffer.from(text),
    digest: (data) => createHash('sha1').update(data).digest(),
  };
}

/** All that is hashed, the key included: never shown. */
export function makeControl({ slots, key, join, bytes, digest }: ControlRecipe): Made {
  const values = slots.map(({ value }) => value);
  const text = join(values, key);
  return { text, bytes: digest(bytes(text), { string: values.join(''), key }).toString('latin1') };
}

/** One value of the recipe otherwise; undefined where the recipe does not have it. */
export function setTo(name: string, write: (value: string) => string): ControlRow['change'] {
  return ({ slots }) =>
    slots.some((slot) => slot.name === name)
      ? { slots: slots.map((slot) => (slot.name === name ? { ...slot, value: write(slot.value) } : slot)) }
      : undefined;
}

export function without(...names: readonly string[]): ControlRow['change'] {
  return ({ slots }) => ({ slots: slots.filter(({ name }) => !names.includes(name)) });
}

/** Every value written otherwise. */
export function eachValue(write: (value: string) => string): ControlRow['change'] {
  return ({ slots }) => ({ slots: slots.map((slot) => ({ ...slot, value: write(slot.value) })) });
}

/** What the body has under a name, where it is not empty. */
export function sentAs({ body }: ControlCase, wire: string): string | undefined {
  return body.find(([name, value]) => name === wire && value !== '')?.[1];
}
