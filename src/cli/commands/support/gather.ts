import type { StoredCallback } from '../../../callbacks/store.js';
import { isPaycliError, shellWord } from '../../../errors/index.js';
import type { Event, Request } from '../../../journal/port.js';
import type { Paint, Runtime } from '../../../runtime/ports.js';
import { callbackFields, interfaceLabel, namesOfKind, replyFields } from '../../../spec/index.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal, type NamedOrder, requestsOn } from '../../core/order-requests.js';
import { requestsElsewhere } from '../../core/other-profiles.js';
import { journalOf } from '../../core/user-stores.js';
import { packageVersion } from '../../core/version.js';
import { cardEndOf, requestDocument } from '../../format/journal-entries.js';
import type { Session } from '../../session.js';
import { assumptionsInForce } from '../assumptions/assumptions.js';
import { callbackDocument } from '../callback/format.js';
import { checks, type DoctorOptions, examine } from '../doctor/doctor.js';
import { eventDocument } from '../journal/show.js';
import {
  callbacksOn,
  gatherTimeline,
  type Timeline,
  timelineDocument,
  timelineText,
  withoutQuery,
} from '../order/timeline.js';
import { readmeText } from './archive.js';
import type { BundleFile } from './scan.js';
import type { KeyFact } from './secrets.js';
import { signedEntry, signedText, statusQuestion } from './signing.js';

export interface Gathered {
  readonly order: Timeline['order'];
  readonly files: readonly BundleFile[];
  /** Numbers assigned by the gateway. */
  readonly ids: ReadonlySet<string>;
  /** Why no journal entry is among them; undefined where one is. */
  readonly lacks: string | undefined;
}

interface BundleContext {
  readonly options: CommonOptions;
  readonly session: Session;
  readonly runtime: Runtime;
  readonly keys: readonly KeyFact[];
}

interface Entry {
  readonly request: Request;
  readonly events: readonly Event[];
}

const width = 100;

/** The files of a bundle. Throws USAGE or OTHER_PROFILE when nothing is known about the order. */
export async function gatherFiles(named: NamedOrder, place: BundleContext): Promise<Gathered> {
  const { session, runtime } = place;
  const paint = runtime.terminal.paint('out', false);
  const timeline = await gatherTimeline(named, { session, runtime, command: 'support' });
  const { order } = timeline;
  const entries = await inJournal<readonly Entry[]>(runtime, journalOf(session), [], async (journal) => {
    const requests = await requestsOn(journal, session, named, 'support');
    return Promise.all(
      requests.map(async (request) => ({ request, events: await journal.events({ request: request.id }) })),
    );
  });
  const callbacks = (await callbacksOn(order, session, runtime)).map((callback) =>
    callbackDocument(withoutHandler(callback)),
  );
  const at = { profile: session.name, gateway: session.gatewayBase };
  const journal = entries.map(({ request, events }) => ({
    ...requestDocument(request),
    events: events.map(eventDocument),
  }));
  const signing = await signingFiles(order, entries, place, paint);
  const files = [
    text('README.txt', readmeText(orderNameOf(order), runtime.clock.now(), packageVersion)),
    text('timeline.txt', timelineText(timeline, width)),
    json('timeline.json', timelineDocument(timeline, at)),
    json('journal.json', { schema: 'paycli.journal/1', entries: journal }),
    json('callbacks.json', { schema: 'paycli.callback-list/1', callbacks }),
    ...signing.files,
    ...(await environmentFiles(place)),
  ];
  const lacks = entries.length === 0 ? await whyNoEntries(order, session, runtime) : undefined;
  return { order, files, ids: new Set([...idsOf(order, entries, callbacks), ...signing.joined]), lacks };
}

