import type { AttemptResult, Intent, State } from '../journal/index.js';
import {
  isRegistration,
  type Operation,
  opensForm,
  payerStepIn,
  replyField,
  replyNames,
  statusOf,
} from '../spec/index.js';
import type { Classified } from './classify.js';
import { type Evidence, evidenceFor, isAboutOperation } from './evidence.js';
import { storableFields } from './journal-entry.js';
import { approvedOtherwise } from './same-order.js';

type Fields = ReadonlyMap<string, string>;

/** The next state of an intent, and what is recorded with it. */
export interface Transition {
  readonly to: State;
  readonly result: AttemptResult;
}

/** The transition after an attempt. */
export function transitionAfter(classified: Classified, row: Operation): Transition {
  const { fields, reason } = classified;
  const to = stateAfter(classified, row);
  const waitsFor =
    to === 'accepted' && row.opens && fields !== undefined ? payerStepIn(fields, opensForm(row.id)) : undefined;
  return { to, result: { ...resultOf(fields, reason), waitsFor } };
}

/** The transition after a status answer; undefined when it proves nothing. */
export function transitionByStatus(
  intent: Intent,
  { proves, reason, isOfLater }: Evidence,
  answer: Fields,
): Transition | undefined {
  if (proves === 'nothing') return undefined;
  const { kind, operation } = intent;
  const fields = isOfLater === true ? aboutOrder(answer) : answer;
  const waitsFor = proves === 'open' && kind === 'opening' ? payerStepIn(fields, opensForm(operation)) : undefined;
  return {
    to: proves === 'open' ? 'accepted' : proves,
    result: { ...resultOf(withoutSerial(fields), reason), waitsFor, isNamed: isNamedIn(intent, answer) },
  };
}

/** The process that sent it ended before it recorded the outcome. */
export const abandoned: Transition = {
  to: 'unknown',
  result: { reason: 'the process that sent it ended before it recorded the outcome' },
};

/**
 * What a status answer proves about an intent. `others` are those of the same order, which may hold the intent itself.
 * An answer that names the serial number of the intent's own reply is about this request (A42).
 */
export function evidenceOf(intent: Intent, fields: Fields, others: readonly Intent[], minorDigits: string): Evidence {
  const isNamed = isNamedIn(intent, fields);
  const approved = isNamed ? approvedOtherwise(intent, minorDigits, fields) : undefined;
  if (approved !== undefined) return { proves: 'conflict', reason: approved };
  return evidenceFor(intent, fields, {
    others: others.filter(({ id }) => id !== intent.id),
    bySerial: intent.kind !== 'opening' && isNamed,
    minorDigits,
  });
}

/** Whether an answer names this request, and not only its order. */
function isNamedIn({ kind, operation, orderId, outcome }: Intent, fields: Fields): boolean {
  // A gateway may ignore the serial number of the query; its answer is about the newest transaction then.
  const [own, named] =
    kind === 'opening'
      ? [orderId, replyField(fields, 'orderId')]
      : [outcome['serial-number'], replyField(fields, 'bySerial')];
  return own !== undefined && own === named && isAboutOperation(operation, fields);
}

/** The gateway's id of the order that an answer is about. */
export function orderIdIn({ orderId }: Intent, fields: Fields): string | undefined {
  return orderId ?? replyField(fields, 'orderId');
}

function resultOf(fields: Fields | undefined, reason: string): AttemptResult {
  if (fields === undefined) return { reason };
  return { reason, orderId: replyField(fields, 'orderId'), outcome: storableFields(fields) };
}

/** The serial number of a status answer is that of the query; the one of the request itself has to stay. */
function withoutSerial(fields: Fields): Fields {
  return new Map([...fields].filter(([name]) => !replyNames('serial').includes(name)));
}

const ofTransaction = [
  ...replyNames('status', 'errorMessage', 'errorCode', 'stage', 'amount'),
  ...replyNames('approvalCode', 'processorId', 'processedAt'),
];

/** What an answer about a later transaction says of the order; its type says whether the order is a hold. */
function aboutOrder(fields: Fields): Fields {
  return new Map([...fields].filter(([name]) => !ofTransaction.includes(name)));
}

function stateAfter({ class: kind, fields }: Classified, row: Operation): State {
  switch (kind) {
    case 'accepted':
      return isFinalWhenAccepted(row) ? 'done' : acceptedState(fields ?? new Map());
    case 'refused':
      return 'refused';
    case 'not-sent':
    case 'certificate':
      return 'not_sent';
    default:
      return 'unknown';
  }
}

/** A card reference, a recurring payment and an upload are final once accepted; no status follows. */
function isFinalWhenAccepted({ effect, opens, records }: Operation): boolean {
  return (effect === 'write' && !opens) || isRegistration({ records });
}

function acceptedState(fields: Fields): State {
  const facts = statusOf(replyField(fields, 'status') ?? '');
  return facts?.final === true ? (facts.success ? 'done' : 'declined') : 'accepted';
}
