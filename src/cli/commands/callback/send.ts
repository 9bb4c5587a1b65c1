import { forwardCallback } from '../../../callbacks/forward.js';
import type { RawCallback, StoredCallback } from '../../../callbacks/store.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { controlChecksum, controlEncoding } from '../../../signing/index.js';
import { callbackFields, type ReplyField, replies, replyField } from '../../../spec/index.js';
import { encodeForm, type Pair } from '../../../wire/form.js';
import { defineCommand, type FlagsFor, list, on, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { askOrder, assertMayAskOrder, idFlags } from '../../core/order-argument.js';
import { fetchStatus } from '../../core/order-query.js';
import { idsOf, type OrderIds, requestsOnOrder } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { journalKeyPath, openCallbackHistory } from '../../core/user-stores.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import type { Fields } from '../../format/meaning.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { reportForwarded } from './format.js';
import { storedCallback } from './list.js';
import { readHandler } from './listen.js';

interface SendFlags extends CommonOptions {
  readonly orderId?: string;
  readonly clientOrderId?: string;
  readonly stored?: string;
  readonly set?: readonly string[];
  readonly to?: string;
  readonly post?: boolean;
}

const command = 'callback send';

export const callbackSend = defineCommand({
  summary: "Create a test callback for an order, signed with the profile's key, or forward a stored one again",
  help: `With --stored a callback that was received goes to your handler again, byte for byte; nothing is asked of the gateway.\n\nThe handler's answer is shown: exit 0 for 200, 11 for any other status, 6 when there was none.`,
  args: { order: { text: 'the gateway order id or your client order id (idempotency key)', isOptional: true } },
  flags: {
    ...idFlags,
    stored: word('<id>', 'a received callback, by its number in `paycli callback list`'),
    set: list('<field=value>', 'override a field of the status reply; repeatable'),
    post: on('POST it as a form, instead of a GET'),
    to: parsed('<url>', 'the handler; of a stored callback by default the one it was last forwarded to', readHandler),
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<SendFlags>,
  conflicts: [
    ['stored', 'order'],
    ['stored', 'orderId'],
    ['stored', 'clientOrderId'],
    ['stored', 'set'],
    ['stored', 'post'],
  ],
  examples: [
    'callback send order-1 --to http://127.0.0.1:3000/callback',
    'callback send order-1 --set status=declined --post --to http://127.0.0.1:3000/callback',
    'callback send --stored 1',
  ],
  effect: 'read',
  note: 'Contacts your handler and queries the status.',
  result: ['callback-send'],
  run: ({ args, flags, runtime }) => {
    const given = flags as SendFlags;
    return given.stored === undefined
      ? sendForOrder(args.order, given, runtime)
      : sendStored(given.stored, given, runtime);
  },
});

/** Forwards a received callback again. */
async function sendStored(id: string, flags: SendFlags, runtime: Runtime): Promise<number> {
  const store = await openCallbackHistory(runtime);
  try {
    const callback = storedCallback(store, id);
    const url = handlerOf(flags.to ?? callback.forwards.at(-1)?.url);
    const forwarded = await forwardCallback(rawOf(callback, runtime), url, runtime.clock);
    store.recordForward(callback.id, forwarded);
    return await reportForwarded(forwarded, new Reporter(flags, undefined, runtime));
  } finally {
    store.close();
  }
}

/** Its bytes, which can be decrypted only with the callback key they were stored under. Throws STORAGE. */
function rawOf({ id, raw }: StoredCallback, { files }: Runtime): RawCallback {
  if (raw !== undefined) return raw;
  throw fail('STORAGE', {
    what: `callback ${id}`,
    why: 'the key it was encrypted with is missing',
    how: `nothing was sent; restore the key in ${journalKeyPath({ files })}, or ask the gateway to send the callback again`,
    file: journalKeyPath({ files }),
  });
}

/** The address of the handler. Throws USAGE. */
function handlerOf(to: string | undefined): string {
  if (to !== undefined) return to;
  throw fail('USAGE', { why: 'name the destination: --to http://127.0.0.1:3000/callback' });
}

/** Makes up a callback as the gateway would send it, signed with the profile\'s key, and hands it to a handler. */
async function sendForOrder(order: string | undefined, flags: SendFlags, runtime: Runtime): Promise<number> {
  const { orderId, clientOrderId, to } = flags;
  const isNamed = (order ?? orderId ?? clientOrderId) !== undefined;
  if (!isNamed) assertMayAskOrder(flags, runtime);
  const url = handlerOf(to);
  const wanted = (flags.set ?? []).map(readSet);
  return withSession(flags, runtime, async (session, report) => {
    if (session.class === 'live')
      throw fail('LIVE_GUARD', {
        why: 'callback send simulates a message from the gateway',
        how: 'choose a test profile or the sandbox',
      });
    const named = isNamed ? { order, orderId, clientOrderId } : await askOrder(session, command, flags, runtime);
    const ids = idsOf(await requestsOnOrder(named, command, session, runtime), named);
    const status = await statusOf(ids, session, runtime);
    const told = fieldsFrom(typeof status === 'string' ? new Map() : status, ids);
    // A client order id that is set counts for both of its fields.
    const set = wanted.flatMap(([name, value]) =>
      name === 'client_orderid' ? [['merchant_order', value] as Pair] : [],
    );
    const fields = new Map([...told, ...set, ...wanted]);
    report.warn(
      typeof status === 'string' ? [`${status}; this callback may not match the order`] : contradictions(told, fields),
    );
    const signed = await sign(fields, session);
    return reportForwarded(await forwardCallback(asRequest(signed, flags.post === true), url, runtime.clock), report);
  });
}

function readSet(text: string): Pair {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  const names = Object.values<ReplyField>(callbackFields).map(({ wire }) => wire);
  const known = names.filter((each) => each !== 'control');
  if (known.includes(name)) return [name, text.slice(at + 1)];
  throw fail('USAGE', {
    why: `--set: use field=value with one of ${known.join(', ')}; the checksum (control) is added automatically`,
  });
}

/** The status of an order, or why it is not known: the gateway does not have the order, or cannot be queried. */
async function statusOf(ids: OrderIds, session: Session, runtime: Runtime): Promise<Fields | string> {
  try {
    return await fetchStatus(ids, session, runtime);
  } catch (error) {
    if (isPaycliError(error) && ['REFUSED', 'READ_FAILED', 'NOT_SENT', 'PROFILE_INCOMPLETE'].includes(error.code))
      return error.message;
    throw error;
  }
}

const statusFields: Readonly<Record<string, ReplyField>> = replies.StatusResponse.fields;

/** Callback fields that a status says as well, each with its name there. */
const sameInStatus = Object.entries<ReplyField>(callbackFields).flatMap(([key, { wire, isSigned }]): Pair[] => {
  const same = statusFields[key];
  return same === undefined || isSigned ? [] : [[wire, same.wire]];
});

/** What the gateway would say of the order now. */
function fieldsFrom(status: Fields, { orderId, clientOrderId }: OrderIds): ReadonlyMap<string, string> {
  const own = replyField(status, 'clientOrderId') ?? clientOrderId;
  const all: readonly (readonly [string, string | undefined])[] = [
    ['status', replyField(status, 'status')],
    ['merchant_order', own],
    ['client_orderid', own],
    ['orderid', replyField(status, 'orderId') ?? orderId],
    ...sameInStatus.map(([field, name]) => [field, status.get(name)] as const),
  ];
  return new Map(all.filter((pair): pair is Pair => pair[1] !== undefined && pair[1] !== ''));
}

function contradictions(reply: ReadonlyMap<string, string>, fields: ReadonlyMap<string, string>): readonly string[] {
  return ['status', 'orderid', 'client_orderid', 'type', 'amount', 'currency']
    .filter((name) => fields.get(name) !== reply.get(name))
    .map(
      (name) =>
        `the status reply has ${name} ${reply.get(name) ?? 'unknown'}, this callback ${fields.get(name) ?? 'no value'}`,
    );
}

async function sign(fields: ReadonlyMap<string, string>, session: Session): Promise<readonly Pair[]> {
  const signed = ['status', 'orderid', 'client_orderid'];
  const missing = signed.filter((name) => (fields.get(name) ?? '') === '');
  if (missing.length > 0) {
    const flags = missing.map((name) => `--set ${name}=…`).join(' ');
    throw fail('USAGE', {
      why: `missing for the checksum of the callback: ${missing.join(', ')}; add ${flags}`,
      flags,
    });
  }
  const { controlKey } = await session.credentials({ scheme: 'control', values: [] });
  if (controlKey === undefined) throw new Error('a profile without a control key was let through');
  const values = signed.map((name) => fields.get(name) ?? '');
  const encoding = controlEncoding(session.assume);
  return [...fields, ['control', controlChecksum(values, controlKey.open(), { encoding })]];
}

/** A24: a GET with the fields in its query; a form where the gateway is known to post. */
function asRequest(fields: readonly Pair[], isPost: boolean): RawCallback {
  const text = encodeForm(fields);
  return isPost
    ? { method: 'POST', target: '/', contentType: 'application/x-www-form-urlencoded', body: Buffer.from(text) }
    : { method: 'GET', target: `/?${text}`, contentType: undefined, body: new Uint8Array() };
}
