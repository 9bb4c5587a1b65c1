import { testNumbers } from '../spec/index.js';
import type { OrderFacts } from '../spec/lifecycle.js';
import { brandOf } from '../wire/mask.js';
import { hasExpired } from '../wire/time.js';
import { Refusal } from './refusal.js';
import { nextNumber, type Store } from './store.js';
import { integer, key, numbered, optional, type Row, Table, text } from './table.js';

/** What is stored of a card after its request. The full number and the security code are never stored. */
export const cards = new Table(
  'cards',
  {
    ...{ id: numbered, bin: text, lastFour: text, brand: text },
    ...{ month: optional(text), year: optional(text), holder: optional(text) },
  },
  ['INDEX cards_by_ending ON @ (last_four, bin)'],
);

export const cardRefs = new Table('card_refs', { ref: key, login: text, cardId: integer });

export type StoredCard = Row<typeof cards>;

export interface CardInput {
  readonly number: string;
  readonly month?: string | undefined;
  readonly year?: string | undefined;
  readonly holder?: string | undefined;
}

const knownTestNumbers: ReadonlySet<string> = new Set(testNumbers);

/** True for a published number that belongs to nobody. */
export function isTestNumber(cardNumber: string): boolean {
  return knownTestNumbers.has(cardNumber);
}

/** Stores a card; what has the same ends, expiry and holder is one card. */
export function storeCard(store: Store, { number, year, holder, ...given }: CardInput): StoredCard {
  // A month is written with and without a leading zero.
  const month = given.month === undefined ? undefined : String(Number(given.month));
  const made = { bin: number.slice(0, 6), lastFour: number.slice(-4), brand: brandOf(number), month, year, holder };
  const same = 'WHERE last_four = ? AND bin = ? AND month IS ? AND year IS ? AND holder IS ?';
  const ends = [made.lastFour, made.bin, month ?? null, year ?? null, holder ?? null];
  const found = store.database.get(`SELECT id FROM cards ${same}`, ...ends)?.['id'];
  return found === undefined ? cards.add(store, made) : { id: Number(found), ...made };
}

/** Undefined for no id. */
export function cardById(store: Store, id: number | undefined): StoredCard | undefined {
  return id === undefined ? undefined : cards.get(store, 'WHERE id = ?', id);
}

/** The reference of a merchant's card; the same card gets the same one again. */
export function cardReferenceFor(store: Store, login: string, cardId: number): string {
  const found = cardRefs.get(store, 'WHERE login = ? AND card_id = ?', login, cardId);
  if (found !== undefined) return found.ref;
  const ref = String(nextNumber(store, 'card-ref'));
  cardRefs.insert(store, { ref, login, cardId });
  return ref;
}

/** The card behind a reference. Throws a Refusal that names the field when the merchant has no such reference. */
export function cardByReference(store: Store, login: string, ref: string, wire: string): StoredCard {
  const found = cardRefs.get(store, 'WHERE ref = ? AND login = ?', ref, login);
  const card = cardById(store, found?.cardId);
  if (card === undefined) throw new Refusal('unknown-card', `${wire} is not a card reference of this merchant`);
  return card;
}

/** The same card. Throws a Refusal when it has expired. */
export function requireUnexpired(card: StoredCard, { clock }: Store, wire: string): StoredCard {
  if (!hasExpired(card, clock.now())) return card;
  throw new Refusal('expired-card', `the card behind ${wire} has expired by the clock of the sandbox`);
}

/**
 * Whether an order has a payer's card, whether the merchant has a reference to it, and whether it can still be charged.
 */
export function cardState(
  store: Store,
  { login, cardId }: { readonly login: string; readonly cardId: number | undefined },
): OrderFacts['card'] {
  if (cardId === undefined) return 'none';
  if (cardRefs.get(store, 'WHERE login = ? AND card_id = ?', login, cardId) === undefined) return 'given';
  return hasExpired(cardById(store, cardId) ?? {}, store.clock.now()) ? 'expired' : 'kept';
}
