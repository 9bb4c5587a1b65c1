import { assertApproved } from '../../../batch/approval.js';
import { checkCapsOfRows, limitsOfRow } from '../../../batch/caps.js';
import { type Held, heldBy, heldText } from '../../../batch/history.js';
import { type BatchPlace, rowsText, totalsText } from '../../../batch/plan.js';
import { assertSentNowhere, recordSentElsewhere } from '../../../batch/probe.js';
import { assertWhole, exitCodeOf, isFinished, mayBeSent, summarize, type Tally } from '../../../batch/progress.js';
import { type BatchConnection, checkPlannedFile, RowReader, requestOf } from '../../../batch/rows.js';
import type { RunEnd } from '../../../batch/run-ports.js';
import { exits, fail, ifInterrupted, isPaycliError, type PaycliError, stopError } from '../../../errors/index.js';
import { findPages } from '../../../journal/find.js';
import { newNonceAndTimestamp } from '../../../payments/exchange.js';
import { batchHeld, moneyDocument } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { requestSigning } from '../../../signing/index.js';
import { operationById, payoutCheck } from '../../../spec/index.js';
import { defineCommand, mayPrompt, on, parsed, saysYes, type Values, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag, waitTimeoutFlag } from '../../flags.js';
import { traceExchange } from '../../format/request.js';
import { connectionFor, type Tools } from '../../gateway.js';
import { withSession } from '../../session.js';
import { wrongValue } from '../../usage.js';
import { wholeNumber } from './input.js';
import { type OpenBatch, planArgument, withBatch } from './open-batch.js';
import { runCommand } from './plan-text.js';
import { reportEvents, showResult } from './report-run.js';
import { checkBeforeRun, checkConnection, confirmBatch, placeOf } from './run-checks.js';

const runExitText =
  'Exit codes: 0 every row is done; 5 all are final, some declined; 7 some are accepted but still pending; 8 the outcome of some is unknown; 12 some remain, were refused or were not sent; 10 refused locally, for example by a cap; 13 the disk failed, or another process is using it.';

const flags = {
  concurrency: parsed('<number>', 'requests in flight at once (16)', wholeNumber(1, 256)),
  rate: parsed('<number>', 'request rate per second, minute or hour, polls included (10/s)', readRate),
  maxRows: parsed(
    '<number>',
    'send at most this many rows, with all who run the batch now; the newest limit counts',
    wholeNumber(1),
  ),
  maxUnknown: parsed('<share>', 'stop when more than this share of the last 200 outcomes is unknown (1%)', readShare),
  noWait: on('wait only for the first row; the next run resolves the other accepted rows'),
  waitTimeout: waitTimeoutFlag(
    'how long to poll the first row before sending others, and accepted rows after the last one was sent (5m; built-in sandbox: 5s)',
  ),
  askAll: on(
    'the file may have been sent from elsewhere: query every row first, and send only those the gateway does not have',
  ),
  continue: on('send rows of a batch that was paused with `paycli batch pause`; a terminal asks'),
  timeout: timeoutFlag,
  live: liveFlag,
  confirmLogin: word('<login>', 'confirm a live batch in a script'),
  noInput: on('never prompt'),
  dryRun: on('prepare and sign every row, show the first, send nothing'),
  ...connectionFlags,
  ...outputFlags,
};

type RunFlags = CommonOptions & Values<typeof flags>;

