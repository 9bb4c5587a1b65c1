import { builtInSandbox, listProfiles, loadProfile } from '../../config/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Standing } from '../../sandbox/standing.js';
import { type OperationId, operations } from '../../spec/index.js';
import { decimalText } from '../../wire/amount.js';
import { signOperationTools } from '../argv.js';
import { boxPath } from '../box.js';

/** One thing to offer. */
interface Offer {
  readonly value: string;
  readonly about: string;
}

// Nothing here needs quotes in any shell: an order id came from outside, and a shell would run what it is made to type.
const harmless = /^[A-Za-z0-9][A-Za-z0-9._:@+,=/-]{0,127}$/;

/**
 * What the completion scripts ask for: `KIND WORD…`, the words of the command before the one being typed. Prints a value a line,
 * then a tab and what it is. From local data only; whatever goes wrong, nothing is printed.
 */
export async function answer(words: readonly string[], runtime: Runtime): Promise<number> {
  try {
    for (const { value, about } of await offers(words, runtime)) if (harmless.test(value)) runtime.terminal.out(`${value}\t${about}\n`);
  } catch {
    // Whoever presses TAB has not asked anything yet.
  }
  return 0;
}

async function offers([kind, ...rest]: readonly string[], runtime: Runtime): Promise<readonly Offer[]> {
  const at = rest.lastIndexOf('--profile');
  const words = at === -1 ? rest : rest.slice(0, at);
  const profile = at === -1 ? undefined : rest[at + 1] || undefined;
  switch (kind) {
    case 'profiles':
      return profiles(runtime);
    case 'orders':
      return (await orders(words, profile, runtime)).map((each) => ({ value: each.order.id, about: aboutOrder(each) }));
    case 'client-order-ids':
      return clientOrderIds(words, await orders(words, profile, runtime));
    default:
      return [];
  }
}

async function profiles(runtime: Runtime): Promise<readonly Offer[]> {
  const listed = (await listProfiles(runtime)).map(({ name, class: kind }) => ({ value: name, about: kind }));
  const isNamed = listed.some(({ value }) => value === builtInSandbox);
  return isNamed ? listed : [...listed, { value: builtInSandbox, about: 'the sandbox in the box' }];
}

/** Orders are known of the sandbox in the box only. */
async function orders(words: readonly string[], profile: string | undefined, runtime: Runtime): Promise<readonly Standing[]> {
  if (!runtime.files.exists(boxPath(runtime))) return [];
  if ((await loadProfile({ profile }, runtime)).profile !== undefined) return [];
  const database = (await runtime.database()).open(boxPath(runtime));
  try {
    const { standingOrders } = await import('../../sandbox/standing.js');
    return standingOrders(database, runtime.clock, operationOf(words));
  } finally {
    database.close();
  }
}

function operationOf(words: readonly string[]): OperationId | undefined {
  const [first, second = ''] = words;
  const named =
    first === 'sign' && signOperationTools.has(second) ? words.slice(2) : first === 'sign' || first === 'can' ? words.slice(1) : words;
  const line = `${named.join(' ')} `;
  return operations.find((row) => line.startsWith(`${row.command} `))?.id;
}

/** The id of the order that the line names already, or of every order. An id several orders share is offered once. */
function clientOrderIds(words: readonly string[], standing: readonly Standing[]): readonly Offer[] {
  const named = standing.filter(({ order }) => words.includes(order.id));
  const offered = new Map<string, Offer>();
  for (const each of named.length > 0 ? named : standing) {
    const { clientOrderId } = each.order;
    if (!offered.has(clientOrderId)) offered.set(clientOrderId, { value: clientOrderId, about: aboutOrder(each) });
  }
  return [...offered.values()];
}

function aboutOrder({ order, state }: Standing): string {
  const made = new Date(order.madeAt).toISOString().slice(0, 16).replace('T', ' ');
  const money = order.amount === undefined ? [] : [`${decimalText(order.amount, order.digits)} ${order.currency ?? ''}`.trim()];
  return [state, ...money, `${made} UTC`].join(', ');
}
