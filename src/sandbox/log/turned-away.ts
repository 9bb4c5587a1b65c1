import { keepSighting } from '../audit/note.js';
import type { RuleId } from '../audit/rules.js';
import { prefix } from '../checks/route.js';
import { record } from '../events.js';
import type { RefusalName } from '../refusal.js';
import type { SandboxRequest } from '../request.js';
import type { Store } from '../store.js';
import { pathOf, shownMethod, shownPath } from './paths.js';

type Named = Pick<SandboxRequest, 'method' | 'url'>;

/** A request that the server itself refused, before any operation saw it. */
export interface TurnedAway {
  readonly reason: RefusalName | 'unreadable';
  readonly status: number;
  /** Of the server's own words, none of the client's. */
  readonly why: string;
  /** Undefined when it could not be read that far. */
  readonly request?: Named | undefined;
}

/** Writes such requests down, equal ones as one line: a flood must fill neither the disk nor the time of the others. */
export interface TurnedAwayLog {
  add(one: TurnedAway): void;
  /** Writes what is left. What comes later is not written. */
  close(): void;
}

interface Line {
  readonly one: TurnedAway;
  count: number;
}

// The first at once, what follows within a second in one piece after it.
const everyMs = 1000;
const mostLines = 5;

export function openTurnedAwayLog(store: Store): TurnedAwayLog {
  const lines = new Map<string, Line>();
  let others = 0;
  let isBusy = false;
  let isOver = false;
  const write = () => {
    writeDown(store, [...lines.values()], others);
    lines.clear();
    others = 0;
  };
  const keepWriting = async () => {
    isBusy = true;
    while (lines.size > 0 && !isOver) {
      write();
      await store.machine.sleep(everyMs);
    }
    isBusy = false;
  };
  return {
    add(one) {
      const title = titleOf(one);
      const known = lines.get(title);
      if (known !== undefined) known.count += 1;
      else if (lines.size < mostLines) lines.set(title, { one, count: 1 });
      else others += 1;
      if (!isBusy && !isOver) void keepWriting();
    },
    close() {
      if (!isOver) write();
      isOver = true;
    },
  };
}

function writeDown(store: Store, lines: readonly Line[], others: number): void {
  if (lines.length === 0) return;
  try {
    store.database.transaction(() => {
      for (const line of lines) writeLine(store, line);
      if (others > 0) record(store, { kind: 'refusal', title: `${others} more requests refused by the server within a second` });
    });
  } catch {
    // The clients have their answers. A file that cannot be written to says so at the next operation.
  }
}

function writeLine(store: Store, { one, count }: Line): void {
  const { reason, status, request } = one;
  const title = count === 1 ? titleOf(one) : `${titleOf(one)} (${count} times)`;
  const path = request === undefined ? {} : { path: shownPath(request) };
  record(store, { kind: 'refusal', title, detail: { ...path, status: String(status), reason } });
  const rule = ruleFor[reason];
  // What a browser asks for beside the interface is no business of a merchant.
  if (rule === undefined || (request !== undefined && !pathOf(request).startsWith(prefix))) return;
  const shown = request === undefined ? undefined : { line: nameOf(request), headers: [], fields: [] };
  keepSighting(store, { rule, detail: one.why }, { request: shown });
}

const ruleFor: Partial<Readonly<Record<TurnedAway['reason'], RuleId>>> = {
  'wrong-host': 'host-wrong',
  invalid: 'header-repeated',
  'too-large': 'body-too-large',
  'cross-site': 'sent-by-a-page',
  unreadable: 'not-http',
};

function titleOf({ request, why }: TurnedAway): string {
  return `${request === undefined ? 'a request' : nameOf(request)} refused: ${why}`;
}

function nameOf(request: Named): string {
  return `${shownMethod(request)} ${shownPath(request)}`;
}
