import { fail } from '../errors/index.js';
import { kindOf } from '../spec/index.js';
import { digitsOf, readAmount } from '../wire/amount.js';
import { checkRequest } from '../wire/check.js';
import type { BatchConnection } from './connection.js';
import type { BatchRow } from './plan.js';

/** The operation, the profile and the assumptions of the plan. */
type RuleContext = Pick<BatchConnection, 'row' | 'place' | 'assume'>;

/**
 * Holds a frozen row against the rules once more, as its file was when it was planned: a digest tells that nobody
 * changed a plan, not that what it holds was ever right. Throws BATCH_REFUSED.
 */
export function revalidateRow(row: BatchRow, context: RuleContext): void {
  const problem = cardProblem(row, context) ?? fieldProblem(row, context) ?? sumProblem(row, context);
  if (problem !== undefined)
    throw fail('BATCH_REFUSED', {
      why: `row ${row.number}: ${problem}`,
      how: 'it was not sent; find out who changed the plan, or plan the file again',
      row: row.number,
    });
}

/**
 * Card data is accepted only in a row that refers to the file of its plan (`source`), whose bytes are authenticated;
 * security codes and other secrets are accepted nowhere.
 */
function cardProblem({ values, source }: BatchRow, { row }: RuleContext): string | undefined {
  for (const key in values) {
    const kind = row.fields[key]?.kind;
    const secrecy = kind === undefined ? undefined : kindOf(kind).secrecy;
    if (secrecy === 'secret') return 'it contains a security code or another secret, which no batch may contain';
    if (secrecy === 'card' && source === undefined) return "it contains card data that is not from the plan's file";
  }
  return undefined;
}

function fieldProblem({ values, endpointId }: BatchRow, { row, place, assume }: RuleContext): string | undefined {
  const name = (key: string) => row.fields[key]?.wire ?? key;
  return checkRequest(row, { ...values, login: place.login }, { assume, endpointId, name })[0]?.why;
}

/** Caps, totals and approvers go by the sum of a row, but the amount among its values is sent: both must be equal. */
function sumProblem({ values, sum, endpointId }: BatchRow, { row, assume }: RuleContext): string | undefined {
  const { amount, currency } = values;
  // The second step of a payout sends no amount; the gateway pays the one of the first step.
  if (row.fields['amount'] === undefined) return undefined;
  const digits = currency === undefined ? undefined : digitsOf(currency, assume['minor-digits'], endpointId);
  const read =
    amount === undefined || currency === undefined || digits === undefined
      ? undefined
      : readAmount(amount, currency, digits);
  const sent = read?.ok === true ? `${read.minor} ${currency}` : undefined;
  const counted = sum === undefined ? undefined : `${sum.minor} ${sum.currency}`;
  return sent === counted ? undefined : 'its amount differs from the one counted in the totals';
}
