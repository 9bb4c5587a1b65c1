import { type Filter, type Intent, type Journal, sumText } from '../../journal/index.js';
import type { Prompter, Runtime } from '../../runtime/ports.js';
import { isCardNumber, withoutCardNumbers } from '../../wire/mask.js';
import { mayPrompt } from '../command.js';
import { commandWith } from '../flags.js';
import { commandOf } from '../format/meaning.js';
import { agoText } from '../format/time.js';
import type { Session } from '../session.js';
import { orderNotNamed } from '../usage.js';
import type { CommonOptions } from './common-options.js';
import { wordOf } from './order-offline.js';
import { inJournal } from './order-requests.js';

export const maxOffered = 9;
/** Search at most this many of the newest requests for orders to offer. */
export const maxRead = 200;
const otherOrder = 'another order';

/** A request that stands for its order in a prompt. */
export interface OfferedOrder {
  readonly intent: Intent;
  /** For people. */
  readonly meaning: string;
}

/** What a command without an order asks for. */
export interface OrderQuestion {
  readonly command: string;
  /** Which requests stand for the orders to offer. */
  readonly filter: Filter;
  /** Only of this login. */
  readonly login?: string;
  /** The flags that name the profile or connection. */
  readonly flags?: string;
}

/** The order that was asked for; what was typed may be either id. */
export interface AskedOrder {
  readonly order: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** Throws USAGE for a command without an order where it cannot ask which one is meant. */
export function assertMayAskOrder(command: string, options: CommonOptions, runtime: Runtime): void {
  if (!mayPrompt(options, runtime)) throw orderNotNamed(command);
}

/**
 * Asks which order a command without one is about: offers the newest in the journal, or takes a typed id. The caller
 * has checked with `assertMayAskOrder` that it may ask, before it opened a profile.
 */
export async function askOrder(question: OrderQuestion, options: CommonOptions, runtime: Runtime): Promise<AskedOrder> {
  const { command, filter, login, flags = '' } = question;
  const now = runtime.clock.now();
  const offered = await inJournal(runtime, [], (journal) =>
    newestOfEach(journal.newest(filter, maxRead).filter((intent) => login === undefined || intent.login === login))
      .filter((intent) => idOf(intent) !== '')
      .slice(0, maxOffered)
      .map((intent) => ({ intent, meaning: meaningOf(intent, journal, now) })),
  );
  const prompter = await runtime.prompter(options.color);
  const forWhat = command === 'order' ? '' : ` for ${command}`;
  const chosen = offered.length === 0 ? undefined : await askWhichOrder(`which order${forWhat}`, offered, prompter);
  if (chosen !== undefined) return { order: chosen.orderId, clientOrderId: chosen.clientOrderId };
  const none = `the journal has none${forWhat} (\`${commandWith('orders', flags)}\` lists all); `;
  return { order: await askOrderId(offered.length === 0 ? none : '', prompter), clientOrderId: undefined };
}

/** The same among all orders of a profile. */
export function askOrderOf(
  { gatewayBase, login, flags }: Session,
  command: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<AskedOrder> {
  return askOrder({ command, filter: { isOrder: true, base: gatewayBase }, login, flags }, options, runtime);
}

/** Undefined for another order than those. */
export async function askWhichOrder(
  message: string,
  offered: readonly OfferedOrder[],
  prompter: Prompter,
): Promise<Intent | undefined> {
  const chosen = await prompter.ask({
    name: 'order',
    message,
    choices: [...offered.map(({ intent }) => idOf(intent)), otherOrder],
    meanings: Object.fromEntries(offered.map(({ intent, meaning }) => [idOf(intent), meaning])),
    ids: Object.fromEntries(offered.map(({ intent }) => [idOf(intent), idsOf(intent)])),
  });
  return offered.find(({ intent }) => idOf(intent) === chosen)?.intent;
}

/** Asks for an id of either kind. */
export async function askOrderId(before: string, prompter: Prompter): Promise<string> {
  const typed = await prompter.ask({
    name: 'order-id',
    message: `${before}the order: its gateway order id or your client order id (idempotency key)`,
    check: (text) => {
      if (text.trim() === '') return 'is empty; type the id of the order';
      return isCardNumber(text.trim()) ? 'looks like a card number; type the id of the order' : undefined;
    },
    shown: withoutCardNumbers,
  });
  return typed.trim();
}

/** Of requests that are oldest first, the newest of each order, newest first. */
export function newestOfEach(intents: readonly Intent[]): Intent[] {
  const byId = new Map(intents.map((intent) => [idOf(intent), intent]));
  return intents.filter((intent) => byId.get(idOf(intent)) === intent).toReversed();
}

/** The id that people know an order by; '' where it has none. */
export function idOf({ clientOrderId, orderId }: Intent): string {
  return clientOrderId ?? orderId ?? '';
}

function idsOf({ clientOrderId, orderId }: Intent): readonly string[] {
  return [clientOrderId, orderId].filter((id) => id !== undefined);
}

/** Amount, status, age and the gateway order id. */
function meaningOf(intent: Intent, journal: Journal, now: number): string {
  const state = intent.kind === 'opening' ? journal.orderState(intent) : intent.state;
  const status = `${commandOf(intent)} ${wordOf(state)}`;
  return offerText(intent, intent.sum === undefined ? undefined : sumText(intent.sum), status, now);
}

/** The text beside an order. */
export function offerText(intent: Intent, money: string | undefined, status: string, now: number): string {
  const gatewayId = intent.clientOrderId === undefined ? [] : [`gateway order id ${intent.orderId ?? 'unknown'}`];
  return [...(money === undefined ? [] : [money]), status, agoText(intent.madeAt, now), ...gatewayId].join(', ');
}
