import { fail, stopError } from '../../../errors/index.js';
import type { Request } from '../../../journal/port.js';
import type { Classified } from '../../../payments/classify.js';
import { type StatusQuery, statusRequest } from '../../../payments/exchange.js';
import { opensForm, payerStepIn, payerSteps, replyField, statusQuery } from '../../../spec/index.js';
import { watchCallbacks } from '../../callback-watch.js';
import { failureOfRead, unknownAtGateway } from '../../core/order-query.js';
import { idsOf, type NamedOrder, requestsOnOrder } from '../../core/order-requests.js';
import { conflictIn } from '../../core/submission.js';
import { callbacksPath } from '../../core/user-stores.js';
import { type Fields, isCheckedPayout, waitingDocument, waitingIn } from '../../format/meaning.js';
import { type GatewayContext, type Tools, updateJournal, withGateway } from '../../gateway.js';
import { exitOfDoubt, print } from '../../print-reply.js';
import { endOfWait, exitOfWait, type WaitEnd, waitForOrder } from '../../wait.js';

const row = statusQuery;
const waitMethods = ['callback', 'poll'] as const;
type WaitMethod = (typeof waitMethods)[number];

/**
 * `status --wait`: waits for the outcome of an order by callbacks and polling, whichever is first. Sends only status
 * requests. Throws USAGE, REFUSED, READ_FAILED or CERTIFICATE.
 */
export async function waitForStatus(
  { orderId, clientOrderId, bySerial }: Omit<StatusQuery, 'endpointId'>,
  tools: Tools,
): Promise<number> {
  const { options, session } = tools;
  const via = parseWaitMethods(options.via ?? waitMethods.join());
  const timeoutMs = options.waitTimeout ?? session.waitMs;
  const query = await queryFor({ order: undefined, orderId, clientOrderId }, tools);
  return withGateway(tools, (gateway) =>
    waitFor({
      gateway,
      ...query,
      about: { ...query.about, bySerial },
      via,
      expect: options.expect,
      timeoutMs,
    }),
  );
}

function parseWaitMethods(text: string): readonly WaitMethod[] {
  const words = text.split(',');
  const known = waitMethods.filter((way) => words.includes(way));
  if (known.length === 0 || known.length < new Set(words).size)
    throw fail('USAGE', { why: '--via: use callback, poll, or both with a comma in between', command: 'status' });
  return known;
}

/** Queries the endpoint the order was sent to, unless another is given. */
async function queryFor(
  named: NamedOrder,
  { options: { endpointId }, session, runtime }: Tools,
): Promise<Pick<Wait, 'about' | 'isForm' | 'known'>> {
  const requests = await requestsOnOrder(named, 'status', session, runtime);
  const known = endpointId === undefined ? requests.at(-1)?.endpoint : undefined;
  const about = { endpointId: known ?? session.endpointFor(row, undefined), ...idsOf(requests, named) };
  return { about, isForm: requests.some(({ operation }) => opensForm(operation)), known: requests };
}

interface Wait {
  readonly gateway: GatewayContext;
  readonly about: StatusQuery;
  /** The journal knows that a hosted form opened the order. */
  readonly isForm: boolean;
  /** The requests on the order, as the journal knew them. */
  readonly known: readonly Request[];
  readonly via: readonly WaitMethod[];
  /** The only status that counts as success; any successful one when left out. */
  readonly expect: string | undefined;
  readonly timeoutMs: number;
}

async function waitFor(wanted: Wait): Promise<number> {
  const { gateway, about, via, expect, timeoutMs, isForm } = wanted;
  const { runtime, session } = gateway;
  const watcher = via.includes('callback') ? await watchCallbacks(gateway, about) : undefined;
  hintAtListener(wanted);
  let isShown = false;
  const wait = {
    ...{ end: runtime.clock.monotonic() + timeoutMs, watcher, isForm, waitsForPayer: true },
    // Without polling, one query at the start and one at the end remain.
    pauses: via.includes('poll') ? session.pauses : [Number.POSITIVE_INFINITY],
    until: expect === undefined ? isCheckedPayout : undefined,
    asked(answer: Classified) {
      if (!isShown) isShown = sayPayer(wanted, answer);
    },
  };
  return reportWait(wanted, await waitForOrder(about, wait, gateway), watcher?.wokenBy() ?? 'poll');
}

function hintAtListener({ gateway: { runtime, report }, via }: Wait): void {
  if (via.includes('poll') || runtime.files.exists(callbacksPath(runtime))) return;
  report.notes(['no callback has been received here yet; `paycli callback listen` receives them']);
}

/** A wait for a payer can be long, and what it is for should not be known only at its end. */
function sayPayer({ gateway: { report }, isForm }: Wait, { class: kind, fields }: Classified): boolean {
  const step = kind === 'accepted' && fields !== undefined ? payerStepIn(fields, isForm) : undefined;
  if (step === undefined || step === 'nothing') return false;
  report.notes([`waiting for the payer: ${payerSteps[step]}; Ctrl-C ends the wait and leaves the order as it is`]);
  return true;
}

async function reportWait(wait: Wait, waited: WaitEnd, wokenBy: WaitMethod): Promise<number> {
  const { gateway, expect, about } = wait;
  const { session, report, stop, connection } = gateway;
  if (waited.kind === 'read-failed') throw await readFailure(wait, waited.last, waited.fields);
  const { fields, polls } = waited;
  if (fields === undefined) throw stopError(stop.signal);
  const requests = await updateJournal(gateway, fields, about.endpointId);
  const conflict = conflictIn(requests);
  const ended = () => (waited.kind === 'stopped' ? stopError(stop.signal).exit : exitOfWait(waited, expect));
  const isContradicted = conflict !== undefined && waited.kind !== 'stopped';
  const exit = isContradicted ? exitOfDoubt(conflict, session) : ended();
  const submission = {
    ...gateway,
    unsigned: statusRequest(about, connection.target),
    record: undefined,
    waitEnd: () => 0,
  };
  const more = { wokenBy, waiting: waitingDocument(waitingIn(requests)) };
  await print(submission, fields, exit, { requests, polls, more });
  if (wokenBy === 'callback') report.notes(['a callback arrived, so the status was queried at once']);
  if (waited.kind === 'timeout') report.notes([endOfWait(fields, wait.timeoutMs)]);
  if (waited.kind === 'stopped')
    report.warn(['interrupted; only status requests were sent, so the order is as it was at the gateway']);
  return exit;
}

/** The error for a status that could not be read. */
function readFailure(
  { gateway, about, known }: Wait,
  classified: Classified,
  last: Fields | undefined,
): Promise<Error> {
  const question = statusRequest(about, gateway.connection.target);
  const before = last && `the last reply before that was ${replyField(last, 'status') ?? ''}`;
  const error = failureOfRead(classified, question, gateway.session, before);
  return unknownAtGateway(error, { ids: about, requests: known }, gateway);
}
