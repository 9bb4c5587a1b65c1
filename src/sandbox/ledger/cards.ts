import { createHmac } from 'node:crypto';
import type { SqlRow } from '../../runtime/ports.js';
import { testNumbers } from '../../spec/index.js';
import type { OrderFacts } from '../../spec/lifecycle.js';
import { brandOf } from '../../wire/mask.js';
import { hasExpired } from '../../wire/time.js';
import { Refusal } from './refusal.js';
import { metaOf, nextOf, number, optionalText, type Store, text } from './store.js';

/** What is stored of a card after its request. The full number and the security code are never stored. */
export interface StoredCard {
  readonly id: number;
  readonly bin: string;
  readonly lastFour: string;
  readonly brand: string;
  readonly month: string | undefined;
  readonly year: string | undefined;
  readonly holder: string | undefined;
}

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

/** Stores a card; the same card with the same expiry and holder only once. */
export function storeCard(store: Store, card: CardInput): StoredCard {
  const { database } = store;
  const month = monthText(card.month);
  const kept = { bin: card.number.slice(0, 6), lastFour: card.number.slice(-4), brand: brandOf(card.number), month };
  const digest = digestOf({ ...card, ...kept }, metaOf(store, 'card-digest-key'));
  const found = database.get('SELECT * FROM cards WHERE digest = ?', digest);
  if (found !== undefined) return cardFrom(found);
  const { lastId } = database.run(
    'INSERT INTO cards (bin, last_four, brand, month, year, holder, digest) VALUES (?, ?, ?, ?, ?, ?, ?)',
    kept.bin,
    kept.lastFour,
    kept.brand,
    month ?? null,
    card.year ?? null,
    card.holder ?? null,
    digest,
  );
  return { id: lastId, ...kept, year: card.year, holder: card.holder };
}

type DigestInput = Pick<StoredCard, 'bin' | 'lastFour' | 'month'> & Pick<CardInput, 'year' | 'holder'>;

/**
 * Identifies a card by what is stored of it. The digits between are not hashed, since anyone with the file could try
 * them out; cards that differ only there are one card to the sandbox.
 */
function digestOf({ bin, lastFour, month, year, holder }: DigestInput, key: string): string {
  const content = JSON.stringify([bin, lastFour, month ?? '', year ?? '', holder ?? '']);
  return createHmac('sha256', key).update(content).digest('hex');
}

export function cardById({ database }: Store, id: number): StoredCard | undefined {
  const row = database.get('SELECT * FROM cards WHERE id = ?', id);
  return row === undefined ? undefined : cardFrom(row);
}

function cardFrom(row: SqlRow): StoredCard {
  return {
    id: number(row, 'id'),
    bin: text(row, 'bin'),
    lastFour: text(row, 'last_four'),
    brand: text(row, 'brand'),
    month: optionalText(row, 'month'),
    year: optionalText(row, 'year'),
    holder: optionalText(row, 'holder'),
  };
}

/** The reference of a merchant's card; the same card gets the same one again. */
export function cardReferenceFor(store: Store, login: string, cardId: number): string {
  const { database } = store;
  const found = database.get('SELECT ref FROM card_refs WHERE login = ? AND card_id = ?', login, cardId);
  if (found !== undefined) return text(found, 'ref');
  const ref = String(nextOf(store, 'card-ref'));
  database.run('INSERT INTO card_refs VALUES (?, ?, ?)', ref, login, cardId);
  return ref;
}

/**
 * The card of a reference, to be charged or viewed. Throws a Refusal that names the field when there is none or it has
 * expired.
 */
export function unexpiredCardByReference(store: Store, login: string, ref: string, wire: string): StoredCard {
  const card = cardByReference(store, login, ref);
  if (card === undefined) throw new Refusal('unknown-card', `${wire} is not a card reference of this merchant`);
  return requireUnexpired(card, store, wire);
}

/** The same card. Throws a Refusal when it has expired. */
export function requireUnexpired(card: StoredCard, { clock }: Store, wire: string): StoredCard {
  if (!hasExpired(card, clock.now())) return card;
  throw new Refusal('expired-card', `the card behind ${wire} has expired by the clock of the sandbox`);
}

/** The card behind a reference; undefined when the merchant has no such reference. */
export function cardByReference(store: Store, login: string, ref: string): StoredCard | undefined {
  const row = store.database.get('SELECT card_id FROM card_refs WHERE ref = ? AND login = ?', ref, login);
  return row === undefined ? undefined : cardById(store, number(row, 'card_id'));
}

interface CardOfOrder {
  readonly login: string;
  readonly cardId: number | undefined;
}

/**
 * Whether an order has a payer's card, whether the merchant has a reference to it, and whether it can still be charged.
 */
export function cardState(store: Store, { login, cardId }: CardOfOrder): OrderFacts['card'] {
  if (cardId === undefined) return 'none';
  const kept = store.database.get('SELECT ref FROM card_refs WHERE login = ? AND card_id = ?', login, cardId);
  if (kept === undefined) return 'given';
  return hasExpired(cardById(store, cardId) ?? {}, store.clock.now()) ? 'expired' : 'kept';
}

// A month is written with and without a leading zero.
function monthText(month: string | undefined): string | undefined {
  return month === undefined ? undefined : String(Number(month));
}
