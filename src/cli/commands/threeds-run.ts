import { fail } from '../../errors/index.js';
import { pauseAt } from '../../payments/wait.js';
import type { Runtime } from '../../runtime/ports.js';
import { replyField, statusOf, threeDSecureStepIn } from '../../spec/index.js';
import { composeForOrder, fetchStatus, type OrderIds, sendSilently } from '../asking.js';
import { Browsing } from '../browsing.js';
import { openSession } from '../open-session.js';
import type { CommonOptions } from '../options.js';
import { type Fields, orderCommand } from '../present/meaning.js';
import { Reporter } from '../reporter.js';
import type { Session } from '../session.js';
import { answerAt, type Bank, challengeResponse, loadMethodFrame, type Path, paths, payerResponse } from '../threeds/bank.js';

export interface RunOptions extends CommonOptions {
  readonly order?: string;
  readonly clientOrderId?: string;
  readonly path?: string;
}

/** Takes an order through 3-D Secure along one path, with no browser, and shows its status in the end. */
export async function runThreedsRun(options: RunOptions, runtime: Runtime): Promise<number> {
  const path = paths.find((known) => known === options.path);
  if (path === undefined) throw usage(`--path is one of ${paths.join(', ')}`);
  if (options.order === undefined && options.clientOrderId === undefined) throw usage('name the order: --order ID or --client-order-id ID');
  const session = await openSession(options, runtime);
  const report = new Reporter(options, session, runtime);
  try {
    report.notes(session.notes);
    if (session.class === 'live')
      throw fail('LIVE_GUARD', { why: '3ds run makes up answers of a bank', how: 'choose a test profile or the sandbox' });
    const bank = { browsing: new Browsing(await session.transport()), path, now: runtime.clock.now() };
    const order = await walk(bank, { orderId: options.order, clientOrderId: options.clientOrderId }, { session, report, runtime });
    return await showEnd(order, path, options, { session, report, runtime });
  } finally {
    await session.close();
  }
}

function usage(why: string): Error {
  return fail('USAGE', { why, command: '3ds run' });
}

interface Ports {
  readonly session: Session;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

const mostQuestions = 40;

/** Step after step, until none is open. Gives the order by both its ids. */
async function walk(bank: Bank, asked: OrderIds, ports: Ports): Promise<OrderIds> {
  const { session, report, runtime } = ports;
  let taken = 0;
  for (let question = 0; question < mostQuestions; question += 1) {
    const fields = await fetchStatus(asked, session, runtime);
    const order = { orderId: replyField(fields, 'orderId'), clientOrderId: replyField(fields, 'clientOrderId') ?? asked.clientOrderId };
    const isOver = statusOf(replyField(fields, 'status') ?? '')?.final === true;
    if (isOver && taken === 0) throw usage(`the order is ${replyField(fields, 'status') ?? 'final'} already; no 3-D Secure step is open`);
    if (isOver || (taken > 0 && openStep(fields) === undefined)) return order;
    const done = await step(bank, fields, order, ports);
    if (done === 'last') return order;
    if (done === 'more') taken += 1;
    else {
      report.progress('waiting for a 3-D Secure step');
      await runtime.clock.sleep(pauseAt(session.pauses, question) ?? 3000);
      report.progress(undefined);
    }
  }
  throw fail('PENDING', {
    why: 'no 3-D Secure step came up',
    how: `\`${orderCommand('status', { ...asked, flags: session.flags })}\` asks again`,
  });
}

function openStep(fields: Fields): string | undefined {
  return threeDSecureStepIn(fields) ?? (fields.get('redirect-to') === undefined ? undefined : 'simplified');
}

/** One step of the payer and the upload that reports it: whether another may follow. `none` when no step is open. */
async function step(bank: Bank, fields: Fields, order: OrderIds, ports: Ports): Promise<'none' | 'more' | 'last'> {
  const { report } = ports;
  const open = openStep(fields);
  if (open === undefined) return 'none';
  if (bank.path === 'frictionless' && open !== 'MethodUrlFrame')
    throw usage(`the bank asks the payer a question (${open}), so the path is not frictionless; try --path challenge`);
  if (open === 'MethodUrlFrame') {
    const tdsCompInd = await loadMethodFrame(bank, fields);
    report.notes([`method step: ${tdsCompInd}`]);
    const tdsServerTransId = fields.get('tds-method-url-frame-3ds-server-trans-id');
    await upload('TDS_UPLOAD_METHOD_URL_RESULT', { ...order, tdsServerTransId, tdsCompInd }, ports);
    return 'more';
  }
  if (open === 'CReqForm') {
    const cRes = await challengeResponse(bank, fields);
    report.notes([`challenge: ${bank.path}; uploading the CRes`]);
    await upload('TDS_UPLOAD_CRES_RESULT', { ...order, cRes }, ports);
  } else if (open === 'PaReqForm') {
    const paRes = await payerResponse(bank, fields, order.orderId ?? '');
    report.notes([`payer authentication: ${bank.path}; uploading the PaRes`]);
    await upload('TDS_UPLOAD_PARES_RESULT', { ...order, paRes }, ports);
  } else if (open === 'simplified') {
    if (bank.path === 'timeout') throw usage('in the simplified flow nothing is uploaded, so a payer who never answers leaves it as it is');
    await answerAt(bank, await bank.browsing.open(fields.get('redirect-to') ?? ''));
    report.notes([`the payer went to the gateway's page: ${bank.path}; there is nothing to upload`]);
  } else throw usage(`a step named ${open} is open, which paycli does not know`);
  return 'last';
}

type Upload = 'TDS_UPLOAD_METHOD_URL_RESULT' | 'TDS_UPLOAD_CRES_RESULT' | 'TDS_UPLOAD_PARES_RESULT';

async function upload(id: Upload, values: Readonly<Record<string, string | undefined>>, { session, runtime }: Ports): Promise<void> {
  await sendSilently(composeForOrder(id, values, session), session, runtime);
}

/** A path that is to fail has gone well when the order is declined. */
async function showEnd(order: OrderIds, path: Path, options: RunOptions, { session, report, runtime }: Ports): Promise<number> {
  const expect = path === 'challenge' || path === 'frictionless' ? {} : { expect: 'declined' };
  const { sendOperation } = await import('../sending.js');
  return sendOperation(composeForOrder('STATUS', { ...order }, session), {
    options: { ...expect, ...options, wait: true },
    // The walk may have asked a moment ago, so the first pause is left out: a sandbox allows four questions in four seconds.
    session: { ...session, pauses: session.pauses === undefined || session.pauses.length < 2 ? session.pauses : session.pauses.slice(1) },
    report,
    runtime,
  });
}
