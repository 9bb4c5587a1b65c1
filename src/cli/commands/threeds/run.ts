import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  type OperationId,
  replyField,
  statusOf,
  threeDSecureStepIn,
  uploadCres,
  uploadMethod,
  uploadPares,
} from '../../../spec/index.js';
import { encodeChallengeResponse, encodeMethodData, encodePayerResponse, inspect } from '../../../threeds/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import { composeForOrder, fetchStatus, sendSilently } from '../../core/order-query.js';
import type { OrderIds } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { assertOrderNamed, idsOfTyped, orderArgument, orderFlags } from '../../core/typed-order.js';
import { type Fields, statusCommand } from '../../format/meaning.js';
import { openSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { pauseAt } from '../../wait.js';
import { HostedPageClient, isLocalPage, type WebPage } from './hosted-page-client.js';
import { answerIn, formIn, messageIn, textIn } from './html-extract.js';

interface RunOptions extends CommonOptions {
  readonly order?: string;
  readonly clientOrderId?: string;
  readonly path?: string;
}

/** What the payer or the issuing bank does. */
const paths = ['frictionless', 'challenge', 'fail', 'abandon', 'timeout'] as const;
type Path = (typeof paths)[number];

/** The same, as the end of a sentence about the payer's page. */
const ends: Readonly<Record<Path, string>> = {
  frictionless: 'completed',
  challenge: 'completed',
  fail: 'failed',
  abandon: 'abandoned',
  timeout: 'timed out',
};

const command = '3ds run';

export const threedsRun = defineCommand<RunOptions>({
  name: command,
  summary: 'Take an order through 3-D Secure without a browser: method frame, challenge, upload, status',
  args: [orderArgument],
  options: [...orderFlags, ['--path <path>', 'how the payer behaves', { choices: paths }], ...connectionFlags],
  effect: 'write',
  network: true,
  exits: [...statusExits, 'declined', 'pending'],
  note: "Refused with a live profile: it simulates the bank's response.",
  prints: 'reply',
  run: ({ args: [name], options, runtime }) => runThreedsRun(name, options, runtime),
});

/** Takes an order through one 3-D Secure path without a browser, then shows its status. */
async function runThreedsRun(name: string | undefined, options: RunOptions, runtime: Runtime): Promise<number> {
  const path = paths.find((known) => known === options.path);
  if (path === undefined) throw fail('USAGE', { why: `--path: use one of ${paths.join(', ')}`, command });
  const typed = { name, order: options.order, clientOrderId: options.clientOrderId };
  assertOrderNamed(typed, command, options, runtime);
  const session = await openSession(options, runtime);
  const report = new Reporter(options, session, runtime);
  try {
    report.notes(session.notes);
    if (session.class === 'live')
      throw fail('LIVE_GUARD', {
        why: "3ds run simulates the bank's responses",
        how: 'choose a test profile or the sandbox',
      });
    const bank = { client: new HostedPageClient(await session.transport()), path, now: runtime.clock.now() };
    const ids = await idsOfTyped(typed, command, session, options, runtime);
    const order = await runSteps(bank, ids, { session, report, runtime });
    return await showEnd(order, path, options, { session, report, runtime });
  } finally {
    await session.close();
  }
}

interface RunPorts {
  readonly session: Session;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

const maxQueries = 40;

/** Runs steps until none is open. Returns the order by both its ids. */
async function runSteps(bank: IssuerBank, ids: OrderIds, ports: RunPorts): Promise<OrderIds> {
  const { session, report, runtime } = ports;
  let taken = 0;
  for (let question = 0; question < maxQueries; question += 1) {
    const fields = await fetchStatus(ids, session, runtime);
    const order = {
      orderId: replyField(fields, 'orderId'),
      clientOrderId: replyField(fields, 'clientOrderId') ?? ids.clientOrderId,
    };
    const isOver = statusOf(replyField(fields, 'status') ?? '')?.final === true;
    if (isOver && taken === 0) {
      const status = replyField(fields, 'status') ?? 'final';
      throw fail('USAGE', { why: `the order is already ${status}; no 3-D Secure step is open`, status, command });
    }
    if (isOver || (taken > 0 && openStep(fields) === undefined)) return order;
    const done = await runStep(bank, fields, order, ports);
    if (done === 'last') return order;
    if (done === 'more') taken += 1;
    else {
      report.progress('waiting for a 3-D Secure step');
      await runtime.clock.sleep(pauseAt(session.pauses, question) ?? 3000);
      report.progress(undefined);
    }
  }
  throw fail('PENDING', {
    why: 'no 3-D Secure step appeared',
    how: `\`${statusCommand({ ...ids, flags: session.flags })}\` polls again`,
  });
}

function openStep(fields: Fields): string | undefined {
  return threeDSecureStepIn(fields) ?? (replyField(fields, 'redirectTo') === undefined ? undefined : 'simplified');
}

/** Runs one step of the payer and its upload; tells whether another may follow, `none` when none is open. */
async function runStep(
  bank: IssuerBank,
  fields: Fields,
  order: OrderIds,
  ports: RunPorts,
): Promise<'none' | 'more' | 'last'> {
  const { report } = ports;
  const open = openStep(fields);
  if (open === undefined) return 'none';
  if (bank.path === 'frictionless' && open !== 'MethodUrlFrame')
    throw fail('USAGE', {
      why: `the bank requires the payer to act (${open}), so the flow is not frictionless; try --path challenge`,
      command,
    });
  if (open === 'MethodUrlFrame') {
    const tdsCompInd = await loadMethodFrame(bank, fields);
    report.notes([`method step: ${tdsCompInd}`]);
    const tdsServerTransId = replyField(fields, 'tdsId');
    await upload(uploadMethod.id, { ...order, tdsServerTransId, tdsCompInd }, ports);
    return 'more';
  }
  if (open === 'CReqForm') {
    const cRes = await challengeResponse(bank, fields);
    report.notes([`challenge ${ends[bank.path]}; uploading its result (CRes)`]);
    await upload(uploadCres.id, { ...order, cRes }, ports);
  } else if (open === 'PaReqForm') {
    const paRes = await payerResponse(bank, fields, order.orderId ?? '');
    report.notes([`payer authentication ${ends[bank.path]}; uploading its result (PaRes)`]);
    await upload(uploadPares.id, { ...order, paRes }, ports);
  } else if (open === 'simplified') {
    if (bank.path === 'timeout')
      throw fail('USAGE', {
        why: 'in the simplified flow nothing is uploaded, so there is no path for a payer who never answers',
        command,
      });
    await answerAt(bank, await bank.client.open(replyField(fields, 'redirectTo') ?? ''));
    report.notes([`payer authentication ${ends[bank.path]} on the gateway's page; there is nothing to upload`]);
  } else throw fail('USAGE', { why: `the open step, ${open}, is unknown to paycli`, command });
  return 'last';
}

async function upload(
  id: OperationId,
  values: Readonly<Record<string, string | undefined>>,
  { session, runtime }: RunPorts,
): Promise<void> {
  await sendSilently(composeForOrder(id, values, session), session, runtime);
}

/** Shows the final status. A path that should fail succeeds when the order is declined. */
async function showEnd(
  order: OrderIds,
  path: Path,
  options: RunOptions,
  { session, report, runtime }: RunPorts,
): Promise<number> {
  const expect = path === 'challenge' || path === 'frictionless' ? {} : { expect: 'declined' };
  const { waitForStatus } = await import('../operation/status-wait.js');
  return waitForStatus(order, {
    options: { ...expect, ...options },
    session,
    report,
    runtime,
  });
}

/** The issuing bank: its pages where they are on this machine, else simulated answers. */
interface IssuerBank {
  readonly client: HostedPageClient;
  readonly path: Path;
  readonly now: number;
}

/** Loads the method frame, unless the path is a timeout. Returns the completion indicator to upload. */
async function loadMethodFrame({ client, path }: IssuerBank, fields: Fields): Promise<'Y' | 'N' | 'U'> {
  const address = replyField(fields, 'methodUrl');
  if (address === undefined) return 'U';
  if (path === 'timeout') return 'N';
  if (!isLocalPage(address)) return 'Y';
  const tdsId = replyField(fields, 'tdsId') ?? '';
  const page = await client.open(address, {
    threeDSMethodData: encodeMethodData({ tdsId, notificationUrl: undefined }),
  });
  return page.status === 200 ? 'Y' : 'N';
}

/** The CRes of this path. Throws READ_FAILED without a CReq, or when the bank's page returns no CRes. */
async function challengeResponse(bank: IssuerBank, fields: Fields): Promise<string> {
  const creq = replyField(fields, 'creq') ?? '';
  const address = replyField(fields, 'creqUrl') ?? '';
  if (bank.path !== 'timeout' && isLocalPage(address))
    return messageFrom(await bank.client.open(address, { creq }), 'cres', bank);
  const { threeDSServerTransID: tdsId, acsTransID: acsId } = inspect(creq).fields;
  if (tdsId === undefined || acsId === undefined)
    throw fail('READ_FAILED', { why: 'the status reply contains no CReq that can be answered; no CRes was uploaded' });
  const isGood = bank.path === 'challenge';
  const cancel = bank.path === 'abandon' ? '01' : bank.path === 'timeout' ? '04' : undefined;
  return encodeChallengeResponse({ tdsId, acsId, transStatus: isGood ? 'Y' : 'N', cancel });
}

/** The PaRes of this path. Throws READ_FAILED when the bank's page returns none. */
async function payerResponse(bank: IssuerBank, fields: Fields, orderId: string): Promise<string> {
  const address = replyField(fields, 'pareqUrl') ?? '';
  const sent = {
    PaReq: replyField(fields, 'pareq') ?? '',
    MD: replyField(fields, 'pareqMd') ?? '',
    TermUrl: replyField(fields, 'termUrl') ?? '',
  };
  if (bank.path !== 'timeout' && isLocalPage(address))
    return messageFrom(await bank.client.open(address, sent), 'PaRes', bank);
  const { purchAmount: amountMinor = '0', exponent = '2' } = inspect(sent.PaReq).fields;
  const isGood = bank.path === 'challenge';
  const result = isGood ? good : bad;
  return encodePayerResponse({ orderId, amountMinor, digits: Number(exponent), ...result, at: bank.now });
}

/** Never uploads an empty message: the gateway could take it for the bank's answer. */
async function messageFrom(page: WebPage, name: 'cres' | 'PaRes', bank: IssuerBank): Promise<string> {
  const message = (await answerAt(bank, page))[name] ?? '';
  if (message === '') throw fail('READ_FAILED', { why: `the bank's page returned no ${name}; nothing was uploaded` });
  return message;
}

const cavv = `${'A'.repeat(27)}=`;
const good = { status: 'Y', eci: '05', cavv } as const;
const bad = { status: 'N', eci: '07', cavv } as const;
const wrongCode = 'wrong';

/**
 * Answers the challenge on the bank's page, and returns the fields the page would send: those of its form, or the
 * message it shows where the order has no redirect_url.
 */
async function answerAt({ client, path }: IssuerBank, first: WebPage): Promise<Readonly<Record<string, string>>> {
  let page = first;
  for (let tries = 0; tries < 4; tries += 1) {
    const form = formIn(page.html, page.url);
    if (page.status !== 200 && page.status !== 422) throw fail('READ_FAILED', { why: messageIn(page.html) });
    const code = textIn(page.html, 'code');
    if (form === undefined || code === undefined) return form?.hidden ?? answerIn(page.html);
    const typed =
      path === 'abandon' ? { action: 'cancel' } : { action: 'submit', code: path === 'challenge' ? code : wrongCode };
    page = await client.open(form.action, { ...form.hidden, ...typed });
  }
  throw fail('READ_FAILED', { why: "the bank's page keeps asking for the same input" });
}
