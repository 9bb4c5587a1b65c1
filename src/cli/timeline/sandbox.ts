import { isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { OrderHistory } from '../../sandbox/log/history.js';
import type { LoggedEvent } from '../../sandbox/log/read.js';
import { isLoopback } from '../../wire/address.js';
import type { OrderIds } from '../asking.js';
import { boxFolder, boxName, openBox } from '../box.js';
import { timeText } from '../present/time.js';
import type { Session } from '../session.js';
import { eventOf, joined, type Kind, type TimelineEvent } from './event.js';

/** The order in the sandbox that answers, or in one of this machine behind a loopback address; undefined when it is in none. */
export async function inSandbox(ids: OrderIds, session: Session, runtime: Runtime): Promise<OrderHistory | undefined> {
  if (session.builtin) return historyIn(boxName(runtime), ids, session, runtime);
  if (!isLoopback(session.place)) return undefined;
  for (const file of runtime.files.list(boxFolder(runtime)).filter((name) => name.endsWith('.db'))) {
    const found = await historyIn(file.slice(0, -'.db'.length), ids, session, runtime);
    const isOther = ids.clientOrderId !== undefined && found?.clientOrderId !== ids.clientOrderId;
    if (found !== undefined && !isOther) return found;
  }
  return undefined;
}

async function historyIn(name: string, ids: OrderIds, { login }: Session, runtime: Runtime): Promise<OrderHistory | undefined> {
  const { orderHistory } = await import('../../sandbox/log/history.js');
  try {
    const box = await openBox({ ...runtime, env: { ...runtime.env, PAYCLI_SANDBOX: name } });
    try {
      return orderHistory(box.store, login, ids);
    } finally {
      box.close();
    }
  } catch (error) {
    // A file of another version or of another name is not this order's.
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

export function eventsOfSandbox({ events }: OrderHistory): TimelineEvent[] {
  return events.map((event) => {
    const { status = '', signature = '' } = event.detail;
    const answer = event.kind === 'refusal' ? joined(`HTTP ${status}`, signature) : undefined;
    // What fell due while nobody asked was written down late, under its own time; the sandbox clock runs ahead or not at all.
    const at = Math.min(event.at, event.machineAt);
    const clock = event.at - at < 1000 ? undefined : `sandbox clock ${timeText(event.at)}`;
    const title = joined(event.title, answer, clock);
    return eventOf({ at, source: 'sandbox', kind: kindOf(event), title }, { ...event.detail, sandboxAt: new Date(event.at).toISOString() });
  });
}

const kinds: Readonly<Record<string, Kind>> = {
  request: 'request',
  refusal: 'refusal',
  stage: 'state',
  page: 'page',
  callback: 'callback',
  queue: 'note',
};

function kindOf({ kind, title, detail }: LoggedEvent): Kind {
  const operation = detail['operation'] ?? '';
  if (kind === 'request' && operation === 'STATUS') return 'poll';
  if (kind === 'request' && operation.startsWith('TDS_UPLOAD_')) return 'step';
  // A result that was handed in, or the stage of an order that waits for one.
  if (kind === 'stage' && (detail['said'] !== undefined || title.endsWith('_3d_validating'))) return 'step';
  return kinds[kind] ?? 'note';
}
