import type { Sum } from '../../../journal/port.js';
import type { PaymentValue } from '../../../payments/limits.js';
import { sumText } from '../../../payments/words.js';
import type { Unsigned } from '../../../signing/index.js';
import { maskPairs } from '../../../wire/redact.js';
import { flagOf } from '../../command.js';

import { accountText, type ConfirmationText } from '../../live.js';
import type { Session } from '../../session.js';

/** Where each value of a request came from, by field key, in words. */
export type Origins = Readonly<Record<string, string>>;

/**
 * What somebody confirms before a live payment: how much, to whom, through which gateway, and every value that was not
 * typed for it.
 */
export function confirmationText(
  unsigned: Unsigned,
  paymentValue: PaymentValue,
  session: Session,
  origins: Origins,
  ofOrder?: Sum,
): ConfirmationText {
  const { row, values, endpointId } = unsigned;
  const ids = [values['orderId'], values['clientOrderId']].filter((id) => id !== undefined).join(' / ');
  const { short, long } = amountTexts(paymentValue, unsigned.minor, ofOrder);
  const paidTo = destinationText(unsigned);
  const card = valueText(row, 'cardNumber', values['cardNumber']);
  const elsewhere = [...connectionRows(session, endpointId), ...valueRows(unsigned, origins)];
  return {
    title: `LIVE ${row.command}: this moves real money`,
    rows: [
      ['amount', long],
      ...(paidTo === undefined ? [] : [['paid to', paidTo] as const]),
      ...(card === undefined || paidTo !== undefined ? [] : [['card', card] as const]),
      ...(ids === '' ? [] : [['order', ids] as const]),
      ['gateway', `${accountText(session)}, endpoint ${endpointId}`],
      ...elsewhere,
    ],
    question: `LIVE ${row.command} of ${short}: type the merchant login to continue`,
    why: 'a live payment needs a confirmation',
  };
}

/** Who is paid; undefined where the request names nobody: the order does, or the money comes in. */
function destinationText({ row, values }: Unsigned): string | undefined {
  const parts = (row.destination ?? []).flatMap((key) => {
    const text = valueText(row, key, values[key]);
    return text === undefined ? [] : [`${nameOf(key)} ${text}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Values nobody typed on this command line or at a prompt. */
function valueRows({ row, values }: Unsigned, origins: Origins): (readonly [string, string])[] {
  return Object.entries(origins).flatMap(([key, origin]) => {
    const text = valueText(row, key, values[key]);
    if (text === undefined || isTyped(origin)) return [];
    return [[nameOf(key), `${text} (from ${origin})`] as const];
  });
}

/**
 * The profile and its values that were not typed, each with where it came from. Endpoint ids are listed only when one
 * is given.
 */
export function connectionRows({ connection }: Session, endpointId?: string): (readonly [string, string])[] {
  const wanted = ['profile', 'base-url', 'login', ...(endpointId === undefined ? [] : ['endpoint-id'])];
  return connection
    .filter(
      ({ key, value, origin }) =>
        !isTyped(origin) && (wanted.includes(key) || isChosenEndpoint(key, value, endpointId)),
    )
    .map(({ key, value, origin }) => [key, `${value} (from ${origin})`] as const);
}

function isChosenEndpoint(key: string, value: string, endpointId: string | undefined): boolean {
  return key.startsWith('endpoints.') && value === endpointId;
}

function isTyped(origin: string): boolean {
  return origin.startsWith('flag ') || ['argument', 'prompt', 'generated'].includes(origin);
}

const maxCharacters = 80;

/** A card by its last digits, an account by its last four characters, anything else as it is, cut where it is long. */
function valueText(row: Unsigned['row'], key: string, value: string | undefined): string | undefined {
  const field = row.fields[key];
  if (field === undefined || value === undefined || value === '') return undefined;
  const text = maskPairs(row, [[field.wire, value]])
    .map(([, shown]) => shown)
    .join('');
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

function nameOf(key: string): string {
  return flagOf(key).slice(2).replaceAll('-', ' ');
}

/** The amount for the question, and in words for the list above it; `ofOrder` is what the gateway said of its order. */
function amountTexts(
  paymentValue: PaymentValue,
  minor: string | undefined,
  ofOrder?: Sum,
): { readonly short: string; readonly long: string } {
  if (paymentValue.kind === 'unknown')
    return { short: 'an unknown amount', long: 'unknown: paycli does not know the effect of this path' };
  if (paymentValue.kind !== 'named') {
    const all = 'everything that is left of the order';
    if (ofOrder === undefined) return { short: all, long: all };
    return { short: `${all} of ${sumText(ofOrder)}`, long: `${all}, which was made for ${minorText(ofOrder)}` };
  }
  const { sum } = paymentValue;
  // A range or a list of amounts: what is confirmed is the largest of them.
  const upTo = minor === sum.minor ? '' : 'up to ';
  const text = `${upTo}${minorText(sum)}`;
  return { short: text, long: text };
}

/** `10.42 EUR (1042 in minor units)`: a misplaced point is seen. */
export function minorText(sum: Sum): string {
  return `${sumText(sum)} (${sum.minor} in minor units)`;
}
