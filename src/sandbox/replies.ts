import { type Assume, type ReplyFields, type ReplyRecord, replies } from '../spec/index.js';
import { encodeForm, type Pair } from '../wire/form.js';
import type { Fault } from './faults.js';
import type { Order } from './orders.js';
import { type Refusal, refusals } from './refusal.js';
import type { AcceptedRequest, SandboxReply, SandboxRequest, SandboxSettings } from './request.js';

/** What is written of a record or a message. Fields that are always there have to be given. */
export type Written<F> = {
  readonly [K in keyof F as F[K] extends { readonly when: 'always' } ? K : never]: string;
} & {
  readonly [K in keyof F as F[K] extends { readonly when: 'always' } ? never : K]?: string | undefined;
};

type Head = 'type' | 'serial' | 'clientOrderId' | 'orderId' | 'endpointId';

/** What a record has beyond what every record of an accepted request begins with. */
export type Own<R extends ReplyRecord> = Omit<Written<(typeof replies)[R]['fields']>, Head>;

export function recordOf<R extends ReplyRecord>(
  record: R,
  { route, serial, values }: AcceptedRequest,
  order: Order | undefined,
  own: Own<R>,
): Pair[] {
  return pairsOf(replies[record].fields, {
    type: replies[route.row.records.reply].types[0],
    serial,
    clientOrderId: values['clientOrderId'] ?? order?.clientOrderId,
    orderId: order?.id,
    endpointId: route.endpointId,
    ...own,
  });
}

/** The fields of a record or a message under their names, in the order given; those without a value are left out. */
export function writeFields<F extends ReplyFields>(table: F, values: Written<F>): Pair[] {
  return pairsOf(table, values);
}

function pairsOf(table: ReplyFields, values: Readonly<Record<string, string | undefined>>): Pair[] {
  return Object.entries(values).flatMap(([key, value]): Pair[] => {
    const field = table[key];
    return field === undefined || value === undefined || value === '' ? [] : [[field.wire, value]];
  });
}

/** What is known about a refused request. */
export interface RequestIds {
  readonly serial: string;
  readonly clientOrderId?: string | undefined;
  readonly endpointId?: string | undefined;
}

export function refusalReply(refusal: Refusal, echo: RequestIds, assume: Assume): SandboxReply {
  const { reason } = refusal;
  // A22, A37: the statuses for a wrong OAuth signature and an unknown order are not documented.
  const assumed = reason.startsWith('oauth') ? assume['wrong-oauth'] : assume['unknown-order'];
  const isAssumed = reason.startsWith('oauth') || reason === 'unknown-order';
  const status = isAssumed ? Number(assumed) : refusals[reason].status;
  const { types, fields: table } = replies[status >= 500 ? 'ServerErrorResponse' : 'ValidationErrorResponse'];
  const fields = writeFields(table, {
    type: types[0],
    ...echo,
    errorMessage: refusal.message,
    errorCode: refusals[reason].code,
  });
  return { ...encodeReply(status, fields, assume), refusal };
}

/** What a client gets for a request that a fault was queued for; `fields` are those of the reply without the fault. */
export function faultyReply(
  fault: Fault,
  fields: readonly Pair[],
  refused: SandboxReply,
  { url }: SandboxRequest,
  { assume, lateMs }: SandboxSettings,
): SandboxReply {
  const whole = fault.isDone ? encodeReply(200, fields, assume) : refused;
  const replies: Readonly<Record<Fault['shape'], SandboxReply>> = {
    'server-error': refused,
    'no-answer': { ...refused, delivery: 'none' },
    hang: { ...refused, delivery: 'hang' },
    half: { ...whole, body: whole.body.slice(0, Math.floor(whole.body.length / 2)) },
    page: { status: 502, headers: formHeaders, body: proxyPage },
    redirect: { status: 307, headers: { location: underOtherName(url) }, body: '' },
    'too-many': { ...refused, status: 429, headers: { ...refused.headers, 'retry-after': '1' } },
    late: { ...whole, delivery: { afterMs: lateMs } },
  };
  return replies[fault.shape];
}

const proxyPage =
  '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n';

/** Both names are this machine, so that following the redirect shows in the log. */
function underOtherName(address: string): string {
  const url = new URL(address);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.href;
}

const formHeaders = { 'content-type': 'text/html;charset=utf-8', 'cache-control': 'no-store' };
const jsonHeaders = { 'content-type': 'application/vnd.pay+json', 'cache-control': 'no-store' };

/** Under `--compatible`, for a client that asks for no JSON: without the sign that A12 `form` begins with. */
export const plainForm = 'form-plain';

/** JSON with all values as text, or, under A12 `form`, the form-encoded kind whose errors come with 200. */
export function encodeReply(status: number, fields: readonly Pair[], assume: Assume): SandboxReply {
  const isForm = assume['reply-format'] !== 'json';
  const lines = fields.map((pair) => `${encodeForm([pair])}\n`);
  const start = assume['reply-format'] === plainForm ? '' : '&';
  const body = isForm ? start + lines.join('&') : JSON.stringify(Object.fromEntries(fields));
  return {
    status: isForm && status < 421 ? 200 : status,
    headers: isForm ? formHeaders : jsonHeaders,
    body,
  };
}
