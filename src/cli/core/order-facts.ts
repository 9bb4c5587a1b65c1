import type { SeenOrder, Sum } from '../../journal/port.js';
import { type Fields, rowOf } from '../../payments/evidence.js';
import { storableFields } from '../../payments/request.js';
import { isFinal, isSuccess, isUnknownWord, payerStepIn, replyField, replyNames } from '../../spec/index.js';
import type { KnownFacts, Step, TransactionKind } from '../../spec/lifecycle.js';
import { isOfFollowUp, namedKindIn } from '../../spec/transaction-words.js';
import { isDecimal, readSum, shareOf } from '../../wire/amount.js';
import type { Session } from '../session.js';

/** What opened the order, and whether something was captured, where its newest transaction is one that follows. */
const followUps: Partial<Readonly<Record<TransactionKind, KnownFacts>>> = {
  capture: { opened: 'preauth' },
  cancel: { opened: 'preauth', captured: 'nothing' },
  void: { captured: 'nothing' },
  reversal: {},
};

/**
 * What a status reply alone shows of an order. It describes the newest transaction (A42); what it does not say is not
 * known.
 */
export function factsInStatus(fields: Fields): KnownFacts {
  const kind = namedKindIn(fields);
  const status = replyField(fields, 'status');
  if (kind === undefined || status === undefined) return {};
  const card = replyField(fields, 'cardRef') === undefined ? undefined : 'kept';
  const before = followUps[kind];
  if (before !== undefined)
    return {
      ...{ ...before, status: 'approved', step: 'none', card },
      following: isFinal(status) ? 'none' : 'processing',
      captured: kind === 'capture' && isSuccess(status) ? capturedIn(fields) : before.captured,
      returned: returnedIn(fields, fields.get('initial-amount'), kind),
      voided: kind === 'void' ? (isSuccess(status) ? 'yes' : undefined) : 'no',
    };
  const takesMoney = kind === 'sale' || kind === 'preauth';
  return {
    ...{ opened: kind, step: stepIn(fields, kind), following: 'none', voided: 'no' },
    status: isUnknownWord(status) ? undefined : status,
    captured: kind === 'preauth' ? 'nothing' : undefined,
    returned: takesMoney ? returnedIn(fields, fields.get('initial-amount') ?? fields.get('amount'), kind) : 'nothing',
    card: kind === 'payout' || kind === 'payout-check' || kind === 'transfer' ? 'none' : card,
  };
}

/** What an operation opened, where that is one kind of transaction: a later one of the order does not say it. */
export function openedBy(operation: string): TransactionKind | undefined {
  const { types: [type = '', ...others] = [], stage = '' } = rowOf(operation)?.namedByStatus ?? {};
  const names = new Map([
    ['transaction-type', type],
    ['order-stage', `${stage}_`],
  ]);
  return others.length === 0 ? namedKindIn(names) : undefined;
}

function capturedIn(fields: Fields): KnownFacts['captured'] {
  const [amount, whole] = [fields.get('amount') ?? '', fields.get('initial-amount') ?? ''];
  return isDecimal(amount) && isDecimal(whole) ? shareOf(amount, whole) : undefined;
}

/** Of the whole order; of a hold of which nothing was captured, a return of all of it releases it. */
function returnedIn(fields: Fields, whole: string | undefined, kind: TransactionKind): KnownFacts['returned'] {
  const total = replyField(fields, 'totalReversed') ?? '';
  if (!isDecimal(total) || whole === undefined || !isDecimal(whole)) return undefined;
  const share = shareOf(total, whole);
  return share === 'all' && (kind === 'preauth' || kind === 'cancel') ? 'hold' : share;
}

function stepIn(fields: Fields, kind: TransactionKind): Step {
  const open = payerStepIn(fields, false);
  if (open !== undefined && open !== 'nothing') return open === 'three-d-secure' ? 'simplified' : open;
  const stage = replyField(fields, 'stage')?.toLowerCase() ?? '';
  if (stage.endsWith('_starting')) return 'form';
  if (kind !== 'payout-check') return 'none';
  return stage.endsWith('_validated') ? 'validated' : stage.endsWith('_validating') ? 'validating' : 'none';
}

type Place = Pick<Session, 'gatewayBase' | 'login' | 'name' | 'class' | 'assume'>;

/** The amount of an order as a status reply states it; that of a later transaction may be a part of it. */
export function amountOfOrder(
  fields: Fields,
  { assume }: Pick<Session, 'assume'>,
  endpointId: string,
): Sum | undefined {
  const isOpening = fields.has('transaction-type') && !isOfFollowUp(fields);
  const text = fields.get('initial-amount') ?? (isOpening ? fields.get('amount') : undefined);
  return readSum(text, replyField(fields, 'currency') ?? '', assume['minor-digits'], endpointId);
}

/** An order as a status reply shows it, to be listed beside those that were sent from here; undefined without its id. */
export function seenOrder(fields: Fields, session: Place, at: number, endpointId = ''): SeenOrder | undefined {
  const orderId = replyField(fields, 'orderId');
  const status = replyField(fields, 'status');
  if (orderId === undefined || status === undefined) return undefined;
  const named = replyNames('lastFour', 'destinationLastFour').map((name) => fields.get(name) ?? '');
  return {
    ...{ base: session.gatewayBase, login: session.login, profile: session.name, class: session.class },
    ...{ orderId, status, at },
    clientOrderId: replyField(fields, 'clientOrderId'),
    type: replyField(fields, 'transactionType'),
    sum: amountOfOrder(fields, session, endpointId),
    card4: named.find((digits) => /^\d{4}$/.test(digits)),
    outcome: storableFields(fields),
  };
}
