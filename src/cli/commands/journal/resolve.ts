import { exits, fail } from '../../../errors/index.js';
import { describeIntent, type Intent, type Journal, unresolvedStates } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { askOrder, assertMayAskOrder } from '../../core/ask-order.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { connectionFlags, liveFlag, timeoutFlag } from '../../core/options.js';
import { assertOneOrder, requestsOn } from '../../core/order-requests.js';
import { isElsewhere, openOfOthers, otherProfileOf } from '../../core/other-profiles.js';
import { repeatedOptions } from '../../core/repeated-flags.js';
import { withJournal } from '../../core/user-stores.js';
import { oneLine } from '../../format/document.js';
import { orderWords } from '../../format/meaning.js';
import type { Tools } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { queryOpenEntries } from './resolve-by-status.js';
import { allowResend, type SettleOptions, settleAs } from './resolve-manually.js';
import { showResolved } from './resolve-report.js';

interface ResolveOptions extends CommonOptions, SettleOptions {
  readonly clientOrderId?: string;
  readonly orderId?: string;
  /** Number of an entry in the journal. */
  readonly entry?: string;
  readonly all?: boolean;
  readonly once?: boolean;
  readonly resend?: boolean;
  readonly confirmResend?: string;
}

const command = 'resolve';

export const resolve = defineCommand<ResolveOptions>({
  name: 'resolve',
  heading: 'Money safety:',
  summary: 'Resolve requests whose outcome is unknown',
  help: 'Resolve requests whose outcome is unknown, by querying the gateway',
  args: [
    ['[order]', 'an order (gateway order id, or client order id: the idempotency key), or a journal entry number'],
  ],
  options: [
    ['--client-order-id <id>', 'your client order id'],
    ['--order-id <id>', 'the gateway order id'],
    ['--entry <number>', 'one journal entry, if several requests on an order are open'],
    ['--all', 'all open requests of this profile'],
    ['--once', 'query once instead of at 0, 2, 5, 15, 60 and 300 seconds'],
    [
      '--settle-as <outcome>',
      'settle it manually, based on other evidence: paid if the request took effect (a sale or payout that was paid, a return that was refunded, a capture, a void), not-paid if it did not; exit 0 once recorded',
      { choices: ['paid', 'not-paid'] },
    ],
    ['--offline', 'with --settle-as: do not query the status first'],
    [
      '--evidence <text>',
      'that evidence: at least 10 characters, and two words or a reference with a digit; required with --settle-as',
    ],
    ['--yes', 'with --settle-as: do not ask for confirmation on a terminal'],
    [
      '--resend',
      'allow the same command to be sent once more, after the id of the order was typed; see `paycli help money-safety`',
    ],
    ['--confirm-resend <id>', 'with --resend: the client order id, instead of typing it'],
    ['--no-input', 'never prompt'],
    timeoutFlag,
    liveFlag,
    ...connectionFlags,
  ],
  examples: [
    'resolve order-1',
    'resolve --all --once',
    'resolve --entry 1 --settle-as paid --evidence "statement of 31 January, line 4"',
  ],
  effect: 'read',
  network: true,
  exits: [...statusExits, 'declined', 'pending'],
  note: '--resend sends nothing itself: it allows the same command to be sent once more.',
  prints: ['resolve', 'resend'],
  run: ({ args: [order], options, runtime }) => runResolve(order, options, runtime),
});

/**
 * Resolves requests with an open outcome: by status, by other evidence, or by allowing one more attempt. Sends none
 * itself.
 */
async function runResolve(name: string | undefined, given: ResolveOptions, runtime: Runtime): Promise<number> {
  const isNamed = checkFlags(name, given);
  if (!isNamed) assertMayAskOrder(command, given, runtime);
  return withSession(given, runtime, async (session, report) => {
    const { order, ...options } = isNamed ? { ...given, order: name } : await askOpen(given, session, runtime);
    return withJournal(runtime, async (journal) => {
      const tools: Tools = { options, session, report, runtime };
      const chosen = chooseEntries(journal, order, options, session);
      if (options.all === true) return resolveAll(chosen, journal, tools);
      if (chosen.length === 0)
        return nothingOpen(order ?? options.orderId ?? options.clientOrderId, journal, tools, options.entry);
      if (options.settleAs !== undefined) return settleAs(chosen, journal, tools, options);
      if (options.resend === true) return allowResend(chosen, journal, tools, options.confirmResend);
      return queryOpenEntries(chosen, journal, tools, options.once === true);
    });
  });
}

/** Asks which order to resolve: one with a request of unknown outcome, in conflict or pending. */
async function askOpen(
  options: ResolveOptions,
  session: Session,
  runtime: Runtime,
): Promise<ResolveOptions & { readonly order: string | undefined }> {
  const named = await askOrder(session, command, options, runtime, { states: unresolvedStates });
  const { order = named.orderId, clientOrderId } = named;
  return { ...options, order, ...(clientOrderId === undefined ? {} : { clientOrderId }) };
}

async function resolveAll(chosen: readonly Intent[], journal: Journal, tools: Tools): Promise<number> {
  const exit =
    chosen.length === 0
      ? await nothingOpen(undefined, journal, tools, undefined)
      : await queryOpenEntries(chosen, journal, tools, true);
  tools.report.warn(openOfOthers(journal, tools.session));
  return exit;
}

// In characters.
const minEvidenceLength = 10;

/** Whether a colleague could look it up later: two words, or a reference with a digit. */
function isEvidence(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return text.trim().length >= minEvidenceLength && (words.length > 1 || /\p{N}/u.test(text));
}