export const batchRun = defineCommand({
  summary: 'Send the rows of a plan, each once',
  help: `Send the rows of a plan, each once. First a status request checks keys, address and clock, and the orders of the unsent rows are looked up: all of them where they are at most 500, else the next 20, the last and some between; then one row is sent and polled until its status is final, then at most four at once until 20 are answered, then as many as --concurrency allows. It stops automatically when 5 outcomes in a row or more than 1% of the last 200 are unknown, or the gateway answers 401, 403 or 404. Ctrl-C waits for requests in flight; the same command continues a run that ended early: rows with an open outcome are queried, never sent again, then the unsent rows are sent.\n\nTwo-step payouts: once a payout-check plan is finished, \`paycli batch plan --pay PLAN\` makes the plan that pays. Right before each payout, the status of its check is queried again; if it has changed, the run ends with exit code 10.\n\n${runExitText}`,
  args: { plan: planArgument },
  flags,
  examples: [
    'batch run $PLAN --dry-run',
    'batch run $PLAN',
    'batch run $PLAN --concurrency 8 --rate 20/s --max-rows 1000',
    'batch run $PLAN --continue',
  ],
  effect: 'money',
  note: 'It sends every row once; the effect of a row is that of its operation.',
  result: ['batch-event', 'batch-run', 'batch-dry-run'],
  run: ({ args: { plan }, flags, runtime }) => runBatch(plan, flags, runtime),
});

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** Requests in a second. */
function readRate(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(text) ?? [];
  if (count === undefined) throw wrongValue('use requests per second, minute or hour, such as 10/s or 90/min');
  return Number(count) / (secondsPerUnit[unit] ?? 1);
}

function readShare(text: string): number {
  const [, share] = /^(\d{1,2}(?:\.\d)?|100)%$/.exec(text) ?? [];
  if (share === undefined) throw wrongValue('use a share such as 1%, 2.5% or 100%');
  return Number(share) / 100;
}

const usualRate = { concurrency: 16, rate: 10 };

/** What a run has done that a later fault of the storage must not hide. */
interface RunProgress {
  /** A row may have left. */
  hasSent: boolean;
  /** The exit code of the result that was shown, once it was. */
  exit: number | undefined;
}

/** One run of one batch. */
interface Run extends OpenBatch, Tools {
  readonly options: RunFlags;
  /** Who had paused or cancelled the batch before it. */
  readonly held: Held | undefined;
  readonly progress: RunProgress;
  /** The first signal stops a run, the second one also cuts off what is on its way. */
  readonly stop: AbortController;
  readonly abort: AbortController;
}

/** Sends what is left of a batch, and resolves what is open. */
async function runBatch(name: string, options: RunFlags, runtime: Runtime): Promise<number> {
  return withSession(options, runtime, async (session, report) => {
    const progress: RunProgress = { hasSent: false, exit: undefined };
    try {
      return await withBatch(name, runtime, async (open) => {
        const tools = { options, session, report, runtime };
        checkBeforeRun(open, tools);
        const held = await heldBy(open.journal, open.head.id);
        if (held?.state === 'cancelled')
          report.notes([`batch ${open.head.id} was ${heldText(held)}; nothing will be sent`]);
        if (options.dryRun === true) return dryRun(open, placeOf(operationById(open.head.operation), session), tools);
        const [stop, abort] = [new AbortController(), new AbortController()];
        return runToEnd({ ...open, ...tools, held, progress, stop, abort });
      });
    } catch (error) {
      return explainFault(error, `paycli batch run ${name}`, progress, report);
    }
  });
}

/**
 * Storage that fails once rows may have left does not end a run with 13, which says that nothing was sent: what became
 * of them is unknown until it was run again; after a result was shown, that one stands and the fault is told beside it.
 */
function explainFault(error: unknown, how: string, { hasSent, exit }: RunProgress, report: Reporter): number {
  if (!hasSent || !isPaycliError(error) || error.code !== 'STORAGE') throw error;
  if (exit === undefined) {
    const why = 'storage failed while rows of the batch were in flight';
    throw Object.assign(fail('OUTCOME_UNKNOWN', { may: 'money may have moved', why, how }), { beside: error });
  }
  report.error(error, exit);
  return exit;
}

const shownRows = 3;

/** Lays out and signs every row; opens no connection and writes nothing. The first few are shown, masked. */
async function dryRun({ head, journal }: OpenBatch, place: BatchPlace, tools: Tools): Promise<number> {
  const { session, report, runtime } = tools;
  const { id: plan, count, totals } = head;
  const shown = traceExchange(report);
  let signed = 0;
  const rows = new RowReader(head, { journal, files: runtime.files });
  // The content of a row is no longer kept once all are final.
  for await (const page of findPages(journal, { batch: plan }))
    for (const row of await rows.read(page)) {
      const unsigned = requestOf(row, place, journal);
      const credentials = await session.credentials(unsigned.protection);
      const nonce = newNonceAndTimestamp(runtime);
      const request = await requestSigning.signAsync(unsigned, credentials, session.assume, nonce);
      signed += 1;
      if (signed <= shownRows) shown.sent(request, unsigned.row);
      report.progress(`signed ${signed} of ${count}`);
    }
  report.progress(undefined);
  await report.show({
    document: { schema: 'paycli.batch-dry-run/1', plan, signed, totals: totals.map(moneyDocument) },
    text: () => `${rowsText(signed)} prepared and signed (${totalsText(totals)}); nothing was sent\n`,
  });
  return exits.ok;
}

