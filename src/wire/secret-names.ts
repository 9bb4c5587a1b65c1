import type { Operation } from '../spec/index.js';
import { cardNumbersIn, holdsSecurityCode, isCardNumber } from './mask.js';
import type { Problem } from './rules.js';

const pem = /-----BEGIN [A-Z ]+-----/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const hex = /^[\da-f]{32,}$/i;
// Letters of both cases and digits without a dash, and with fewer slashes than a path has.
const base64 = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?![/.~])(?!(?:[^/]*\/){4})[A-Za-z\d+/]{32,}={0,2}$/;

/** The secret that is given in place of a name, such as that of a profile or a helper; undefined for a real name. */
export function secretIn(name: string): 'a card number' | 'a key' | undefined {
  if (isCardNumber(name.trim())) return 'a card number';
  return pem.test(name) || [uuid, hex, base64].some((form) => form.test(name.trim())) ? 'a key' : undefined;
}

const spokenSecret = /\b(?:key|secret|passphrase|password|control)\b/i;

/**
 * The secret that stands in a sentence that is kept, such as the evidence of a settlement. Serial numbers, order ids
 * and digests look like keys, so these count only where the sentence says that it is one.
 */
export function secretInSentence(text: string): 'a card number' | 'a security code' | 'a key' | undefined {
  if (cardNumbersIn(text).length > 0) return 'a card number';
  if (holdsSecurityCode(text)) return 'a security code';
  const hasKey = spokenSecret.test(text) && text.split(/[\s=:,;()"']+/).some((word) => secretIn(word) === 'a key');
  return hasKey || pem.test(text) ? 'a key' : undefined;
}

/**
 * What was typed where a word is expected, as an error may name it; undefined where it may be a secret or a part of
 * one: of a card number typed with blanks, a security code, the password in an address.
 */
export function nameableWord(word: string): string | undefined {
  if (word === '' || /\d(?:[ -]?\d){5}|^\d{3,}$|-----|:\/\/[^/]*@/.test(word)) return undefined;
  return word.split(/[\s=:,]+/).some((part) => secretIn(part) !== undefined) ? undefined : word.slice(0, 40);
}

/**
 * Card numbers and keys in values that are kept or shown in clear: the id for a new order, the account of a payout, and
 * the name on a card. Nothing but a card number or a PEM text is refused as an order id: those of shops are numbers of
 * any length, UUIDs and digests.
 */
export function exposedSecrets(
  row: Operation,
  { clientOrderId = '', accountNumber = '', cardHolder = '' }: Readonly<Record<string, string>>,
  name: (key: string) => string,
): Problem[] {
  const found: Problem[] = [];
  const refuse = (key: string, why: string) => found.push({ kind: 'invalid', key, why: `${name(key)} ${why}` });
  const idIs = isCardNumber(clientOrderId.trim()) ? 'a card number' : pem.test(clientOrderId) ? 'a key' : undefined;
  if (row.opens && idIs !== undefined)
    refuse(
      'clientOrderId',
      `looks like ${idIs}, so it is neither sent nor shown; use an id of another form, such as one that begins with letters`,
    );
  if (isCardNumber(accountNumber.trim()))
    refuse(
      'accountNumber',
      'looks like a card number, so it is neither sent nor stored; give a bank account, such as an IBAN',
    );
  if (cardNumbersIn(cardHolder).length > 0)
    refuse('cardHolder', 'contains a card number, so it is neither sent nor shown; give the name printed on the card');
  return found;
}