/** Whether it is said what to resolve. Throws USAGE. */
function checkFlags(order: string | undefined, options: ResolveOptions): boolean {
  const { all, clientOrderId, orderId, entry, settleAs, evidence, resend } = options;
  const isNamed = (order ?? orderId ?? clientOrderId) !== undefined;
  const names = Number(isNamed) + Number(entry !== undefined);
  if (names > (all === true ? 0 : 1)) throw fail('USAGE', { why: 'name one order or entry, or use --all', command });
  if (entry !== undefined && !entryNumber.test(entry))
    throw fail('USAGE', { why: '--entry: use the number of an entry; `paycli journal` shows it', command });
  if (settleAs !== undefined && resend === true)
    throw fail('USAGE', { why: 'use either --settle-as or --resend', command });
  if (all === true && (settleAs !== undefined || resend === true))
    throw fail('USAGE', { why: '--settle-as and --resend apply to one order', command });
  if ((settleAs === undefined) !== (evidence === undefined))
    throw fail('USAGE', { why: 'use --settle-as and --evidence together', command });
  if (evidence !== undefined && !isEvidence(evidence))
    throw fail('USAGE', {
      why: `say in --evidence how you know: at least ${minEvidenceLength} characters, and two words or a reference with a digit, such as "statement of 31 January, line 4"`,
      command,
    });
  return all === true || names === 1;
}

const entryNumber = /^[1-9]\d{0,14}$/;

/**
 * Entries of this gateway that are open or in conflict; for an order without any, its newest resolved one, which is
 * only shown. A number that is no order id is an entry number. Throws USAGE for digits that name two orders.
 */
function chooseEntries(
  journal: Journal,
  order: string | undefined,
  options: ResolveOptions,
  session: Session,
): Intent[] {
  const { gatewayBase } = session;
  const isOwn = (intent: Intent) => !isElsewhere(intent, session);
  if (options.entry !== undefined) return entryOf(journal, options.entry).filter(isOwn);
  const named = order ?? options.orderId ?? options.clientOrderId;
  if (named === undefined) return journal.list({ base: gatewayBase, states: unresolvedStates }).filter(isOwn);
  const ofOrder = unresolvedOf(journal, order, options, session);
  const entries = order === undefined ? [] : entryOf(journal, order).filter(isOwn);
  if (ofOrder.length > 0 || entries.length === 0) return ofOrder;
  // A mistyped order id must not resolve whatever entry has that number.
  const isNameless = entries.every(
    ({ orderId, clientOrderId }) => orderId === undefined && clientOrderId === undefined,
  );
  if (!isNameless && (options.settleAs !== undefined || options.resend === true))
    throw fail('USAGE', {
      why: `${named} is not an order but an entry number: use --entry ${named} if you mean that entry`,
      name: named,
      command,
    });
  return entries;
}

/** Only the journal is read, so digits that it has only as a client order id are unambiguous. */
function unresolvedOf(
  journal: Journal,
  order: string | undefined,
  options: ResolveOptions,
  session: Session,
): Intent[] {
  const { orderId, clientOrderId } = options;
  const typed = order === undefined ? options : { orderId: orderId ?? order, clientOrderId: clientOrderId ?? order };
  if (typed.orderId !== undefined && typed.clientOrderId !== undefined && typed.orderId !== typed.clientOrderId)
    assertOneOrder(journal, session, typed.orderId, typed.clientOrderId, command);
  const isGatewayId =
    order !== undefined && journal.list({ base: session.gatewayBase, order }).some((each) => each.orderId === order);
  const named = isGatewayId ? { order, clientOrderId } : { order: undefined, clientOrderId: order ?? clientOrderId };
  const requests = requestsOn(journal, session, { ...named, orderId }, command);
  const open = requests.filter(({ state }) => unresolvedStates.includes(state));
  if (open.length > 0) return open;
  const ended = requests.filter(({ state }) => state === 'done' || state === 'declined');
  return (ended.length > 0 ? ended : requests).slice(-1);
}

/** The entry of this number, of any profile; none where it is no such number. */
function entryOf(journal: Journal, number: string): Intent[] {
  const entry = entryNumber.test(number) ? journal.get(Number(number)) : undefined;
  return entry === undefined ? [] : [entry];
}

async function nothingOpen(
  order: string | undefined,
  journal: Journal,
  { report, session, options }: Tools,
  number: string | undefined,
): Promise<number> {
  const given = repeatedOptions(options);
  const [entry] = entryOf(journal, number ?? order ?? '');
  if (number !== undefined && entry === undefined)
    throw fail('USAGE', {
      why: `the journal has no entry ${number}; \`paycli journal\` shows those it has`,
      entry: number,
      command,
    });
  if (order !== undefined) {
    const elsewhere = journal.list({ order }).filter((intent) => isElsewhere(intent, session));
    const sent = otherProfileOf(order, command, elsewhere, session, given);
    if (sent !== undefined) throw fail('OTHER_PROFILE', { what: `order ${oneLine(order)}`, ...sent });
  }
  const other = entry && otherProfileOf(entry, command, [entry], session, given);
  if (entry !== undefined && other !== undefined)
    throw fail('OTHER_PROFILE', { what: `entry ${entry.id}, ${describeIntent(entry)},`, ...other });
  if (order !== undefined) {
    const ask = `paycli status ${orderWords(order, 'clientOrderId')}${session.flags}`;
    throw fail('USAGE', {
      why: `the journal has no request on order ${oneLine(order)} for this profile, and no such entry; \`${ask}\` queries the gateway`,
      order: oneLine(order),
      command,
    });
  }
  await showResolved([], true, journal, report);
  return exits.ok;
}