/** From its checks to its totals. */
async function runToEnd(run: Run): Promise<number> {
  const { head, batch, journal, session, report, runtime, stop } = run;
  const tally = await journal.total({ batch: head.id });
  if (isFinished(tally)) {
    if (batch.state !== 'cancelled')
      report.notes([`batch ${head.id} is finished: ${rowsText(head.count)} with a final outcome; nothing is sent`]);
    return showEnd(run, tally, { halt: undefined, refusal: undefined });
  }
  await assertApproved(head, journal, session.caps, runtime.clock.now());
  const connection = { ...(await connectionFor(run, 'keep')), ...placeOf(operationById(head.operation), session) };
  if (head.hasCards) checkPlannedFile(head, runtime.files, journal);
  await checkCapsOfRows(head, connection.row, session, journal, runtime.clock.now());
  if (mayBeSent(tally)) await confirmBatch(head, run, tally);
  const goesOn = await mayGoOn(run);
  return untilStopped(run, async () => {
    await preflight(run, connection, goesOn && mayBeSent(tally));
    if (stop.signal.aborted) throw stopError(stop.signal);
    return sendRows(run, connection, goesOn);
  });
}

async function untilStopped({ runtime, report, stop, abort }: Run, work: () => Promise<number>): Promise<number> {
  // None ends the process before its totals and exit code are out.
  runtime.processes.onStop(() => undefined);
  const unlisten = runtime.processes.onStop((signal) => {
    if (stop.signal.aborted) return abort.abort(signal);
    stop.abort(signal);
    const rest = 'a second Ctrl-C stops waiting and leaves those rows unknown';
    report.warn([`stopping: waiting for the rows being sent; ${rest}`]);
  });
  return work().finally(() => {
    report.progress(undefined);
    unlisten();
  });
}

/**
 * A pause ends only on purpose: on a terminal that is asked, a script has to say so; a cancellation never ends. A run
 * that may not go on asks about the rows that are open, and sends none.
 */
async function mayGoOn({ head, held, options, runtime }: Run): Promise<boolean> {
  if (held?.state !== 'paused') return held === undefined;
  if (options.continue === true) return true;
  if (!mayPrompt(options, runtime)) return false;
  const message = `batch ${head.id} was ${heldText(held)}. Send its rows now?`;
  return saysYes('continue', message, options, runtime).catch(ifInterrupted('nothing was sent'));
}

/** Whatever can be found out before the first row leaves. */
async function preflight(run: Run, connection: BatchConnection, sends: boolean): Promise<void> {
  const { head, journal, session, report, options, stop } = run;
  const { id: batch, count } = head;
  journal.assertNotRestored();
  report.progress('checking login and keys with the gateway');
  const [first] = await journal.find({ batch }, { after: 0, limit: 1 });
  await checkConnection(connection, first?.endpoint ?? '', session, stop.signal);
  const ports = { batch, journal, connection, rate: options.rate ?? usualRate.rate, stop: stop.signal };
  if (options.askAll === true) {
    const tell = (asked: number) => report.progress(`querying every row: ${asked} of ${count}`);
    const found = await recordSentElsewhere(ports, tell);
    report.notes([`${rowsText(found)} sent from elsewhere: recorded, and not sent again`]);
  } else if (sends && session.askFirst === 'on') {
    report.progress('looking up orders at the gateway');
    await assertSentNowhere(ports);
  } else if (sends && session.askFirst === 'off')
    report.notes(['the gateway was not asked whether it had orders of these rows already (ask-first)'], false);
}

