import { isPaycliError } from '../../../errors/index.js';
import type { Event, Request } from '../../../journal/port.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { callbackFields, interfaceLabel, namesOfKind, replyFields } from '../../../spec/index.js';
import { inJournal, type NamedOrder, requestsOn } from '../../core/order-requests.js';
import { journalOf } from '../../core/user-stores.js';
import { packageVersion } from '../../core/version.js';
import { cardEndOf, requestDocument } from '../../format/journal-entries.js';
import { eventDocument } from '../../format/request-events.js';
import type { Session } from '../../session.js';
import { assumptionsInForce } from '../assumptions/assumptions.js';
import { callbackDocument } from '../callback/format.js';
import {
  callbacksOn,
  gatherTimeline,
  type Timeline,
  timelineDocument,
  timelineText,
  withoutQuery,
} from '../order/timeline.js';
import type { BundleFile } from './secrets.js';

export interface Gathered {
  readonly order: Timeline['order'];
  readonly files: readonly BundleFile[];
  /** Numbers assigned by the gateway. */
  readonly ids: ReadonlySet<string>;
  /** To search the files for; undefined where it cannot be read. */
  readonly controlKey: string | undefined;
}

interface Entry {
  readonly request: Request;
  readonly events: readonly Event[];
}

/** The files of a bundle. Throws USAGE or OTHER_PROFILE when nothing is known about the order. */
export async function gatherFiles(named: NamedOrder, session: Session, runtime: Runtime): Promise<Gathered> {
  const timeline = await gatherTimeline(named, { session, runtime, command: 'support' });
  const { order } = timeline;
  const entries = await inJournal<readonly Entry[]>(runtime, journalOf(session), [], async (journal) => {
    const requests = await requestsOn(journal, session, named, 'support');
    return Promise.all(
      requests.map(async (request) => ({ request, events: await journal.events({ request: request.id }) })),
    );
  });
  const callbacks = (await callbacksOn(order, session, runtime)).map((callback) => {
    // The query of the address of the merchant's handler may hold a secret, and so may its reply.
    const forwards = callback.forwards.map((forward) => ({ ...forward, url: withoutQuery(forward.url), reply: '' }));
    return callbackDocument({ ...callback, forwards });
  });
  const at = { profile: session.name, gateway: session.gatewayBase };
  const journal = entries.map(({ request, events }) => ({
    ...requestDocument(request),
    events: events.map(eventDocument),
  }));
  const controlKey = await readControlKey(session);
  const files = [
    { name: 'README.txt', text: readmeText(nameOrder(order), runtime.clock.now()) },
    { name: 'timeline.txt', text: timelineText(timeline, 100) },
    json('timeline.json', timelineDocument(timeline, at)),
    json('journal.json', { schema: 'paycli.journal/1', entries: journal }),
    json('callbacks.json', { schema: 'paycli.callback-list/1', callbacks }),
    json('about.json', aboutDocument(session, controlKey, runtime)),
  ];
  return { order, files, ids: new Set(idsOf(order, entries, callbacks)), controlKey };
}

export function nameOrder({ orderId, clientOrderId }: Timeline['order']): string {
  return orderId ?? clientOrderId ?? '';
}

async function readControlKey(session: Session): Promise<string | undefined> {
  if (!session.canAskStatus) return undefined;
  try {
    return (await session.credentials({ scheme: 'control', values: [] })).controlKey?.open();
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

function aboutDocument(session: Session, controlKey: string | undefined, { processes }: Runtime) {
  const { name, builtin, login, gatewayBase: gateway } = session;
  return {
    schema: 'paycli.support-about/1',
    ...{ paycli: packageVersion, interface: interfaceLabel },
    ...{ engine: processes.engine, node: processes.nodeVersion, platform: processes.platform },
    ...{ profile: name, class: session.class, builtin, gateway, login },
    connection: session.connection.filter(({ key }) => /^(?:base-url|endpoint)/.test(key)),
    controlKey: controlKey === undefined ? null : keyFingerprint(controlKey),
    assumptions: assumptionsInForce(session),
  };
}

function json(name: string, document: unknown): BundleFile {
  return { name, text: `${JSON.stringify(document, null, 2)}\n` };
}

/** A description of every file, for the README of the archive and the output of the command. */
export const fileDescriptions: Readonly<Record<string, string>> = {
  'README.txt': 'this text',
  'timeline.txt': 'requests, replies, callbacks and status requests of the order, in chronological order',
  'timeline.json': 'the same, machine-readable, as printed by `paycli order --timeline --json`',
  'journal.json': 'the journal entries of the order, with every change of state, as printed by `paycli journal --json`',
  'callbacks.json': 'callbacks received for the order, without unknown fields',
  'about.json': 'versions, the connection, the control key by its fingerprint, and the assumptions',
};

function readmeText(order: string, madeAt: number): string {
  const lines = Object.entries(fileDescriptions).map(([name, what]) => `  ${name.padEnd(16)}${what}`);
  return `Support bundle of order ${order}
made by paycli ${packageVersion} at ${new Date(madeAt).toISOString()}

${lines.join('\n')}

Card numbers, security codes, keys, signatures and addresses of payment pages are left out. Order ids, amounts, times,
the merchant login, the address of the gateway, and the payer data that callbacks contained are included: share it only
with people who may see that data.
`;
}

// Names of gateway ids in callbacks and replies; the client order id is the merchant's.
const idNames: ReadonlySet<string> = new Set([
  ...namesOfKind(replyFields, 'gatewayId', 'serial'),
  ...namesOfKind(callbackFields, 'gatewayId'),
]);

function idsOf(
  order: Timeline['order'],
  entries: readonly Entry[],
  callbacks: readonly Readonly<Record<string, unknown>>[],
): string[] {
  const replies = entries.flatMap(({ request }) => Object.entries(request.outcome));
  const fields = callbacks.flatMap((callback) => (Array.isArray(callback['fields']) ? callback['fields'] : []));
  const named = [...replies, ...fields.map(({ name, value }): [string, string] => [String(name), String(value)])];
  const orderIds = [order.orderId, ...entries.map(({ request }) => request.orderId)].filter((id) => id !== undefined);
  const ids = [...orderIds, ...named.filter(([name]) => idNames.has(name)).map(([, value]) => value)];
  // A value that ends like the card's last four digits does not count as an id, whatever it is called.
  const cards = entries.map(({ request }) => cardEndOf(request)).filter((four) => four !== undefined);
  return ids.filter((id) => !cards.some((four) => id.endsWith(four)));
}
