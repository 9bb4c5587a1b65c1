import { operationById } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { noteFindings } from '../audit/note.js';
import { decodeBody } from '../checks/body.js';
import { prefix } from '../checks/route.js';
import { record } from '../events.js';
import { orderByClientId, orderById } from '../ledger/orders.js';
import { merchantOf } from '../merchants.js';
import type { Refusal } from '../refusal.js';
import type { Checked, Route, SandboxRequest, Terms } from '../request.js';
import type { Store } from '../store.js';
import { maskedFields, maskedText, mostFields } from './masked.js';
import { pathOf, shownMethod, shownPath } from './paths.js';

/** One request and how far it came. */
export interface Answered {
  readonly request: SandboxRequest;
  /** Undefined when its address is no operation's. */
  readonly route: Route | undefined;
  /** Undefined when its form was refused. */
  readonly checked: Checked | undefined;
  readonly status: number;
  /** On the machine's monotonic clock. */
  readonly began: number;
  readonly outcome: { readonly fields: readonly Pair[] } | { readonly refusal: Refusal };
}

/** Writes a request down, whatever became of it, and what its client did wrong. */
export function noteRequest(store: Store, terms: Terms, answered: Answered): void {
  const { request, route, checked, outcome } = answered;
  const refusal = 'refusal' in outcome ? outcome.refusal : undefined;
  // What a browser asks for beside the interface is no business of a merchant.
  if (route === undefined && request.method !== 'POST' && !pathOf(request).startsWith(prefix)) return;
  const pairs = checked?.pairs ?? decodeBody(request.body).pairs;
  const login = checked?.merchant.login ?? (route === undefined ? undefined : merchantOf(store, route.endpointId)?.login);
  const order = 'fields' in outcome ? { id: named(outcome.fields, 'paynet-order-id') } : namedOrder(store, route, pairs, login);
  record(store, {
    kind: refusal === undefined ? 'request' : 'refusal',
    login,
    orderId: order?.id,
    title: titleOf(answered),
    detail: detailOf(store, terms, answered),
    fields: maskedFields(route?.row, pairs.length > mostFields ? pairs.slice(0, mostFields) : pairs),
  });
  if (refusal !== undefined) noteFindings(store, { request, route, checked, terms, refusal, pairs, login, orderId: order?.id });
}

function titleOf({ request, route, outcome }: Answered): string {
  const what = route === undefined ? `${shownMethod(request)} ${shownPath(request)}` : route.id;
  if ('refusal' in outcome) return `${what} refused: ${maskedText(outcome.refusal.message)}`;
  const status = named(outcome.fields, 'status');
  return status === undefined ? `${what} accepted` : `${what} answered: ${status}`;
}

function detailOf(store: Store, { client }: Terms, answered: Answered): Record<string, string> {
  const { route, status, began, outcome, request } = answered;
  const detail: Record<string, string> = {};
  if (route === undefined) detail['path'] = shownPath(request);
  else {
    detail['operation'] = route.id;
    detail['endpoint'] = maskedText(route.endpointId);
  }
  detail['status'] = String(status);
  detail['signature'] = signatureWords(answered);
  detail['ms'] = (store.machine.monotonic() - began).toFixed(1);
  if ('refusal' in outcome) detail['reason'] = outcome.refusal.reason;
  if (client !== undefined) detail['client'] = client;
  return detail;
}

/** What came of the check of its signature. */
function signatureWords({ checked, outcome }: Answered): string {
  if (checked === undefined) return 'signature not checked';
  const name = schemeNames[checked.protection.scheme];
  const reason = 'refusal' in outcome ? outcome.refusal.reason : undefined;
  if (reason === 'control' || reason === 'oauth') return `${name} does not fit`;
  return checked.protection.scheme === 'none' ? 'no signature asked for' : `${name} fits`;
}

const schemeNames: Readonly<Record<Checked['protection']['scheme'], string>> = {
  control: 'control',
  'hmac-sha1': 'OAuth HMAC-SHA1',
  'rsa-sha256': 'OAuth RSA-SHA256',
  none: 'none',
};

/** The order a refused request was about, as far as it names one of its merchant. */
function namedOrder(store: Store, route: Route | undefined, pairs: readonly Pair[], login: string | undefined) {
  if (route === undefined || login === undefined) return undefined;
  const { fields } = operationById(route.id);
  const sent = (key: string) => named(pairs, fields[key]?.wire ?? '');
  const orderId = sent('orderId');
  if (orderId !== undefined) return orderById(store, login, orderId);
  const clientOrderId = sent('clientOrderId');
  return clientOrderId === undefined ? undefined : orderByClientId(store, login, clientOrderId);
}

function named(pairs: readonly Pair[], wanted: string): string | undefined {
  return pairs.find(([name, value]) => name === wanted && value !== '')?.[1];
}
