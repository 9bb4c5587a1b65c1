import { operationById, replyFields } from '../spec/index.js';
import { encodeForm, type Pair } from '../wire/form.js';
import { recordFindings, recordViolation } from './audit/findings.js';
import { type Judge, judgeForm, judgeUnexamined, type RefusedRequest } from './audit/judge.js';
import type { RuleId } from './audit/rules.js';
import { decodeBody, gatewayPrefix } from './checks.js';
import { type Fault, faultMessage } from './faults.js';
import { recordEvent } from './log.js';
import { maskFields, maskMethod, maskPath, maskReply, maskText, maxFields, pathOf } from './masking.js';
import { merchantOf } from './merchants.js';
import { orderByClientId, orderById } from './orders.js';
import type { Refusal, RefusalName, RuleViolation } from './refusal.js';
import type { CheckedRequest, Route, SandboxRequest, SandboxSettings } from './request.js';
import type { Store } from './store.js';

/** One request and how far it was processed. */
export interface AnsweredRequest {
  readonly request: SandboxRequest;
  /** Undefined when its address belongs to no operation. */
  readonly route: Route | undefined;
  /** Undefined when its format was refused. */
  readonly checked: CheckedRequest | undefined;
  readonly status: number;
  /** On the machine's monotonic clock. */
  readonly startedAt: number;
  readonly outcome:
    | { readonly fields: readonly Pair[] }
    | { readonly refusal: Refusal; readonly fault?: Fault | undefined };
}

/** How a sandbox answers and logs. */
export interface ServerSettings extends SandboxSettings {
  /** What finds the mistakes behind refused signatures, for the audit; a sandbox for one command does without. */
  readonly judgeSignature?: Judge | undefined;
}

/** Logs a request with its outcome, and what its client did wrong. */
export function logRequest(store: Store, settings: ServerSettings, answered: AnsweredRequest): void {
  const { request, route, checked, outcome } = answered;
  // A request that met a fault may have been carried out: only its reply went wrong.
  const refusal = 'refusal' in outcome && outcome.fault === undefined ? outcome.refusal : undefined;
  // A browser's requests outside the interface do not concern a merchant.
  if (route === undefined && request.method !== 'POST' && !pathOf(request).startsWith(gatewayPrefix)) return;
  const pairs = checked?.pairs ?? decodeBody(request.body).pairs;
  const login =
    checked?.merchant.login ?? (route === undefined ? undefined : merchantOf(store, route.endpointId)?.login);
  const order =
    'fields' in outcome
      ? { id: fieldValue(outcome.fields, replyFields.orderId.wire) }
      : orderNamedIn(store, route, pairs, login);
  recordEvent(store, {
    kind: refusal === undefined ? 'request' : 'refusal',
    login,
    orderId: order?.id,
    title: requestTitle(answered),
    detail: detailOf(store, settings, answered),
    fields: maskFields(route?.row, pairs.length > maxFields ? pairs.slice(0, maxFields) : pairs),
  });
  const seen = { request, route, pairs, login, orderId: order?.id };
  if (refusal !== undefined)
    recordFindings(store, seen, judge(store, settings, { ...seen, checked, settings, refusal }));
  recordFindings(store, seen, checked?.tolerated ?? []);
}

/** The audit must never change how a request is answered. */
function judge(store: Store, { judgeSignature }: ServerSettings, seen: RefusedRequest): readonly RuleViolation[] {
  return [judgeForm, judgeSignature ?? judgeUnexamined].flatMap((look) => {
    try {
      return look(seen, store);
    } catch {
      return [];
    }
  });
}

function requestTitle({ request, route, outcome }: AnsweredRequest): string {
  const what = route === undefined ? `${maskMethod(request)} ${maskPath(request)}` : operationById(route.id).command;
  if ('refusal' in outcome && outcome.fault !== undefined) return `${what}: ${faultMessage(outcome.fault)}`;
  if ('refusal' in outcome) return `${what} refused: ${maskText(outcome.refusal.message)}`;
  const status = fieldValue(outcome.fields, replyFields.status.wire);
  return status === undefined ? `${what} accepted` : `${what} answered: ${status}`;
}

