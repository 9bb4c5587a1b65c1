import { exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { interfaceLabel, namesOfKind, replyFields } from '../../../spec/index.js';
import { cardNumbersIn, holdsSecurityCode } from '../../../wire/mask.js';
import { defineCommand, word } from '../../command.js';
import { askOrder, assertMayAskOrder } from '../../core/order-argument.js';
import type { NamedOrder } from '../../core/order-requests.js';
import { packageVersion } from '../../core/version.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { cardEndOf } from '../../format/journal-entries.js';
import { type Session, withSession } from '../../session.js';
import { assumptionsInForce } from '../assumptions/assumptions.js';
import { assertFree, createFiles, pathOf } from '../keys/key-files.js';
import { type Entry, entryDocument, gatherTimeline, type Timeline, timelineDocument } from '../order/timeline.js';

export const support = defineCommand({
  summary: 'Everything known here about an order, masked, in one file for gateway support',
  help: 'The JSON file has what `order --timeline` and `journal` print, versions and assumptions. Card data and keys are left out, the file is searched for secrets first, and nothing is sent.',
  heading: 'Tools:',
  args: {
    order: {
      text: 'the order: its gateway order id or your client order id (idempotency key)',
      isOptional: true,
    },
  },
  flags: {
    clientOrderId: word('<id>', 'your client order id'),
    out: word('<file>', 'the file to write (default: paycli-support-ORDER.json in this folder)'),
    ...connectionFlags,
    ...outputFlags,
  },
  examples: ['support order-1', 'support --client-order-id order-1 --out case-17.json'],
  effect: 'local',
  result: ['support'],
  async run({ args: { order: name }, flags: options, runtime }) {
    const isUnnamed = name === undefined && options.clientOrderId === undefined;
    if (isUnnamed) assertMayAskOrder(options, runtime);
    return withSession(options, runtime, async (session, report) => {
      const typed = { order: name, clientOrderId: options.clientOrderId };
      const named = isUnnamed ? await askOrder(options, runtime) : typed;
      const { order, text, ids, controlKey } = await gather(named, session, runtime);
      const found = secretsIn(text, controlKey, ids);
      // An id that is not one of the gateway may be the secret that was found.
      const shown = ids.has(order.orderId ?? '') ? order.orderId : 'ORDER';
      if (found.length > 0) throw fail('SECRET_FOUND', { found: found.join(', '), order: shown });
      const { orderId = null, clientOrderId = null } = order;
      // A file name that is safe on every system.
      const id = (orderId ?? clientOrderId ?? '').replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
      const file = pathOf(options.out ?? `paycli-support-${id}.json`, runtime);
      assertFree([file], runtime);
      createFiles([{ path: file, text, mode: 0o600 }], runtime);
      await report.show({
        document: { schema: 'paycli.support/1', order: { orderId, clientOrderId }, file, sent: false },
        text: () => `${report.paint.good('✓')} ${file}\n`,
      });
      report.notes(['nothing was sent; read the file before you share it']);
      return exits.ok;
    });
  },
});

interface Gathered {
  readonly order: Timeline['order'];
  readonly text: string;
  /** Numbers assigned by the gateway. */
  readonly ids: ReadonlySet<string>;
  /** To search the text for; undefined where it cannot be read. */
  readonly controlKey: string | undefined;
}

/** Throws USAGE or OTHER_PROFILE when nothing is known about the order. */
async function gather(named: NamedOrder, session: Session, runtime: Runtime): Promise<Gathered> {
  const timeline = await gatherTimeline(named, { session, runtime });
  const { order, entries } = timeline;
  const controlKey = await readControlKey(session);
  const document = {
    schema: 'paycli.support-file/1',
    madeAt: new Date(runtime.clock.now()).toISOString(),
    about: aboutDocument(session, controlKey, runtime),
    timeline: timelineDocument(timeline, { profile: session.name, gateway: session.gatewayBase }),
    journal: entries.map(entryDocument),
  };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  return { order, text, ids: new Set(idsOf(order, entries)), controlKey };
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
    ...{ paycli: packageVersion, interface: interfaceLabel },
    ...{ engine: 'Node', node: processes.nodeVersion, platform: processes.platform },
    ...{ profile: name, class: session.class, builtin, gateway, login },
    connection: session.connection.filter(({ key }) => /^(?:base-url|endpoint)/.test(key)),
    controlKey: controlKey === undefined ? null : keyFingerprint(controlKey),
    assumptions: assumptionsInForce(session),
  };
}

const idNames: ReadonlySet<string> = new Set(namesOfKind(replyFields, 'gatewayId', 'serial'));

/** A value that ends like the card's last four digits does not count as an id, whatever it is called. */
function idsOf(order: Timeline['order'], entries: readonly Entry[]): readonly string[] {
  const requests = entries.map(({ request }) => request);
  const named = requests.flatMap(({ outcome }) => Object.entries(outcome)).filter(([name]) => idNames.has(name));
  const ids = [order.orderId, ...requests.map(({ orderId }) => orderId), ...named.map(([, id]) => id)];
  const cards = requests.map(cardEndOf).filter((four) => four !== undefined);
  return ids.filter((id) => id !== undefined).filter((id) => !cards.some((four) => id.endsWith(four)));
}

/** What secrets a text holds, by their kinds. `ids` are numbers of the gateway, which may be as long as card numbers. */
function secretsIn(text: string, controlKey: string | undefined, ids: ReadonlySet<string>): readonly string[] {
  const written = controlKey === undefined ? [] : [controlKey, JSON.stringify(controlKey).slice(1, -1)];
  return [
    ...(written.some((key) => text.includes(key)) ? ['the control key'] : []),
    ...(holdsSecurityCode(text) ? ['a security code'] : []),
    ...(cardNumbersIn(text).some((number) => !ids.has(number)) ? ['a card number'] : []),
  ];
}
