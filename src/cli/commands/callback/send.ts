import { forwardCallback, parseHandlerAddress } from '../../../callbacks/forward.js';
import type { RawCallback } from '../../../callbacks/store.js';
import { callbackControl } from '../../../callbacks/verify.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { controlEncoding } from '../../../signing/index.js';
import { callbackFields, type ReplyField, replies, replyField } from '../../../spec/index.js';
import { encodeForm, type Pair } from '../../../wire/form.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import { fetchStatus } from '../../core/order-query.js';
import type { OrderIds } from '../../core/order-requests.js';
import { assertOrderNamed, idsOfTyped, orderArgument, orderFlags } from '../../core/typed-order.js';
import type { Fields } from '../../format/meaning.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { handlerAnswerText, reportForwarded } from './format.js';

interface SendFlags extends CommonOptions {
  readonly order?: string;
  readonly clientOrderId?: string;
  readonly set?: readonly string[];
  readonly to?: string;
  readonly post?: boolean;
}

const command = 'callback send';

export const callbackSend = defineCommand<SendFlags>({
  name: 'callback send',
  summary: "Create a test callback for an order, signed with the profile's key",
  help: `Create a test callback for an order, signed with the profile's key\n\n${handlerAnswerText}`,
  args: [orderArgument],
  options: [
    ...orderFlags,
    ['--set <field=value>', 'override a field of the status reply; repeatable', { repeated: true }],
    ['--post', 'POST it as a form, instead of a GET'],
    ['--to <url>', 'the handler'],
    ...connectionFlags,
  ],
  examples: [
    'callback send order-1 --to http://127.0.0.1:3000/callback',
    'callback send order-1 --set status=declined --post --to http://127.0.0.1:3000/callback',
  ],
  effect: 'read',
  network: true,
  exits: [...statusExits, 'checkFailed'],
  note: 'Contacts your handler and queries the status.',
  prints: ['callback-send'],
  run: ({ args: [name], options, runtime }) => runCallbackSend(name, options, runtime),
});

/** Makes up a callback as the gateway would send it, signed with the profile\'s key, and hands it to a handler. */
async function runCallbackSend(name: string | undefined, flags: SendFlags, runtime: Runtime): Promise<number> {
  const { order, clientOrderId, to } = flags;
  const typed = { name, order, clientOrderId };
  assertOrderNamed(typed, command, flags, runtime);
  if (to === undefined)
    throw fail('USAGE', { why: 'name the destination: --to http://127.0.0.1:3000/callback', command });
  const url = parseHandlerAddress(to, '--to', command);
  const wanted = (flags.set ?? []).map(readSet);
  return withSession(flags, runtime, async (session, report) => {
    if (session.class === 'live')
      throw fail('LIVE_GUARD', {
        why: 'callback send simulates a message from the gateway',
        how: 'choose a test profile or the sandbox',
      });
    const ids = await idsOfTyped(typed, command, session, flags, runtime);
    const { status, why } = await statusOf(ids, session, runtime);
    if (why !== undefined) report.warn([`${why}; this callback may not match the order`]);
    const fields = merged(fieldsFrom(status ?? new Map(), ids), wanted);
    if (status !== undefined) report.warn(contradictions(fieldsFrom(status, ids), fields));
    const signed = await sign(fields, session);
    return reportForwarded(
      await forwardCallback(asRequest(signed, flags.post === true), url, runtime.clock),
      'paycli.callback-send/1',
      report,
    );
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
    command,
  });
}

interface KnownStatus {
  readonly status?: Fields;
  /** Why it is not known: the gateway does not have the order, or cannot be queried. */
  readonly why?: string;
}

async function statusOf(ids: OrderIds, session: Session, runtime: Runtime): Promise<KnownStatus> {
  try {
    return { status: await fetchStatus(ids, session, runtime) };
  } catch (error) {
    if (isPaycliError(error) && ['REFUSED', 'READ_FAILED', 'NOT_SENT', 'PROFILE_INCOMPLETE'].includes(error.code))
      return { why: error.message };
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

/** A client order id that is set counts for both of its fields. */
function merged(fields: ReadonlyMap<string, string>, wanted: readonly Pair[]): Map<string, string> {
  const both = wanted.flatMap(([name, value]): Pair[] =>
    name === 'client_orderid'
      ? [
          ['merchant_order', value],
          [name, value],
        ]
      : [[name, value]],
  );
  return new Map([...fields, ...both]);
}

function contradictions(reply: ReadonlyMap<string, string>, fields: ReadonlyMap<string, string>): string[] {
  const kept = ['status', 'orderid', 'client_orderid', 'type', 'amount', 'currency'].filter(
    (name) => fields.get(name) !== reply.get(name),
  );
  return kept.map(
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
      command,
    });
  }
  const { controlKey } = await session.credentials({ scheme: 'control', values: [] });
  if (controlKey === undefined) throw new Error('a profile without a control key was let through');
  const [status = '', orderId = '', clientOrderId = ''] = signed.map((name) => fields.get(name));
  return [
    ...fields,
    ['control', callbackControl(status, orderId, clientOrderId, controlKey, controlEncoding(session.assume))],
  ];
}

/** A24: a GET with the fields in its query; a form where the gateway is known to post. */
function asRequest(fields: readonly Pair[], isPost: boolean): RawCallback {
  const text = encodeForm(fields);
  return isPost
    ? { method: 'POST', target: '/', contentType: 'application/x-www-form-urlencoded', body: Buffer.from(text) }
    : { method: 'GET', target: `/?${text}`, contentType: undefined, body: new Uint8Array() };
}
