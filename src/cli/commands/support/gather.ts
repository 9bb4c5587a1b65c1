import { isPaycliError, shellWord } from '../../../errors/index.js';
import type { Event, Request } from '../../../journal/port.js';
import type { Runtime } from '../../../runtime/ports.js';
import { callbackFields, interfaceLabel, namesOfKind, replyFields } from '../../../spec/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal, type NamedOrder, requestsOn } from '../../core/order-requests.js';
import { requestsElsewhere } from '../../core/other-profiles.js';
import { journalOf } from '../../core/user-stores.js';
import { packageVersion } from '../../core/version.js';
import { oneLine } from '../../format/document.js';
import { cardEndOf, requestDocument } from '../../format/journal-entries.js';
import { eventDocument } from '../../format/request-events.js';
import type { Session } from '../../session.js';
import { assumptionsInForce } from '../assumptions/assumptions.js';
import { callbackDocument } from '../callback/format.js';
import { examine, runChecks } from '../doctor/doctor.js';
import {
  callbacksOn,
  gatherTimeline,
  type Timeline,
  timelineDocument,
  timelineText,
  withoutQuery,
} from '../order/timeline.js';
import type { BundleFile, KeyFact } from './secrets.js';
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

/** The files of a bundle. Throws USAGE when nothing is known about the order. */
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
  const signed = entries.map(({ request }) => signedEntry(request, session.assume));
  const status = await statusQuestion(order, session, runtime, paint);
  const signing = [
    'Recipes use the current assumptions; values are from the journal.\n',
    ...signed.map(signedText),
    `A status request for the order, as it would be signed now\n${status.text}`,
  ];
  const files = [
    text('README.txt', readmeText(nameOrder(order), runtime.clock.now(), packageVersion)),
    text('timeline.txt', timelineText(timeline, width)),
    json('timeline.json', timelineDocument(timeline, at)),
    json('journal.json', { schema: 'paycli.journal/1', entries: journal }),
    json('callbacks.json', { schema: 'paycli.callback-list/1', callbacks }),
    text('signing.txt', signing.join('\n')),
    json('signing.json', { schema: 'paycli.support-signing/1', requests: signed, status: status.document }),
    ...(await environmentFiles(place)),
  ];
  const lacks = entries.length === 0 ? await whyNoEntries(order, session, runtime) : undefined;
  return { order, files, ids: new Set([...idsOf(order, entries, callbacks), ...status.joined]), lacks };
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

export function nameOrder({ orderId, clientOrderId }: Timeline['order']): string {
  return orderId ?? clientOrderId ?? '';
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

/** A description of every file, for the README of the archive and the output of the command. */
export const fileDescriptions: Readonly<Record<string, string>> = {
  'README.txt': 'this text',
  'timeline.txt':
    'requests, replies, callbacks and status requests of the order, in chronological order, human-readable',
  'timeline.json': 'the same, machine-readable, as printed by `paycli order --timeline --json`',
  'journal.json': 'the journal entries of the order, with every change of state, as printed by `paycli journal --json`',
  'callbacks.json': 'callbacks received for the order, without unknown fields',
  'signing.txt': `how each request was signed, as far as that is stored, and the stages of a status request signed now`,
  'signing.json': 'the same, machine-readable',
  'assumptions.json': 'assumptions where the API documentation is silent, with current values and where they were set',
  'versions.json': 'versions of paycli, of the API documentation, of Node and of the system',
  'profile.json': 'the connection: class, address, login, endpoint; keys by their fingerprints',
  'doctor.txt': 'the results of `paycli doctor` on this machine, without network access',
};

function readmeText(order: string, madeAt: number, version: string): string {
  const width = Math.max(...Object.keys(fileDescriptions).map((name) => name.length)) + 2;
  const lines = Object.entries(fileDescriptions).map(([name, what]) => `  ${name.padEnd(width)}${what}`);
  return `Support bundle of order ${order}
made by paycli ${version} at ${new Date(madeAt).toISOString()}

Files
${lines.join('\n')}

To reproduce a request: paycli help runbooks

Left out or masked
  Card numbers and security codes: never stored, so never included; at most the last four digits of a card appear.
  Keys and passphrases: by fingerprint only, from which they cannot be derived.
  Signature values (control, oauth_signature): shown as dots. The signed texts are included.
  Addresses of payment pages: never stored, because anyone who has one can act on the order.

Still included
  Order ids, amounts, times, the merchant login, the address of the gateway, and the payer data that callbacks
  contained, such as a name or an e-mail address. Share it only with people who may see that data.

Every file was searched for the keys of the profile, plain and in the usual encodings, for card numbers, security
codes and signatures before this archive was written. Review it yourself before you share it.
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

function text(name: string, content: string): BundleFile {
  return { name, text: content };
}

function json(name: string, document: unknown): BundleFile {
  return { name, text: `${JSON.stringify(document, null, 2)}\n` };
}

/** The findings of `doctor` that take no network; the terminal here says nothing about the order. */
async function doctorText(options: CommonOptions, runtime: Runtime): Promise<string> {
  const findings = await runChecks(await examine({ ...options, online: false }, runtime), ['clock', 'terminal']);
  const lines = findings.map(
    ({ result, check, text, next }) =>
      `${result}  ${check.padEnd(14)} ${text}${next === undefined ? '' : `; do: ${next}`}`,
  );
  return `${lines.map(oneLine).join('\n')}\n`;
}
