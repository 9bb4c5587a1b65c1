import { forwardCallback } from '../../../callbacks/forward.js';
import type { RawCallback } from '../../../callbacks/store.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { controlChecksum, controlEncoding } from '../../../signing/index.js';
import { callbackFields, type ReplyField, replies, replyField } from '../../../spec/index.js';
import { encodeForm, type Pair } from '../../../wire/form.js';
import { defineCommand, type FlagsFor, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { idFlags } from '../../core/order-argument.js';
import { fetchStatus } from '../../core/order-query.js';
import { idsOf, type OrderIds, requestsOnOrder } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { journalKeyPath, openCallbackHistory } from '../../core/user-stores.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import type { Fields } from '../../format/meaning.js';
import { type Session, withSession } from '../../session.js';
import { reportForwarded } from './format.js';
import { storedCallback } from './list.js';
import { readHandler } from './listen.js';

interface SendFlags extends CommonOptions {
  readonly orderId?: string;
  readonly clientOrderId?: string;
  readonly stored?: string;
  readonly to?: string;
}

export const callbackSend = defineCommand({
  summary: "Create a test callback for an order, signed with the profile's key, or forward a stored one again",
  help: `It says what the status of the order says. With --stored a callback that was received goes to your handler again, byte for byte; nothing is asked of the gateway.\n\nThe handler's answer is shown: exit 0 for 200, 11 for any other status, 6 when there was none.`,
  args: { order: { text: 'the gateway order id or your client order id (idempotency key)', isOptional: true } },
  flags: {
    ...idFlags,
    stored: word('<id>', 'a received callback, by its number in `paycli callback list`'),
    to: parsed('<url>', 'the handler; of a stored callback by default the one it was last forwarded to', readHandler),
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<SendFlags>,
  conflicts: (['order', 'orderId', 'clientOrderId'] as const).map((key) => ['stored', key] as const),
  examples: ['callback send order-1 --to http://127.0.0.1:3000/callback', 'callback send --stored 1'],
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
async function sendStored(number: string, flags: SendFlags, runtime: Runtime): Promise<number> {
  const store = await openCallbackHistory(runtime);
  try {
    const { id, raw, forwards } = storedCallback(store, number);
    const url = handlerOf(flags.to ?? forwards.at(-1)?.url);
    if (raw === undefined) {
      const how = `nothing was sent; restore the key in ${journalKeyPath(runtime)}, or ask the gateway to send it again`;
      throw fail('STORAGE', { what: `callback ${id}`, why: 'the key it was encrypted with is missing', how });
    }
    const forwarded = await forwardCallback(raw, url, runtime.clock);
    store.recordForward(id, forwarded);
    return await reportForwarded(forwarded, new Reporter(flags, undefined, runtime));
  } finally {
    store.close();
  }
}

/** The address of the handler. Throws USAGE. */
function handlerOf(to: string | undefined): string {
  if (to !== undefined) return to;
  throw fail('USAGE', { why: 'name the destination: --to http://127.0.0.1:3000/callback' });
}

/** Makes up a callback as the gateway would send it, signed with the profile's key, and hands it to a handler. */
async function sendForOrder(order: string | undefined, flags: SendFlags, runtime: Runtime): Promise<number> {
  const { orderId, clientOrderId, to } = flags;
  if ((order ?? orderId ?? clientOrderId) === undefined)
    throw fail('USAGE', { why: 'name the order, or a received callback with --stored' });
  const url = handlerOf(to);
  return withSession(flags, runtime, async (session, report) => {
    if (session.class === 'live')
      throw fail('LIVE_GUARD', {
        why: 'callback send simulates a message from the gateway',
        how: 'choose a test profile or the sandbox',
      });
    const named = { order, orderId, clientOrderId };
    const ids = idsOf(await requestsOnOrder(named, session, runtime), named);
    const fields = fieldsFrom(await fetchStatus(ids, { options: flags, session, runtime }), ids);
    const request = asRequest(await sign(fields, session), session.assume['callback-form'] === 'POST');
    return reportForwarded(await forwardCallback(request, url, runtime.clock), report);
  });
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

async function sign(fields: ReadonlyMap<string, string>, session: Session): Promise<readonly Pair[]> {
  const values = ['status', 'orderid', 'client_orderid'].map((name) => fields.get(name) ?? '');
  if (values.includes(''))
    throw fail('USAGE', {
      why: 'the status of the order lacks what the checksum needs; name the order by its other id',
    });
  const { controlKey } = await session.credentials({ scheme: 'control', values: [] });
  if (controlKey === undefined) throw new Error('a profile without a control key was let through');
  return [
    ...fields,
    ['control', controlChecksum(values, controlKey.open(), { encoding: controlEncoding(session.assume) })],
  ];
}

/** A24: a GET with the fields in its query, or a form. */
function asRequest(fields: readonly Pair[], isPost: boolean): RawCallback {
  const text = encodeForm(fields);
  return isPost
    ? { method: 'POST', target: '/', contentType: 'application/x-www-form-urlencoded', body: Buffer.from(text) }
    : { method: 'GET', target: `/?${text}`, contentType: undefined, body: new Uint8Array() };
}
