import type { Filter, Request } from '../../journal/port.js';
import { sumText } from '../../payments/words.js';
import type { Runtime } from '../../runtime/ports.js';
import { isCardNumber, withoutCardNumbers } from '../../wire/mask.js';
import { mayPrompt } from '../command.js';
import { commandWith } from '../flags.js';
import { commandOf } from '../format/meaning.js';
import { agoText } from '../format/time.js';
import type { Session } from '../session.js';
import { orderNotNamed } from '../usage.js';
import type { CommonOptions } from './common-options.js';
import { inJournal, type NamedOrder } from './order-requests.js';
import { wordOf } from './order-words.js';
import { journalOf } from './user-stores.js';

export const maxOffered = 9;
/** Search at most this many of the newest requests for orders to offer. */
const maxRead = 200;
const otherOrder = 'another order';

/** Throws USAGE for a command without an order where it cannot ask which one is meant. */
export function assertMayAskOrder(command: string, options: CommonOptions, runtime: Runtime): void {
  if (!mayPrompt(options, runtime)) throw orderNotNamed(command);
}

/**
 * Asks which order a command without one is about: offers the newest in the journal, by the requests of this filter, or
 * takes a typed id, which may be either. The caller has checked with `assertMayAskOrder` that it may ask.
 */
export async function askOrder(
  session: Pick<Session, 'gatewayBase' | 'login' | 'flags' | 'builtin' | 'journal'>,
  command: string,
  { color }: Pick<CommonOptions, 'color'>,
  runtime: Runtime,
  filter: Filter = { isOrder: true },
): Promise<NamedOrder> {
  const { gatewayBase: base, login, flags } = session;
  const requests = await inJournal<readonly Request[]>(runtime, journalOf(session), [], (journal) =>
    journal.find({ ...filter, base, login }, { limit: maxRead }),
  );
  // Of requests with the same id the newest.
  const newest = new Map(requests.toReversed().map((request) => [idOf(request), request]));
  const offered = [...newest.values()]
    .filter((request) => idOf(request) !== '')
    .toSorted((one, other) => other.id - one.id)
    .slice(0, maxOffered);
  const prompter = await runtime.prompter(color);
  if (offered.length > 0) {
    const chosen = await prompter.ask({
      name: 'order',
      message: `which order${command === 'order' ? '' : ` for ${command}`}`,
      choices: [...offered.map(idOf), otherOrder],
      meanings: Object.fromEntries(offered.map((each) => [idOf(each), meaningOf(each, runtime.clock.now())])),
    });
    const found = offered.find((each) => idOf(each) === chosen);
    if (found !== undefined) return { order: undefined, orderId: found.orderId, clientOrderId: found.clientOrderId };
  }
  const none = offered.length > 0 ? '' : `the journal has none (\`${commandWith('orders', flags)}\` lists all); `;
  const typed = await prompter.ask({
    name: 'order-id',
    message: `${none}the order: its gateway order id or your client order id (idempotency key)`,
    check: (text) => {
      if (text.trim() === '') return 'is empty; type the id of the order';
      return isCardNumber(text.trim()) ? 'looks like a card number; type the id of the order' : undefined;
    },
    shown: withoutCardNumbers,
  });
  return { order: typed.trim(), clientOrderId: undefined };
}

/** The id that people know an order by; '' where it has none. */
function idOf({ clientOrderId, orderId }: Request): string {
  return clientOrderId ?? orderId ?? '';
}

function meaningOf(request: Request, now: number): string {
  const { sum, state, createdAt, clientOrderId, orderId = 'unknown' } = request;
  return [
    ...(sum === undefined ? [] : [sumText(sum)]),
    ...[`${commandOf(request)} ${wordOf(state)}`, agoText(createdAt, now)],
    ...(clientOrderId === undefined ? [] : [`gateway order id ${orderId}`]),
  ].join(', ');
}