async function sendRows(run: Run, connection: BatchConnection, goesOn: boolean): Promise<number> {
  const { head, journal, session, report, runtime, options, progress } = run;
  const { concurrency, rate, maxUnknown = 0.01, waitTimeout = session.waitMs } = { ...usualRate, ...options };
  const { id: batch } = head;
  if (goesOn) await begin(run);
  const { host, pid } = runtime.processes;
  await journal.record({ batch }, 'run-began', { host, pid, rate, concurrency });
  const { BatchRun } = await import('../../../batch/run.js');
  const sender = new BatchRun({
    ...{ batch, journal, connection, stop: run.stop.signal, abort: run.abort.signal },
    rows: new RowReader(head, { journal, files: runtime.files }),
    options: {
      ...{ concurrency, rate, maxUnknown, pauseMs: session.pauses?.[0] },
      waitMs: options.wait === false ? 0 : waitTimeout,
    },
    limitsOf: (unsigned, request) => limitsOfRow(unsigned, request, session, journal),
    onEvent: (event) => tell(event),
    onSend() {
      progress.hasSent = true;
    },
  });
  const tell = reportEvents(head, sender.counters, report, runtime);
  const end = await explainEnd(run, await sender.toEnd());
  report.progress('totalling the rows');
  const exit = await showEnd(run, await journal.total({ batch }), end);
  await journal.record({ batch }, 'run-ended', { exit });
  // What the second step pays is read from the first.
  if (head.operation !== payoutCheck.id) await journal.purgePayloads(batch);
  return exit;
}

/** Makes it a running batch; a pause that came meanwhile stands. Throws BATCH_LEFT. */
async function begin(run: Run): Promise<void> {
  const { head, batch, journal, options } = run;
  const from =
    batch.state === 'paused' ? (['stopped', 'running', 'paused'] as const) : (['stopped', 'running'] as const);
  const begun = await journal.changeBatch(head.id, from, { state: 'running', rowsLeft: options.maxRows });
  if (begun === undefined) throw heldError(run, (await journal.findBatches(head.id))[0]?.state ?? 'removed');
}

function heldError({ head, session }: Run, state: string, who?: string): PaycliError {
  return batchHeld(head.id, state, who, runCommand(head, session.flags));
}

/** Says by whom the batch was paused or cancelled, where that is why it ended. */
async function explainEnd(run: Run, end: RunEnd): Promise<RunEnd> {
  if (end.refusal?.code !== 'BATCH_LEFT') return end;
  const held = await heldBy(run.journal, run.head.id);
  const refusal = heldError(run, held?.state ?? 'stopped', held && heldText(held));
  return { refusal, halt: end.halt && { ...end.halt, why: String(refusal.facts['why']) } };
}

/** Shows what a run came to; its exit code. */
async function showEnd(run: Run, tally: Tally, { halt, refusal }: RunEnd): Promise<number> {
  const { head, report, progress, stop } = run;
  assertWhole(head, tally);
  const states = summarize(tally);
  const worst = exitCodeOf(states);
  const exit = halt?.exit ?? (refusal === undefined || worst === exits.unknown ? worst : refusal.exit);
  if (refusal !== undefined && exit === refusal.exit) report.because(refusal);
  const stopped = halt?.why ?? (stop.signal.aborted ? 'by a signal' : undefined);
  const next = refusal?.code === 'BATCH_LEFT' ? refusal.next : nextStep(run, tally);
  await showResult(head, { states, stopped, exit, next }, report);
  progress.exit = exit;
  return exit;
}

/** What continues a batch that ended so, or shows what became of it; undefined where all is done. */
function nextStep({ head, session: { flags } }: Run, tally: Tally): string | undefined {
  const has = (...states: readonly string[]) => tally.some(({ state }) => states.includes(state));
  const again = `\`${runCommand(head, flags)}\``;
  if (has('unknown', 'sending', 'conflict'))
    return `${again} queries again; \`paycli resolve ORDER${flags}\` settles or sends again what stays unknown`;
  if (has('accepted', 'planned', 'not_sent')) return again;
  return has('refused', 'declined') ? `\`paycli batch show ${head.id} --out ${head.id}\` lists them` : undefined;
}
