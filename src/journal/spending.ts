import type { Database, SqlRow } from '../runtime/ports.js';
import { sumIn } from './facts.js';
import type { Sum } from './intent.js';
import { spentStates } from './states.js';

/** What an intent counts by its newest attempt, while money has moved or may have. */
interface Entry {
  readonly profile: string;
  readonly sum: Sum | undefined;
  readonly isSpent: boolean;
}

const atOnce = 2000;

/**
 * Minor units that profiles sent since a moment; refusals and what was proven not sent do not count. An intent counts by its
 * newest attempt, with what was written down for it. Every line is read once, however often it is asked: a batch asks for each row.
 */
export class Spending {
  readonly since: number;
  readonly #entries = new Map<number, Entry>();
  readonly #totals = new Map<string, bigint>();
  #line: number | undefined;

  constructor(since: number) {
    this.since = since;
  }

  /** One intent is left out if need be. */
  total(database: Database, profile: string, currency: string, except?: number): bigint {
    this.#read(database);
    const left = except === undefined ? undefined : this.#entries.get(except);
    const isIn = left?.isSpent === true && left.profile === profile && left.sum?.currency === currency;
    return (this.#totals.get(keyOf(profile, currency)) ?? 0n) - BigInt(isIn ? (left.sum?.minor ?? 0) : 0);
  }

  #read(database: Database): void {
    let line = this.#line ?? firstLine(database, this.since) - 1;
    for (;;) {
      const rows = database.all(
        `SELECT moves.id, moves.intent_id, moves.from_state, moves.to_state, moves.at, moves.facts, intents.profile, intents.minor, intents.currency
         FROM moves JOIN intents ON intents.id = moves.intent_id WHERE moves.id > ? AND intents.effect = 'money' ORDER BY moves.id LIMIT ?`,
        ...[line, atOnce],
      );
      for (const row of rows) this.#take(row);
      line = Number(rows.at(-1)?.['id'] ?? line);
      this.#line = line;
      if (rows.length < atOnce) return;
    }
  }

  #take(row: SqlRow): void {
    const id = Number(row['intent_id']);
    const to = String(row['to_state']);
    const before = this.#entries.get(id);
    const isAttempt = to === 'sending' && row['from_state'] !== 'sending' && Number(row['at']) >= this.since;
    if (!isAttempt && before === undefined) return;
    const now = {
      profile: String(row['profile']),
      sum: isAttempt ? countedIn(row) : before?.sum,
      isSpent: spentStates.some((state) => state === to),
    };
    this.#entries.set(id, now);
    this.#add(before, -1n);
    this.#add(now, 1n);
  }

  #add(entry: Entry | undefined, sign: bigint): void {
    if (entry?.isSpent !== true || entry.sum === undefined) return;
    const key = keyOf(entry.profile, entry.sum.currency);
    this.#totals.set(key, (this.#totals.get(key) ?? 0n) + sign * BigInt(entry.sum.minor));
  }
}

function keyOf(profile: string, currency: string): string {
  return `${currency} ${profile}`;
}

/** Lines from this one on may matter. */
function firstLine(database: Database, since: number): number {
  const found = database.get("SELECT min(id) AS first FROM moves WHERE to_state = 'sending' AND at >= ?", since);
  return Number(found?.['first'] ?? Number(database.get('SELECT max(id) AS last FROM moves')?.['last'] ?? 0) + 1);
}

function countedIn({ facts, minor, currency }: SqlRow): Sum | undefined {
  const noted = sumIn(JSON.parse(String(facts)), 'counts');
  if (noted !== undefined || typeof minor !== 'string' || typeof currency !== 'string') return noted;
  return { minor, currency };
}
