import { fail } from '../../errors/index.js';
import type { Waiting } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import { failureFacts } from '../../payments/failure.js';
import { noUpdate } from '../../payments/journal-sync.js';
import { aborted } from '../../payments/sleep.js';
import { queryStatus, type StatusQuery, statusRequest } from '../../payments/status-query.js';
import { type Waited, waitForOutcome } from '../../payments/wait.js';
import type { Runtime } from '../../runtime/ports.js';
import { opensForm, operationById, replyField } from '../../spec/index.js';
import { hostOf } from '../../wire/address.js';
import { callbacksPath } from '../callbacks/history.js';
import { idsOf, inJournal, type NamedOrder, requestsOn } from '../known-order.js';
import { updateJournal } from '../learning.js';
import type { CommonOptions } from '../options.js';
import { exitOfWait, exits } from '../outcome.js';
import { type Fields, isCheckedPayout, meaningOf, type OrderName, orderCommand, stepOf } from '../present/meaning.js';
import { adviceAfterRefusal } from '../present/refusal.js';
import { waitingDocument, waitingText, waitsIn } from '../present/waiting.js';
import { printReply, printUnexpected } from '../printing.js';
import { seconds } from '../seconds.js';
import type { Session } from '../session.js';
import { type GatewayContext, withGateway } from '../talk.js';
import { clockWithProgress, showWaitProgress } from '../waiting.js';
import { type CallbackWatcher, watchCallbacks } from '../waking.js';
import { withSession } from '../with-session.js';

export interface WaitCommandOptions extends CommonOptions {
  readonly clientOrderId?: string;
  readonly for?: string;
  readonly via?: string;
}

const row = operationById('STATUS');
const ways = ['callback', 'poll'] as const;
type Way = (typeof ways)[number];

/** Waits for the outcome of an order by callbacks and questions, whichever comes first. Sends nothing but status. */
export async function runWait(order: string | undefined, options: WaitCommandOptions, runtime: Runtime): Promise<number> {
  const named: NamedOrder = { order, clientOrderId: options.clientOrderId };
  if (named.order === undefined && named.clientOrderId === undefined)
    throw usage('name the order by its order id, by --client-order-id, or by both');
  const via = readWays(options.via ?? ways.join());
  // Here it is the time of the whole wait, not that of one reply.
  const { timeout, ...common } = options;
  const timeoutMs = seconds('--timeout', timeout, 3600);
  return withSession(common, runtime, async (session, report) => {
    const { about, isForm } = await questionAbout(named, common, session, runtime);
    return withGateway(row, { options: common, session, report, runtime }, (talk) =>
      waitFor({
        talk,
        about,
        isForm,
        via,
        expect: options.for === 'final' ? undefined : options.for,
        timeoutMs: timeoutMs ?? session.waitMs,
      }),
    );
  });
}

function usage(why: string): Error {
  return fail('USAGE', { why, command: 'wait' });
}

function readWays(text: string): readonly Way[] {
  const words = text.split(',');
  const known = ways.filter((way) => words.includes(way));
  if (known.length === 0 || known.length < new Set(words).size) throw usage('--via takes callback, poll, or both with a comma in between');
  return known;
}

/** At the endpoint the order was sent to, unless another one is named. */
async function questionAbout(
  named: NamedOrder,
  { endpointId }: CommonOptions,
  session: Session,
  runtime: Runtime,
): Promise<Pick<Wait, 'about' | 'isForm'>> {
  const intents = await inJournal(runtime, [], (journal) => requestsOn(journal, session.place, named, 'wait'));
  const known = endpointId === undefined ? intents.at(-1)?.endpointId : undefined;
  const about = { endpointId: known ?? session.endpointFor(row, undefined), ...idsOf(intents, named) };
  return { about, isForm: intents.some(({ operation }) => opensForm(operation)) };
}

interface Wait {
  readonly talk: GatewayContext;
  readonly about: StatusQuery;
  /** The journal knows that a hosted form opened the order. */
  readonly isForm: boolean;
  readonly via: readonly Way[];
  /** The one word that counts as success; any final one when left out. */
  readonly expect: string | undefined;
  readonly timeoutMs: number;
}

