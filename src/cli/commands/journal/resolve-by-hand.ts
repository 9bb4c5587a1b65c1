import { exits, fail, ifInterrupted, shellWord } from '../../../errors/index.js';
import type { Journal, Request } from '../../../journal/port.js';
import { markedNotPaid, markedPaid, unresolvedStates, wasMarked } from '../../../journal/states.js';
import { approvalMs, approveResend, checkResend } from '../../../payments/decide.js';
import { noSuchOrder } from '../../../payments/settle.js';
import { describe } from '../../../payments/words.js';
import { mayPrompt, saysYes } from '../../command.js';
import { oneLine } from '../../format/document.js';
import { markWords, requestDocument } from '../../format/journal-entries.js';
import { commandFor, idWord } from '../../format/meaning.js';
import { profileText } from '../../format/profile.js';
import { isOpen, queryOnce, type ResolveTools, reportResult, showResolved } from './resolve-by-status.js';

/** Marks a request as paid or not paid, by evidence other than a gateway reply. */
export async function markByHand(
  request: Request,
  outcome: 'paid' | 'not-paid',
  journal: Journal,
  tools: ResolveTools,
): Promise<number> {
  const { options, report } = tools;
  if (!unresolvedStates.includes(request.state)) throw settledAlready(request, tools);
  if (request.state === 'sending') throw fail('REQUEST_BUSY', { what: describe(request) });
  const now = await queriedFirst(request, journal, tools);
  if (!unresolvedStates.includes(now.state)) {
    report.notes([`${describe(now)}: the gateway resolved it, so it is not marked by hand`]);
    return reportResult([{ request: now }], tools);
  }
  await confirmMark(now, outcome, tools);
  const { id, state, attempt } = now;
  const isPaid = outcome === 'paid';
  const reason = isPaid ? markedPaid : markedNotPaid;
  const [marked] = await journal.settle([
    {
      ...{ id, by: 'person', to: isPaid ? 'done' : 'declined', reason, attempt, seen: state },
      facts: { evidence: options.evidence },
    },
  ]);
  if (marked?.reason !== reason) throw fail('REQUEST_BUSY', { what: describe(now) });
  return showResolved([{ request: marked }], true, report);
}

/** The error for an outcome that is known. */
function settledAlready(request: Request, { session }: ResolveTools): Error {
  const known = wasMarked(request) ? markWords(request) : request.state.replace('_', ' ');
  return fail('USAGE', {
    why: `${describe(request)} is already ${known}; \`${commandFor('journal', request, session.flags)}\` shows why. Only a later status that contradicts it can change this`,
  });
}

/**
 * The request after one status query, as a person must not decide against the gateway: while that is processing the
 * request, its outcome is open. The query may fail, which is said; one in conflict was decided by replies that
 * contradict each other. Throws PENDING.
 */
async function queriedFirst(request: Request, journal: Journal, tools: ResolveTools): Promise<Request> {
  const { session, report, options } = tools;
  if (!isOpen(request)) return request;
  if (options.offline === true || !session.canAskStatus) {
    const why = options.offline === true ? ' (--offline)' : ': this profile has no control key';
    report.notes([`the gateway is not queried${why}`]);
    return request;
  }
  const { request: now, doubt } = await queryOnce(request, journal, tools);
  if (!isOpen(now)) return now;
  if (doubt === undefined)
    throw fail('PENDING', {
      why: `${describe(now)}: the gateway is processing it, so its outcome is open and nothing was settled`,
      how: `\`${commandFor('resolve', now, session.flags)}\` queries again; --offline settles it anyway, for example once gateway support has confirmed the outcome in writing`,
    });
  report.notes([`its status does not resolve it: ${doubt.why}; the evidence alone decides`]);
  return now;
}

/**
 * On a terminal, asks before a person's decision is recorded. A script gave the outcome and the evidence, and is not
 * asked. Throws CANCELLED where the answer is no.
 */
async function confirmMark(
  request: Request,
  outcome: 'paid' | 'not-paid',
  { runtime, session, options }: ResolveTools,
): Promise<void> {
  if (!mayPrompt(options, runtime)) return;
  const isLive = request.class === 'live' || session.class === 'live';
  const what = `${describe(request)}, profile ${oneLine(profileText(request))}, now ${request.state}`;
  const message = `${isLive ? 'LIVE: record' : 'Record'} as ${outcome.replace('-', ' ')}: ${what}; evidence: ${oneLine(options.evidence ?? '')}?`;
  if (await saysYes('record it', message, options, runtime).catch(ifInterrupted('nothing was recorded'))) return;
  throw fail('CANCELLED', {
    why: 'nothing was recorded',
    how: `\`${commandFor('journal', request, session.flags)}\` shows the request`,
  });
}

/** Allows one resend, after another status query: an order that exists by now must not be sent again. */
export async function allowResend(request: Request, journal: Journal, tools: ResolveTools): Promise<number> {
  const { runtime, report } = tools;
  const denials = async () =>
    (await journal.events({ request: request.id })).filter(({ reason }) => reason === noSuchOrder).length;
  const before = await denials();
  const queried = await queryOnce(request, journal, tools);
  const { request: now } = queried;
  if (now.state !== 'unknown') {
    report.notes([`${describe(now)}: its state is ${now.state.replace('_', ' ')}, so it may not be sent once more`]);
    return reportResult([queried], tools);
  }
  await checkResend(journal, now);
  // Without an answer to this very query the order may be there by now.
  if ((await denials()) === before) return reportResult([queried], tools);
  await confirmResend(now, tools);
  await approveResend(journal, now, runtime.processes.user.name, runtime.clock.now());
  const id = idWord(now.clientOrderId ?? '', 'clientOrderId', 'ID');
  const how = `run the same command again, with --client-order-id ${id} and all other flags unchanged`;
  await report.show({
    document: {
      schema: 'paycli.resend/1',
      until: new Date(runtime.clock.now() + approvalMs).toISOString(),
      entry: requestDocument(now),
    },
    text: () => `allowed once, for ${approvalMs / 60_000} minutes: ${how}\n`,
  });
  return exits.ok;
}

/** The id of the order has to be typed, or given with --confirm-resend. Throws CONFIRMATION_NEEDED. */
async function confirmResend(request: Request, { options, runtime }: ResolveTools): Promise<void> {
  const { confirmResend: confirmed } = options;
  const id = request.clientOrderId ?? '';
  const what = describe(request);
  if (confirmed === undefined && !mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `${what}: the gateway has no such order now, and a request on its way could still arrive: sent once more, it may be paid twice`,
      how: `nothing was changed; to allow it, repeat the command with --confirm-resend ${shellWord(id, 'ID')}`,
    });
  const prompter = confirmed === undefined ? await runtime.prompter(options.color) : undefined;
  const message = `Sent once more, ${what} may be paid twice: type its client order id to allow it`;
  const typed = await prompter?.ask({ name: 'resend', message }).catch(ifInterrupted('nothing was changed'));
  if ((confirmed ?? typed) !== id)
    throw fail('CONFIRMATION_NEEDED', {
      why: 'that is not the id of this order',
      how: `nothing was changed; its id is ${id}`,
    });
}
