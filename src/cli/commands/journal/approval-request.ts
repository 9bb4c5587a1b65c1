import { createHash } from 'node:crypto';
import { digitsOfSum, type Intent, type Journal, sumText } from '../../../journal/index.js';
import type { Approvable } from '../../../payments/second-person.js';
import type { Runtime } from '../../../runtime/ports.js';
import { amountInWords } from '../../format/amount-in-words.js';
import { commandOf } from '../../format/journal-entries.js';

/** The action requested for a journal entry. */
export interface Wanted {
  readonly action: 'send it once more' | 'settle it as paid' | 'settle it as not paid';
  readonly evidence?: string | undefined;
}

/** The parts of a request with their labels, in the order they are signed. */
const parts = {
  action: 'what',
  evidence: 'evidence',
  operation: 'operation',
  order: 'order',
  clientOrderId: 'client order id',
  amount: 'amount',
  amountInWords: 'in words',
  gateway: 'gateway',
  endpointId: 'endpoint',
  login: 'login',
  profile: 'profile',
  class: 'class',
  entry: 'entry',
  firstMadeAt: 'first made',
  lastMove: '',
  askedBy: 'requested by',
  askedById: 'user id',
  askedOn: 'on host',
} as const;

type Part = keyof typeof parts;
const names = Object.keys(parts).filter((name): name is Part => name in parts);

/** The request that a second person approves; a part that does not apply is empty. */
export type ApprovalRequest = Readonly<Record<Part, string>>;

/**
 * A request about one entry in its current state. After a state change, such as the allowed attempt, it would be a
 * different request.
 */
export function requestAbout(
  intent: Intent,
  { action, evidence }: Wanted,
  journal: Journal,
  { processes }: Runtime,
): ApprovalRequest {
  const { sum } = intent;
  return {
    action,
    evidence: evidence ?? '',
    operation: commandOf(intent),
    order: intent.orderId ?? '',
    clientOrderId: intent.clientOrderId ?? '',
    amount: sum === undefined ? '' : sumText(sum),
    amountInWords: sum === undefined ? '' : amountInWords(BigInt(sum.minor), digitsOfSum(sum), sum.currency),
    gateway: intent.base,
    endpointId: intent.endpointId,
    login: intent.login,
    profile: intent.profile,
    class: intent.class,
    entry: String(intent.id),
    firstMadeAt: new Date(intent.madeAt).toISOString(),
    // A conflict with a known outcome is a line that leaves the state unchanged.
    lastMove: journal.linesAbout(intent.id).findLast(({ from, to }) => from !== to || to === 'conflict')?.hash ?? '',
    askedBy: processes.user.name,
    askedById: processes.user.id,
    askedOn: processes.host,
  };
}

/** The request in the form that a second person signs. */
export function approvableRequest(request: ApprovalRequest): Approvable {
  const digest = digestOf(request);
  return {
    statement: ['paycli resolve approval 1', digest],
    digest,
    asker: { name: request.askedBy, id: request.askedById },
    approvalMs: 24 * 3_600_000,
    words: { did: 'requested it', noun: 'request' },
  };
}

function digestOf(request: ApprovalRequest): string {
  return createHash('sha256')
    .update(JSON.stringify(names.map((name) => request[name])))
    .digest('hex');
}

const schema = 'paycli.approval-request-file/1';

/** The text of a file with the request. */
export function requestText(request: ApprovalRequest): string {
  return `${JSON.stringify({ schema, digest: digestOf(request), ...request }, undefined, 2)}\n`;
}

/** The request in such a file; undefined when it is none, or was changed after it was made. */
export function requestIn(document: Readonly<Record<string, unknown>>): ApprovalRequest | undefined {
  const text = (name: Part) => (typeof document[name] === 'string' ? document[name] : '');
  const request = Object.fromEntries(names.map((name) => [name, text(name)])) as ApprovalRequest;
  return document['schema'] === schema && document['digest'] === digestOf(request) ? request : undefined;
}

/** The rows shown to an approver before signing. */
export function requestRows(request: ApprovalRequest): readonly (readonly [name: string, text: string])[] {
  const rows = names.flatMap((name) =>
    parts[name] === '' || request[name] === '' ? [] : [[parts[name], request[name]] as const],
  );
  return [...rows, ['digest', digestOf(request)]];
}