async function waitFor(wait: Wait): Promise<number> {
  const { talk, about, via, expect, timeoutMs } = wait;
  const { runtime, session } = talk;
  const waking = via.includes('callback') ? await watchCallbacks(talk, about) : undefined;
  hintAtListener(wait);
  const line = showWaitProgress(about, talk, wait.isForm);
  let last: Fields | undefined;
  try {
    const waiting = waitForOutcome({
      ask: async () => {
        const answer = line.asked(await queryStatus(talk.connection, about, talk.watched));
        if (answer.class === 'accepted') last = answer.fields;
        return answer;
      },
      clock: clockWithProgress(waking?.clock ?? runtime.clock, line),
      random: runtime.random,
      timeoutMs,
      // Without polls one question at the beginning and one at the end remain.
      pauses: via.includes('poll') ? session.pauses : [Number.POSITIVE_INFINITY],
      until: expect === undefined ? isCheckedPayout : undefined,
    });
    const waited = await Promise.race([waiting, aborted(talk.watched.signal)]);
    line.end();
    return await told(wait, waited, last, waking);
  } finally {
    line.end();
    waking?.close();
  }
}

function hintAtListener({ talk: { runtime, report }, via }: Wait): void {
  if (via.includes('poll') || runtime.files.exists(callbacksPath(runtime))) return;
  report.notes(['no callback was ever received here; `paycli callback listen` receives them']);
}

async function told(
  wait: Wait,
  waited: Waited | 'stopped',
  last: Fields | undefined,
  waking: CallbackWatcher | undefined,
): Promise<number> {
  const { talk, expect } = wait;
  if (waited !== 'stopped' && waited.kind === 'read-failed') throw unanswered(wait, waited.last, last);
  const fields = waited === 'stopped' ? last : waited.fields;
  const { waiting, conflicts } = fields === undefined ? noUpdate : await updateJournal(talk, fields, wait.about.endpointId);
  const wokenBy = waking?.wokenBy() ?? 'poll';
  if (waited !== 'stopped') {
    const exit = conflicts.length > 0 ? exits.unknown : exitOfWait(waited, expect);
    return show(wait, waited.fields, { exit, isLate: waited.kind === 'timeout', wokenBy, waiting });
  }
  const interrupted = fail(talk.stop.signal.reason === 'SIGTERM' ? 'TERMINATED' : 'INTERRUPTED');
  if (fields === undefined) throw interrupted;
  await show(wait, fields, { exit: interrupted.exit, isLate: true, wokenBy, waiting });
  talk.report.warn(['interrupted; nothing but status was asked, and the order goes on by itself']);
  return interrupted.exit;
}

/** Why nobody could say where the order stands. */
function unanswered({ talk, about }: Wait, classified: Classified, last: Fields | undefined): Error {
  const { class: kind, reason } = classified;
  const question = statusRequest(about, talk.connection.target);
  const facts = failureFacts(classified);
  if (kind === 'refused') return fail('REFUSED', { ...facts, how: adviceAfterRefusal(classified, question, talk.session) });
  if (kind === 'certificate') return fail('CERTIFICATE', { host: hostOf(question.url), why: reason });
  const before = last === undefined ? '' : `; the last answer before that was ${replyField(last, 'status') ?? ''}`;
  return fail('READ_FAILED', { ...facts, why: `${facts.why}${before}` });
}

interface Ending {
  readonly exit: number;
  /** The wait ended before the order did. */
  readonly isLate: boolean;
  readonly wokenBy: Way;
  /** What the journal says that the payer has to do. */
  readonly waiting: Waiting | undefined;
}

async function show({ talk, about, isForm, expect }: Wait, fields: Fields, { exit, isLate, wokenBy, waiting }: Ending): Promise<number> {
  const { session, report } = talk;
  const order: OrderName = {
    orderId: replyField(fields, 'orderId') ?? about.orderId,
    clientOrderId: about.clientOrderId ?? replyField(fields, 'clientOrderId'),
    flags: session.flags,
  };
  const { clientOrderId } = order;
  const { text, tone, next } = meaningOf(row, fields, order);
  const waits = waitsIn(fields, waiting, isForm);
  const words = stepOf(fields, order) === undefined ? [] : [text];
  const told = waits === undefined ? text : [waitingText(waits), ...words].join('; ');
  const ending = { ok: exit === exits.ok, exit, text: told, tone, next: isLate ? orderCommand('wait', order) : next };
  await printReply({ row, endpointId: about.endpointId, clientOrderId, session, report }, fields, ending, {
    wokenBy,
    waiting: waitingDocument(waits === undefined ? undefined : waiting),
  });
  if (wokenBy === 'callback') report.notes(['a callback came, so status was asked at once']);
  if (exit === exits.otherThanExpected) printUnexpected(fields, expect, report);
  return exit;
}