/** The journal may have them under another profile, such as one that is no longer the default. */
async function whyNoEntries(
  { orderId, clientOrderId }: Timeline['order'],
  session: Session,
  runtime: Runtime,
): Promise<string> {
  const ids = [orderId, clientOrderId].filter((id) => id !== undefined);
  const fault = await inJournal(runtime, journalOf(session), undefined, () => undefined).catch((error: unknown) => {
    if (isPaycliError(error)) return error.message;
    throw error;
  });
  if (fault !== undefined) return `the archive contains no journal entries: ${fault}`;
  const profiles = new Set((await requestsElsewhere(ids, session, runtime)).map(({ profile }) => profile));
  const [first] = profiles;
  const where =
    first === undefined
      ? ''
      : `; it has some under ${[...profiles].join(', ')}: pack those with --profile ${shellWord(first, 'NAME')}`;
  return `the archive contains no journal entries: the journal has none for this order under profile ${session.name}${where}`;
}

/** Removes what concerns the merchant's handler: the query of its address, which may hold a secret, and its replies. */
function withoutHandler(callback: StoredCallback): StoredCallback {
  return {
    ...callback,
    forwards: callback.forwards.map((forward) => ({ ...forward, url: withoutQuery(forward.url), reply: '' })),
  };
}

export function orderNameOf({ orderId, clientOrderId }: Timeline['order']): string {
  return orderId ?? clientOrderId ?? '';
}

async function signingFiles(
  order: Timeline['order'],
  entries: readonly Entry[],
  { session, runtime }: BundleContext,
  paint: Paint,
) {
  const requests = entries.map(({ request }) => signedEntry(request, session.assume));
  const status = await statusQuestion(order, session, runtime, paint);
  const head = 'Recipes use the current assumptions; values are from the journal.\n';
  const words = [
    head,
    ...requests.map(signedText),
    `A status request for the order, as it would be signed now\n${status.text}`,
  ];
  const document = { schema: 'paycli.support-signing/1', requests, status: status.document };
  return { files: [text('signing.txt', words.join('\n')), json('signing.json', document)], joined: status.joined };
}

/** The files that do not depend on the order. */
async function environmentFiles({ options, session, runtime, keys }: BundleContext): Promise<BundleFile[]> {
  const { name, builtin, login, gatewayBase: gateway } = session;
  const { engine, nodeVersion, platform } = runtime.processes;
  const connection = session.connection.filter(({ key, hidden }) => !hidden && /^(?:base-url|endpoint)/.test(key));
  return [
    json('assumptions.json', {
      schema: 'paycli.assumptions/1',
      profile: name,
      assumptions: assumptionsInForce(session),
    }),
    json('versions.json', {
      schema: 'paycli.support-versions/1',
      ...{ paycli: packageVersion, interface: interfaceLabel, engine, node: nodeVersion, platform },
    }),
    json('profile.json', {
      schema: 'paycli.support-profile/1',
      ...{ profile: name, class: session.class, builtin, gateway, login, connection, keys },
    }),
    text('doctor.txt', await doctorText(options, runtime)),
  ];
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

function text(name: string, content: string): BundleFile {
  return { name, text: content };
}

function json(name: string, document: unknown): BundleFile {
  return { name, text: `${JSON.stringify(document, null, 2)}\n` };
}

// The clock check needs the network, and the terminal here says nothing about the order.
const omittedChecks: ReadonlySet<string> = new Set(['clock', 'terminal']);

/** The findings of `doctor` that take no network. */
async function doctorText(options: CommonOptions, runtime: Runtime): Promise<string> {
  const offline: DoctorOptions = { ...options, online: false };
  const examined = await examine(offline, runtime);
  const lines: string[] = [];
  for (const [name, check] of checks) {
    if (omittedChecks.has(name)) continue;
    const { result, text, next } = await check(examined, offline, runtime);
    lines.push(`${result}  ${name.padEnd(14)} ${text}${next === undefined ? '' : `; do: ${next}`}`);
  }
  return `${lines.map((line) => printable(line).replaceAll('\n', ' ')).join('\n')}\n`;
}
