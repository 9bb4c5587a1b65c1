import { fail } from '../../../errors/index.js';
import { listAll } from '../../../journal/find.js';
import type { Filter, Journal, Request } from '../../../journal/port.js';
import { unresolvedStates } from '../../../journal/states.js';
import { onOrder } from '../../../payments/settle.js';
import { describe } from '../../../payments/words.js';
import { defineCommand, type FlagsFor, on, oneOf, parsed, word } from '../../command.js';
import { askOrder, assertMayAskOrder, idFlags } from '../../core/order-argument.js';
import { type NamedOrder, requestsOn } from '../../core/order-requests.js';
import { journalOf, withJournal } from '../../core/user-stores.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { orderWord } from '../../format/meaning.js';
import { profileFlag } from '../../format/profile.js';
import { type Session, withSession } from '../../session.js';
import { keptText, orderNamed, wrongValue } from '../../usage.js';
import { allowResend, markByHand } from './resolve-by-hand.js';
import { type ResolveFlags, type ResolveTools, resolveByStatus, showResolved } from './resolve-by-status.js';

export const resolve = defineCommand({
  summary: 'Query the gateway about requests whose outcome is open',
  help: 'Without an order it queries all open requests of the profile. --resend sends nothing itself: it allows the same command to be sent once more.',
  heading: 'Money safety:',
  args: {
    order: { text: 'an order: gateway order id, or client order id (the idempotency key)', isOptional: true },
  },
  flags: {
    ...idFlags,
    entry: parsed('<number>', 'one journal entry, if several requests on an order are open', readEntry),
    settleAs: oneOf(
      ['paid', 'not-paid'],
      '<outcome>',
      'settle it manually, based on other evidence: paid if the request took effect (a sale or payout that was paid, a return that was refunded, a capture, a void), not-paid if it did not; exit 0 once recorded',
    ),
    offline: on('with --settle-as: do not query the status first'),
    evidence: parsed(
      '<text>',
      'how you know, such as "statement of 31 January, line 4"; required with --settle-as',
      keptText,
    ),
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
    ...(['order', 'orderId', 'clientOrderId'] as const).map((key) => ['entry', key] as const),
    ['settleAs', 'resend'],
  ],
  needs: { settleAs: ['evidence'], evidence: ['settleAs'], offline: ['settleAs'], confirmResend: ['resend'] },
  examples: [
    'resolve',
    'resolve order-1',
    'resolve --entry 1 --settle-as paid --evidence "statement of 31 January, line 4"',
  ],
  effect: 'read',
  result: ['resolve', 'resend'],
  run: ({ args: { order }, flags, runtime }) => {
    const { orderId, clientOrderId, entry, settleAs, resend } = flags;
    const named = { order: orderNamed(order, '--order-id'), orderId, clientOrderId };
    const isUnnamed = entry === undefined && Object.values(named).every((id) => id === undefined);
    // What a person decides is about one order; to query is harmless, so it may be about all.
    const mustAsk = isUnnamed && (settleAs !== undefined || resend === true);
    if (mustAsk) assertMayAskOrder(flags, runtime);
    return withSession(flags, runtime, async (session, report) => {
      const chosen = mustAsk ? await askOrder(flags, runtime) : named;
      const tools = { options: flags, session, report, runtime };
      return withJournal(runtime, journalOf(session), async (journal) => {
        await journal.markGone();
        return isUnnamed && !mustAsk ? resolveAll(journal, tools) : resolveOne(journal, chosen, tools);
      });
    });
  },
});

function readEntry(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw wrongValue('use the number of an entry; `paycli journal` shows it');
}

const maxElsewhere = 1000;

async function resolveAll(journal: Journal, tools: ResolveTools): Promise<number> {
  const { gatewayBase: base, login } = tools.session;
  const all = await listAll(journal, { base, login, states: unresolvedStates });
  if (all.length > 0) return resolveByStatus(all, journal, tools);
  const elsewhere = await openElsewhere(journal, {}, 'paycli resolve');
  if (elsewhere !== undefined) tools.report.warn([elsewhere]);
  return showResolved([], true, tools.report);
}

/** That requests of other profiles are open, and the commands that query them. */
async function openElsewhere(journal: Journal, filter: Filter, resolveCommand: string): Promise<string | undefined> {
  const open = await journal.find({ ...filter, states: unresolvedStates }, { limit: maxElsewhere });
  const profiles = [...new Set(open.map(({ profile }) => profile))];
  const commands = profiles.map((profile) => `\`${resolveCommand}${profileFlag(profile)}\``);
  return open.length === 0 ? undefined : `open under another profile: ${commands.join(', ')}`;
}

/** By status, by other evidence, or by allowing one more attempt. Sends none itself. */
async function resolveOne(journal: Journal, named: NamedOrder, tools: ResolveTools): Promise<number> {
  const { options, session } = tools;
  const chosen = await choose(journal, named, tools);
  if (chosen.length === 0) {
    const name = named.order ?? named.orderId ?? named.clientOrderId ?? '';
    const what = options.entry === undefined ? `request on order ${oneLine(name)}` : `entry ${options.entry}`;
    const status = `paycli status ${orderWord(name)}${session.flags}`;
    const filter = options.entry === undefined ? { order: name } : { ids: [options.entry] };
    const again = `paycli resolve ${options.entry === undefined ? orderWord(name) : `--entry ${options.entry}`}`;
    const usual = options.entry === undefined ? `\`${status}\` queries the gateway` : '`paycli journal` lists them';
    const how = (await openElsewhere(journal, filter, again)) ?? usual;
    throw fail('USAGE', { why: `the journal has no ${what} for profile ${session.name}; ${how}` });
  }
  if (options.settleAs !== undefined) return markByHand(single(chosen), options.settleAs, journal, tools);
  if (options.resend === true) return allowResend(single(chosen), journal, tools);
  return resolveByStatus(chosen, journal, tools);
}

/** With several, which one is meant is unclear. Throws USAGE. */
function single([first, ...others]: readonly Request[]): Request {
  if (first !== undefined && others.length === 0) return first;
  const which = [first, ...others].flatMap((each) =>
    each === undefined ? [] : [`entry ${each.id}, ${describe(each)}`],
  );
  throw fail('USAGE', {
    why: `several requests on this order are open: ${which.join('; ')}. Name one with --entry`,
  });
}

/**
 * Requests of this login that are open or in conflict; for an order without any, its newest resolved one, which is only
 * shown. The number of an entry is taken for an order only where that has no id. Throws USAGE for digits that name two
 * orders.
 */
async function choose(
  journal: Journal,
  named: NamedOrder,
  { options: { entry }, session }: ResolveTools,
): Promise<readonly Request[]> {
  const { gatewayBase: base, login } = session;
  if (entry !== undefined) return onOrder(journal, { base, login, ids: [entry] });
  const ofOrder = await newestOf(journal, named, session);
  if (ofOrder.length > 0 || !/^[1-9]\d{0,14}$/.test(named.order ?? '')) return ofOrder;
  const entries = await onOrder(journal, { base, login, ids: [Number(named.order)] });
  return entries.filter(({ orderId, clientOrderId }) => orderId === undefined && clientOrderId === undefined);
}

async function newestOf(journal: Journal, named: NamedOrder, session: Session): Promise<readonly Request[]> {
  const requests = await requestsOn(journal, session, named);
  const open = requests.filter(({ state }) => unresolvedStates.includes(state));
  if (open.length > 0) return open;
  const ended = requests.filter(({ state }) => state === 'done' || state === 'declined');
  return (ended.length > 0 ? ended : requests).slice(-1);
}