function detailOf({ machine }: Store, { client }: SandboxSettings, answered: AnsweredRequest): Record<string, string> {
  const { route, status, startedAt, outcome, request } = answered;
  return {
    ...(route === undefined
      ? { path: maskPath(request) }
      : { operation: route.id, endpoint: maskText(route.endpointId) }),
    status: String(status),
    signature: signatureText(answered),
    ms: (machine.monotonic() - startedAt).toFixed(1),
    ...('refusal' in outcome ? { reason: outcome.refusal.reason } : { reply: encodeForm(maskReply(outcome.fields)) }),
    ...(client === undefined ? {} : { client }),
  };
}

/** The result of its signature check. */
function signatureText({ checked, outcome }: AnsweredRequest): string {
  if (checked === undefined) return 'signature not checked';
  const name = schemeNames[checked.protection.scheme];
  const reason = 'refusal' in outcome ? outcome.refusal.reason : undefined;
  if (reason === 'control' || reason === 'oauth') return `${name} does not match`;
  if (reason === 'oauth-clock') return `${name} valid, refused for its oauth_timestamp`;
  if (reason === 'oauth-nonce') return `${name} valid, refused for its oauth_nonce`;
  return checked.protection.scheme === 'none' ? 'no signature required' : `${name} valid`;
}

const schemeNames: Readonly<Record<CheckedRequest['protection']['scheme'], string>> = {
  control: 'control',
  'hmac-sha1': 'OAuth HMAC-SHA1',
  'rsa-sha256': 'OAuth RSA-SHA256',
  none: 'none',
};

/** The order of a refused request, if it names one of its merchant. */
function orderNamedIn(store: Store, route: Route | undefined, pairs: readonly Pair[], login: string | undefined) {
  if (route === undefined || login === undefined) return undefined;
  const { fields } = operationById(route.id);
  const sent = (key: string) => fieldValue(pairs, fields[key]?.wire ?? '');
  const orderId = sent('orderId');
  if (orderId !== undefined) return orderById(store, login, orderId);
  const clientOrderId = sent('clientOrderId');
  return clientOrderId === undefined ? undefined : orderByClientId(store, login, clientOrderId);
}

function fieldValue(pairs: readonly Pair[], wanted: string): string | undefined {
  return pairs.find(([name, value]) => name === wanted && value !== '')?.[1];
}

type RequestLine = Pick<SandboxRequest, 'method' | 'url'>;

/** A request that the server itself refused, before any operation saw it. */
export interface RejectedRequest {
  readonly reason: RefusalName;
  readonly status: number;
  /** Text of the server; contains none of the client's. */
  readonly why: string;
  readonly request: RequestLine;
}

/** Logs such a request, and what its client did wrong. */
export function logRejectedRequest(store: Store, { reason, status, why, request }: RejectedRequest): void {
  const path = maskPath(request);
  const line = `${maskMethod(request)} ${path}`;
  const rule = ruleByReason[reason];
  // What a browser asks for beside the interface is no business of a merchant.
  const isOfInterface = pathOf(request).startsWith(gatewayPrefix);
  try {
    store.database.transaction(() => {
      const detail = { path, status: String(status), reason };
      recordEvent(store, { kind: 'refusal', title: `${line} refused: ${why}`, detail });
      const shown = { line, headers: [], fields: [] };
      if (rule !== undefined && isOfInterface) recordViolation(store, { rule, detail: why }, { request: shown });
    });
  } catch {
    // The client has its reply. An unwritable file shows at the next operation.
  }
}

/** What the audit report calls a request that the server itself refuses. */
export const ruleByReason: Partial<Readonly<Record<RejectedRequest['reason'], RuleId>>> = {
  'wrong-host': 'host-wrong',
  invalid: 'header-repeated',
  'too-large': 'body-too-large',
  'cross-site': 'sent-by-a-page',
};
