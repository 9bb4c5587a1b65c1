import { type Journal, type Lease, type Sum, sumOfUnits, sumText, type Terms, unitsOf } from '../../journal/index.js';
import type { Unsigned } from '../../signing/index.js';
import { decimalText } from '../../wire/amount.js';
import { timeText } from '../present/time.js';
import type { Session } from '../session.js';
import type { Tools } from '../talk.js';
import { checkCaps } from './caps.js';
import { confirmByLogin, placeText, type Statement } from './confirm.js';
import { findLease } from './lease.js';
import { amountInWords } from './words.js';
import { type Amount, countsOf, type Worth, worthOf } from './worth.js';

interface Desk {
  readonly journal: Journal;
  readonly tools: Tools;
  /** The intent this is about, which may count already. */
  readonly except: number;
}

/**
 * Leave to send one request: within the caps of its profile and, on live, with the merchant login given or a lease in its
 * place. Throws CAP_EXCEEDED or LIVE_GUARD.
 */
export async function permit(unsigned: Unsigned, { journal, tools, except }: Desk): Promise<Terms> {
  const { session, options, runtime, report } = tools;
  const { row } = unsigned;
  const worth = worthOf(unsigned, session, journal);
  const counts = countsOf(worth);
  const day = checkCaps(row, worth, counts, session);
  if (day !== undefined && counts !== undefined) journal.checkDay(day, counts, except);
  if (row.effect !== 'money') return {};
  const terms: Terms = { counts, day };
  if (session.class !== 'live') return terms;
  // A login that is given anyway saves the lease.
  const leases = options.confirmLogin === undefined ? journal.leases() : [];
  const { lease, why } = findLease(leases, { row, worth, counts, session, runtime });
  if (lease === undefined) {
    await confirmByLogin(statementOf(unsigned, worth, why, session), tools);
    return terms;
  }
  report.notes([leaseNote(lease, counts)]);
  return { ...terms, lease: lease.id };
}

function statementOf(unsigned: Unsigned, worth: Worth, lease: string | undefined, session: Session): Statement {
  const { row, values } = unsigned;
  const ids = [values['orderId'], values['clientOrderId']].filter((id) => id !== undefined).join(' / ');
  const { short, long } = amountTexts(worth, unsigned.minor);
  return {
    title: `LIVE ${row.command}: this moves real money`,
    rows: [
      ['amount', long],
      ...(ids === '' ? [] : [['order', ids] as const]),
      ['where to', placeText(session)],
      ...(lease === undefined ? [] : [['lease', lease] as const]),
    ],
    question: `LIVE ${row.command} of ${short}: type the merchant login to go on`,
    why: `a live payment needs a confirmation${lease === undefined ? '' : ` (${lease})`}`,
  };
}

/** For the question, and in words to be read aloud. */
function amountTexts(worth: Worth, minor: string | undefined): { readonly short: string; readonly long: string } {
  if (worth.kind === 'unknown') return { short: 'an unknown amount', long: 'unknown: nobody here knows what this path does' };
  if (worth.kind !== 'named') {
    const known = worth.kind === 'whole' && worth.amount !== undefined ? `, at most ${inWords(worth.amount)} by the journal` : '';
    return { short: 'the whole amount', long: `the whole amount of the order${known}` };
  }
  const { amount } = worth;
  // A range or a list of amounts: what is confirmed is the largest of them.
  const upTo = minor === String(amount.minor) ? '' : 'up to ';
  const short = `${upTo}${decimalText(amount.minor, amount.digits)} ${amount.currency} (${amount.minor} in minor units)`;
  return { short, long: `${upTo}${inWords(amount)}` };
}

function inWords({ minor, digits, currency }: Amount): string {
  return amountInWords(minor, digits, currency);
}

function leaseNote({ id, left, max, until }: Lease, counts: Sum | undefined): string {
  const after = sumOfUnits(unitsOf(left) - (counts === undefined ? 0n : unitsOf(counts)), left.currency);
  return `lease ${id} stands in for the merchant login: ${sumText(after)} of ${sumText(max)} left after this, until ${timeText(until)} UTC`;
}
