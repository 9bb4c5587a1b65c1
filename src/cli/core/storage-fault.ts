import { fail, isPaycliError, type PaycliError } from '../../errors/index.js';
import type { Request } from '../../journal/port.js';
import type { Classified } from '../../payments/classify.js';
import { isBeyondStatus } from '../../payments/evidence.js';
import { nameOf } from '../../payments/words.js';
import { orderCommand } from '../format/meaning.js';
import { howToClose, type Tools } from '../gateway.js';
import type { Session } from '../session.js';

/** A request that was sent. */
interface SentRequest {
  readonly request: Request;
  /** How its attempt ended, where that could not be recorded. */
  readonly unrecorded?: Classified['class'];
}

/** The error for a journal that failed after a request was sent: the outcome stands, but is not recorded yet. */
export function storageFaultAfter(
  { facts }: PaycliError,
  sent: SentRequest,
  { session }: Pick<Tools, 'session'>,
): PaycliError {
  const how = `the outcome of the request is still shown; check the disk, then ${afterwards(sent, session)}`;
  return fail('STORAGE', { ...facts, how });
}

const unseenByStatus: Readonly<Partial<Record<Classified['class'], string>>> = {
  refused: 'the gateway refused it',
  'not-sent': 'it was not sent',
  certificate: 'it was not sent',
};

/** A status reply shows only requests that the gateway accepted. */
function afterwards({ request, unrecorded }: SentRequest, session: Pick<Session, 'flags'>): string {
  const clause = unrecorded === undefined ? undefined : unseenByStatus[unrecorded];
  if (clause !== undefined)
    return `record manually that ${clause}, because no status reply will show it again: \`paycli resolve --entry ${request.id} --settle-as not-paid --evidence '${clause}'${session.flags}\`; another request needs a new client order id`;
  if (unrecorded !== undefined && isBeyondStatus(request.operation)) return howToClose(request, session);
  return `\`${commandFor('resolve', request, session.flags)}\` brings the journal up to date`;
}

/**
 * The error for output that failed after a request was sent: it must not suggest sending again. `outcome` is what would
 * have been shown. Throws any other error than STORAGE.
 */
export function faultOfOutput(
  error: unknown,
  request: Request,
  outcome: string,
  { flags }: Pick<Session, 'flags'>,
): PaycliError {
  if (!isPaycliError(error) || error.code !== 'STORAGE') throw error;
  const how = `the request was sent; do not send it again: ${outcome}; \`${commandFor('journal', request, flags)}\` shows it`;
  return fail('STORAGE', { ...error.facts, how });
}

/** A command about the order of an entry. */
export function commandFor(command: string, request: Request, flags: string): string {
  return orderCommand(command, { orderId: undefined, clientOrderId: undefined, either: nameOf(request), flags });
}
