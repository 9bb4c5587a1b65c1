import { fail } from '../../../errors/index.js';
import { listAll } from '../../../journal/pages.js';
import type { Journal, Request } from '../../../journal/port.js';
import { unresolvedStates } from '../../../journal/states.js';
import { onOrder } from '../../../payments/settle.js';
import { describe } from '../../../payments/words.js';
import { defineCommand, type FlagsFor, on, oneOf, parsed, word } from '../../command.js';
import { askOrder, assertMayAskOrder, idFlags } from '../../core/order-argument.js';
import { type NamedOrder, requestsOn } from '../../core/order-requests.js';
import { journalOf, withJournal } from '../../core/user-stores.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { orderWords } from '../../format/meaning.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { orderNamed, wrongValue } from '../../usage.js';
import { allowResend, markByHand } from './resolve-by-hand.js';
import { resolveByStatus } from './resolve-by-status.js';
import { type ResolveFlags, type ResolveTools, showResolved } from './resolve-report.js';

const command = 'resolve';

export const resolve = defineCommand({
  summary: 'Query the gateway about requests whose outcome is open',
  help: '--resend sends nothing itself: it allows the same command to be sent once more.',
  heading: 'Money safety:',
  args: {
    order: {
      text: 'an order (gateway order id, or client order id: the idempotency key), or a journal entry number',
      isOptional: true,
    },
  },
  flags: {
    ...idFlags,
    entry: parsed('<number>', 'one journal entry, if several requests on an order are open', readEntry),
    all: on('all open requests of this profile'),
    once: on('query once instead of at 0, 2, 5, 15, 60 and 300 seconds'),
    settleAs: oneOf(
      ['paid', 'not-paid'],
      '<outcome>',
      'settle it manually, based on other evidence: paid if the request took effect (a sale or payout that was paid, a return that was refunded, a capture, a void), not-paid if it did not; exit 0 once recorded',
    ),
    offline: on('with --settle-as: do not query the status first'),
    evidence: word(
      '<text>',
      'that evidence: at least 10 characters, and two words or a reference with a digit; required with --settle-as',
    ),
    yes: on('with --settle-as: do not ask for confirmation on a terminal'),
    resend: on(
      'allow the same command to be sent once more, after the id of the order was typed; see `paycli help money-safety`',
    ),
    confirmResend: word('<id>', 'with --resend: the client order id, instead of typing it'),
    noInput: on('never prompt'),
    timeout: timeoutFlag,
    live: liveFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<ResolveFlags>,
  conflicts: [
    ...(['order', 'orderId', 'clientOrderId', 'entry', 'settleAs', 'resend'] as const).map(
      (key) => ['all', key] as const,
    ),
    ...(['order', 'orderId', 'clientOrderId'] as const).map((key) => ['entry', key] as const),
    ['settleAs', 'resend'],
    ['once', 'settleAs'],
    ['once', 'resend'],
  ],
  needs: { evidence: ['settleAs'], offline: ['settleAs'], yes: ['settleAs'], confirmResend: ['resend'] },
  examples: [
    'resolve order-1',
    'resolve --all --once',
    'resolve --entry 1 --settle-as paid --evidence "statement of 31 January, line 4"',
  ],
  effect: 'read',
  result: ['resolve', 'resend'],
  run: ({ args: { order }, flags, runtime }) => {
    const { orderId, clientOrderId } = flags;
    const named = { order: orderNamed(order, '--order-id'), orderId, clientOrderId };
    if (flags.settleAs !== undefined) assertEvidence(flags.evidence);
    const isUnnamed = Object.values(named).every((id) => id === undefined);
    const mustAsk = isUnnamed && flags.entry === undefined && flags.all !== true;
    if (mustAsk) assertMayAskOrder(flags, runtime);
    return withSession(flags, runtime, async (session, report) => {
      const filter = { states: unresolvedStates };
      const chosen = mustAsk ? await askOrder(session, command, flags, runtime, filter) : named;
      return withJournal(runtime, journalOf(session), (journal) =>
        resolveIn(journal, chosen, { options: flags, session, report, runtime }),
      );
    });
  },
});

function readEntry(text: string): number {
  if (entryNumber.test(text)) return Number(text);
  throw wrongValue('use the number of an entry; `paycli journal` shows it');
}

const entryNumber = /^[1-9]\d{0,14}$/;

// In characters.
const minEvidenceLength = 10;

/** A colleague has to be able to look it up later: two words, or a reference with a digit. Throws USAGE. */
function assertEvidence(text = ''): void {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (text.trim().length >= minEvidenceLength && (words.length > 1 || /\p{N}/u.test(text))) return;
  throw fail('USAGE', {
    why: `say in --evidence how you know: at least ${minEvidenceLength} characters, and two words or a reference with a digit, such as "statement of 31 January, line 4"`,
    command,
  });
}

/** By status, by other evidence, or by allowing one more attempt. Sends none itself. */
async function resolveIn(journal: Journal, named: NamedOrder, tools: ResolveTools): Promise<number> {
  const { options, session, report } = tools;
  await journal.markGone();
  if (options.all === true) {
    const filter = { base: session.gatewayBase, login: session.login, states: unresolvedStates };
    const all = await listAll(journal, filter);
    return all.length === 0 ? showResolved([], true, report) : resolveByStatus(all, journal, tools, true);
  }
  const chosen = await choose(journal, named, tools);
  if (chosen.length === 0) throw nothingFound(named, tools);
  if (options.settleAs !== undefined) return markByHand(single(chosen), options.settleAs, journal, tools);
  if (options.resend === true) return allowResend(single(chosen), journal, tools);
  return resolveByStatus(chosen, journal, tools, options.once === true);
}

/** With several, which one is meant is unclear. Throws USAGE. */
function single([first, ...others]: readonly Request[]): Request {
  if (first !== undefined && others.length === 0) return first;
  const which = [first, ...others].flatMap((each) =>
    each === undefined ? [] : [`entry ${each.id}, ${describe(each)}`],
  );
  throw fail('USAGE', {
    why: `several requests on this order are open: ${which.join('; ')}. Name one with --entry`,
    command,
  });
}

/**
 * Requests of this login that are open or in conflict; for an order without any, its newest resolved one, which is only
 * shown. A number that is no order id is an entry number. Throws USAGE for digits that name two orders.
 */
async function choose(
  journal: Journal,
  named: NamedOrder,
  { options, session }: ResolveTools,
): Promise<readonly Request[]> {
  const own = async (number: number) =>
    (await onOrder(journal, { ids: [number] })).filter(
      ({ base, login }) => base === session.gatewayBase && login === session.login,
    );
  if (options.entry !== undefined) return own(options.entry);
  const { order } = named;
  const ofOrder = await newestOf(journal, named, session);
  const entries = order !== undefined && entryNumber.test(order) ? await own(Number(order)) : [];
  if (ofOrder.length > 0 || entries.length === 0) return ofOrder;
  // A mistyped order id must not resolve whatever entry has that number.
  const isNameless = entries.every(
    ({ orderId, clientOrderId }) => orderId === undefined && clientOrderId === undefined,
  );
  if (!isNameless && (options.settleAs !== undefined || options.resend === true))
    throw fail('USAGE', {
      why: `${order} is not an order but an entry number: use --entry ${order} if you mean that entry`,
      name: order ?? '',
      command,
    });
  return entries;
}

async function newestOf(journal: Journal, named: NamedOrder, session: Session): Promise<readonly Request[]> {
  const requests = await requestsOn(journal, session, named, command);
  const open = requests.filter(({ state }) => unresolvedStates.includes(state));
  if (open.length > 0) return open;
  const ended = requests.filter(({ state }) => state === 'done' || state === 'declined');
  return (ended.length > 0 ? ended : requests).slice(-1);
}

/** Why this profile has nothing to resolve under this name. */
function nothingFound({ order, orderId, clientOrderId }: NamedOrder, { session, options }: ResolveTools): Error {
  if (options.entry !== undefined)
    return fail('USAGE', {
      why: `the journal has no entry ${options.entry} of this profile; \`paycli journal\` shows those it has`,
      entry: options.entry,
      command,
    });
  const name = order ?? orderId ?? clientOrderId ?? '';
  const shown = oneLine(name);
  const ask = `paycli status ${orderWords(name, 'clientOrderId')}${session.flags}`;
  return fail('USAGE', {
    why: `the journal has no request on order ${shown} for this profile, and no such entry; \`${ask}\` queries the gateway`,
    order: shown,
    command,
  });
}
