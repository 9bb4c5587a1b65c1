import type { Pair } from '../../wire/form.js';
import { maskAuthorization, maskFields, maskMethod, maskPath, maskText, maxFields } from '../masking.js';
import type { RuleViolation } from '../refusal.js';
import type { Store } from '../store.js';
import { integer, json, numbered, optional, Table, text, word } from '../table.js';
import type { RefusedRequest } from './judge.js';
import { type RuleId, rules } from './rules.js';

/** A request as the audit shows it, masked. */
export interface ShownRequest {
  readonly line: string;
  readonly headers: readonly Pair[];
  readonly fields: readonly Pair[];
}

/** One broken rule at one moment. */
export interface Occurrence {
  readonly rule: RuleId;
  readonly detail: string;
  /** On the clock of the machine. */
  readonly at: number;
  readonly order: string | undefined;
  readonly request: ShownRequest | undefined;
}

export const findings = new Table('findings', {
  id: numbered,
  /** On the clock of the machine. */
  at: integer,
  rule: word<RuleId>(rules),
  detail: text,
  login: optional(text),
  /** By the gateway's id, or by the client's. */
  orderName: optional(text),
  request: optional(json<ShownRequest>()),
});

const maxFindings = 10_000;
const prunedEvery = 500;
/** At most this many findings per request: ten thousand wrong names are one mistake. */
const maxPerRequest = 20;

type SeenRequest = Pick<RefusedRequest, 'request' | 'route' | 'pairs' | 'login' | 'orderId'>;

/** Stores what is wrong with a request, with the machine's time. The newest 10,000 findings are kept. */
export function recordFindings(store: Store, seen: SeenRequest, found: readonly RuleViolation[]): void {
  if (found.length === 0) return;
  const { login, orderId, pairs } = seen;
  const sent = pairs.find(([name]) => name === 'client_orderid' || name === 'client-order-id')?.[1];
  const orderName = orderId ?? (sent === undefined ? undefined : maskText(sent));
  const request = maskedRequest(seen);
  for (const each of found.slice(0, maxPerRequest)) recordViolation(store, each, { login, orderName, request });
}

interface ViolationContext {
  readonly login?: string | undefined;
  readonly orderName?: string | undefined;
  /** Already masked; undefined when it could not be read. */
  readonly request: ShownRequest | undefined;
}

export function recordViolation(store: Store, { rule, detail }: RuleViolation, about: ViolationContext): void {
  const { lastId } = findings.insert(store, { ...about, at: store.machine.now(), rule, detail: maskText(detail) });
  if (lastId % prunedEvery === 0) store.database.run('DELETE FROM findings WHERE id <= ?', lastId - maxFindings);
}

/** The request as it may be shown. */
function maskedRequest({ request, route, pairs }: Pick<RefusedRequest, 'request' | 'route' | 'pairs'>): ShownRequest {
  const { accept, 'content-type': contentType, authorization } = request.headers;
  const shown = [
    ['Accept', accept === undefined ? undefined : maskText(accept)],
    ['Content-Type', contentType === undefined ? undefined : maskText(contentType)],
    ['Authorization', authorization === undefined ? undefined : maskAuthorization(authorization)],
  ] as const;
  return {
    line: `${maskMethod(request)} ${maskPath(request)}`,
    headers: shown.flatMap(([name, value]): Pair[] => (value === undefined ? [] : [[name, value]])),
    fields: maskFields(route?.row, pairs.slice(0, maxFields)),
  };
}
