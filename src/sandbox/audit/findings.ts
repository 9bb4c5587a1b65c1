import type { Pair } from '../../wire/form.js';
import { maskAuthorization, maskFields, maskMethod, maskPath, maskText, maxFields } from '../checks/masking.js';
import { number, type Store } from '../ledger/store.js';
import {
  checkAddress,
  checkForm,
  checkPrematureFollowUp,
  type Detector,
  maxPerRequest,
  type RefusedRequest,
  type RuleViolation,
} from './detectors.js';
import type { RuleId } from './rules.js';

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

export const findingTables = `
  CREATE TABLE findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, rule TEXT NOT NULL, detail TEXT NOT NULL,
    login TEXT, order_name TEXT, request TEXT NOT NULL
  );
`;

const maxFindings = 10_000;
const prunedEvery = 500;

const detectors: readonly Detector[] = [checkAddress, checkForm, checkPrematureFollowUp];

/**
 * Finds the reasons for a refusal and stores them with the machine's time. The newest 10,000 are kept. `ofSignatures`
 * looks for the mistake behind a refused signature.
 */
export function recordFindings(store: Store, seen: RefusedRequest, ofSignatures: readonly Detector[]): void {
  const sightings = [...detectors, ...ofSignatures]
    .flatMap((detect) => violationsOf(detect, seen, store))
    .slice(0, maxPerRequest);
  if (sightings.length === 0) return;
  const about = { login: seen.login, orderName: orderName(seen), request: maskedRequest(seen) };
  for (const each of sightings) recordViolation(store, each, about);
}

interface ViolationContext {
  readonly login?: string | undefined;
  readonly orderName?: string | undefined;
  /** Already masked; undefined when it could not be read. */
  readonly request: ShownRequest | undefined;
}

export function recordViolation(
  { database, machine }: Store,
  { rule, detail }: RuleViolation,
  { login, orderName, request }: ViolationContext,
): void {
  const row = database.get(
    'INSERT INTO findings (at, rule, detail, login, order_name, request) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
    machine.now(),
    rule,
    maskText(detail),
    login ?? null,
    orderName ?? null,
    JSON.stringify(request ?? null),
  );
  const id = number(row ?? {}, 'id');
  if (id % prunedEvery === 0) database.run('DELETE FROM findings WHERE id <= ?', id - maxFindings);
}

/** The audit must never change how a request is answered. */
function violationsOf(detect: Detector, seen: RefusedRequest, store: Store): readonly RuleViolation[] {
  try {
    return detect(seen, store);
  } catch {
    return [];
  }
}

function orderName({ orderId, pairs }: RefusedRequest): string | undefined {
  const sent = pairs.find(([name]) => name === 'client_orderid' || name === 'client-order-id')?.[1];
  return orderId ?? (sent === undefined ? undefined : maskText(sent));
}

/** The request as it may be shown. */
function maskedRequest({ request, route, pairs }: RefusedRequest): ShownRequest {
  const { accept, 'content-type': contentType, authorization } = request.headers;
  return {
    line: `${maskMethod(request)} ${maskPath(request)}`,
    headers: [
      ...header('Accept', accept, maskText),
      ...header('Content-Type', contentType, maskText),
      ...header('Authorization', authorization, maskAuthorization),
    ],
    fields: maskFields(route?.row, pairs.slice(0, maxFields)),
  };
}

function header(name: string, value: string | undefined, mask: (value: string) => string): Pair[] {
  return value === undefined ? [] : [[name, mask(value)]];
}
