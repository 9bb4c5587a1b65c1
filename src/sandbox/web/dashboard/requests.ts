import { commandOf } from '../../../spec/index.js';
import { decodeForm, type Pair } from '../../../wire/form.js';
import { eventFrom, type LoggedEvent } from '../../ledger/events.js';
import { number, type Store } from '../../ledger/store.js';

/** A request as the log has it: what was asked, and what the sandbox answered. */
export interface RequestView {
  readonly id: number;
  /** On the sandbox clock. */
  readonly at: number;
  /** As the command line calls it; the address where it names no operation. */
  readonly operation: string;
  readonly login: string | undefined;
  readonly orderId: string | undefined;
  readonly isRefused: boolean;
  readonly title: string;
  readonly httpStatus: string;
  readonly signature: string | undefined;
  /** Masked. */
  readonly fields: readonly Pair[];
  /** Masked and shortened; empty when the request was refused. */
  readonly reply: readonly Pair[];
}

export interface RequestList {
  readonly requests: readonly RequestView[];
  readonly total: number;
  readonly pages: number;
}

const perPage = 50;
const ofRequests = "FROM events WHERE kind IN ('request', 'refusal')";

/** Newest first, of all merchants. `page` counts from 1. */
export function listRequests({ database }: Store, page: number, onlyRefused: boolean): RequestList {
  const from = onlyRefused ? "FROM events WHERE kind = 'refusal'" : ofRequests;
  const total = number(database.get(`SELECT count(*) AS n ${from}`) ?? {}, 'n');
  const rows = database.all(`SELECT * ${from} ORDER BY id DESC LIMIT ${perPage} OFFSET ?`, (page - 1) * perPage);
  return {
    requests: rows.map((row) => requestFrom(eventFrom(row))),
    total,
    pages: Math.max(1, Math.ceil(total / perPage)),
  };
}

/** Undefined when there is none of that number, or no longer. */
export function viewRequest({ database }: Store, id: number): RequestView | undefined {
  const row = database.get(`SELECT * ${ofRequests} AND id = ?`, id);
  return row === undefined ? undefined : requestFrom(eventFrom(row));
}

function requestFrom({ id, at, kind, login, orderId, title, detail, fields }: LoggedEvent): RequestView {
  return {
    id,
    at,
    operation: commandOf(detail['operation']) ?? detail['path'] ?? '–',
    login,
    orderId,
    isRefused: kind === 'refusal',
    title,
    httpStatus: detail['status'] ?? '–',
    signature: detail['signature'],
    fields,
    reply: decodeForm(detail['reply'] ?? ''),
  };
}
