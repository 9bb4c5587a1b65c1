import { type Intent, type Journal, queryableStates, type Waiting } from '../journal/index.js';
import { replyField } from '../spec/index.js';
import type { Classified } from './classify.js';
import { needsOwnStatus } from './evidence.js';
import { PaymentRecord } from './payment-record.js';

type Fields = ReadonlyMap<string, string>;

/** What the journal has about an order once a status answer was recorded. */
export interface JournalUpdate {
  /** The step that the order expects from its payer. */
  readonly waiting: Waiting | undefined;
  /** Requests on it that are in conflict, now or since earlier: a person has to decide. */
  readonly conflicts: readonly Intent[];
  /** All its requests in the journal. */
  readonly requests: readonly Intent[];
}

export const noUpdate: JournalUpdate = { waiting: undefined, conflicts: [], requests: [] };

/** Where status was queried, and how its amounts are read. */
interface SyncContext {
  /** The gateway. */
  readonly base: string;
  readonly endpointId: string;
  /** The assumption of the profile about the digits of an amount. */
  readonly minorDigits: string;
  /** Whether the process that began a request still runs. */
  isRunning(sender: Intent['sender']): boolean;
  /** Queries the status of this one request by its serial number. */
  ownStatus(intent: Intent): Promise<Classified>;
}

/** The ids of the order that a status answer is about. */
export function orderIdsIn(fields: Fields): readonly string[] {
  return [replyField(fields, 'orderId'), replyField(fields, 'clientOrderId')].filter((id) => id !== undefined);
}

/**
 * Records what a status answer says about every request on that order: those whose outcome is open, and final ones
 * that it contradicts. Throws STORAGE where the journal cannot be read.
 */
export async function applyStatusToJournal(
  fields: Fields,
  journal: Journal,
  context: SyncContext,
): Promise<JournalUpdate> {
  const known: Intent[] = [];
  for (const intent of entriesOf(fields, journal, context)) known.push(await applyTo(intent, fields, journal, context));
  return {
    waiting: known.map((intent) => journal.waiting(intent)).find((waiting) => waiting !== undefined),
    conflicts: known.filter(({ state }) => state === 'conflict'),
    requests: known,
  };
}

/**
 * Those on the order of a status answer. Open ones first: their outcome may prove that of the others. The gateway gives
 * its id once, but the client order id of the answer may be that of another order at another endpoint.
 */
function entriesOf(fields: Fields, journal: Journal, { base, endpointId }: SyncContext): Intent[] {
  const orderId = replyField(fields, 'orderId');
  const found = new Map(
    orderIdsIn(fields)
      .flatMap((order) => journal.list({ base, order }))
      .map((intent) => [intent.id, intent]),
  );
  const isOpen = ({ state }: Intent): boolean => queryableStates.includes(state);
  const isAmbiguous = new Set([...found.values()].map((intent) => intent.endpointId)).size > 1;
  const all = [...found.values()].filter(
    (intent) =>
      !isAmbiguous || intent.endpointId === endpointId || (orderId !== undefined && intent.orderId === orderId),
  );
  return [...all.filter(isOpen), ...all.filter((intent) => intent.state !== 'planned' && !isOpen(intent))];
}

async function applyTo(
  intent: Intent,
  fields: Fields,
  journal: Journal,
  { minorDigits, isRunning, ownStatus }: SyncContext,
): Promise<Intent> {
  if (intent.state === 'sending' && isRunning(intent.sender)) return intent;
  const record = new PaymentRecord(journal, intent, minorDigits);
  const evidence = await record.evidence(fields);
  const needsOwn = needsOwnStatus(intent, evidence, fields);
  if (evidence.proves === 'nothing' && !needsOwn) return record.intent;
  const best = needsOwn ? ownFields(await ownStatus(intent), fields) : fields;
  if (best === undefined) return record.intent;
  record.markAbandoned();
  await record.applyStatus(best);
  return record.intent;
}

/** A gateway may not know serial numbers; without an answer nothing is recorded, and the next query resolves it. */
function ownFields({ class: kind, fields: own }: Classified, fields: Fields): Fields | undefined {
  return kind === 'refused' ? fields : kind === 'accepted' ? own : undefined;
}
