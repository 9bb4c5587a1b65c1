import { fail } from '../../../errors/index.js';
import { isState, mayMove, spentStates, states } from '../../../journal/states.js';
import { type PostgresDatabase, tablesVersion as version } from './database.js';

// Any number, the same for every paycli: who makes tables or puts in a plan waits for others who do.
export const lockNumber = 725_943_361;

const stateNames = Object.keys(states).filter(isState);
// A resend is no move here: it is approved row by row, on the machine that holds the plan.
const allowedMoves = stateNames.flatMap((from) =>
  stateNames
    .filter((to) => mayMove(from, to) && !(from === 'unknown' && to === 'sending'))
    .map((to) => `'${from} ${to}'`),
);

const spent = spentStates.map((state) => `'${state}'`).join(', ');

/**
 * Also counts what each day's rows move; the lock on that count is what makes all workers keep one cap. A worker that
 * was made for tables of another version says so of its connection, or nothing, and begins no row.
 */
const forwardTrigger = `CREATE FUNCTION paycli.forward() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.state = NEW.state THEN RETURN NEW; END IF;
      IF OLD.state || ' ' || NEW.state NOT IN (${allowedMoves}) THEN RAISE EXCEPTION 'no row moves from % to %', OLD.state, NEW.state; END IF;
      IF NEW.state = 'sending' AND current_setting('paycli.tables', true) IS DISTINCT FROM '${version}' THEN
        RAISE EXCEPTION 'these tables are of version ${version}: update paycli on this machine';
      END IF;
      IF NEW.state = 'sending' AND EXISTS (SELECT FROM paycli.batches WHERE id = NEW.batch AND moved_to IS NOT NULL) THEN
        RAISE EXCEPTION 'the batch was moved to another engine';
      END IF;
      NEW.changed_at = clock_timestamp();
      IF NEW.state = 'sending' THEN NEW.counted_day = (NEW.changed_at AT TIME ZONE 'UTC')::date; END IF;
      IF NEW.counted_units IS NOT NULL AND (OLD.state IN (${spent})) <> (NEW.state IN (${spent})) THEN
        INSERT INTO paycli.day_totals AS total (base, login, profile, currency, day, units) VALUES (NEW.base, NEW.login, NEW.profile,
          NEW.counted_currency, NEW.counted_day, CASE WHEN NEW.state IN (${spent}) THEN 1 ELSE -1 END * NEW.counted_units)
        ON CONFLICT (base, login, profile, currency, day) DO UPDATE SET units = total.units + excluded.units;
      END IF;
      INSERT INTO paycli.moves (batch, gate, from_state, to_state, at, worker, reason, facts) VALUES (NEW.batch, NEW.id, OLD.state, NEW.state, NEW.changed_at,
        coalesce(NEW.worker, OLD.worker), NEW.reason, jsonb_build_object('host', NEW.host, 'pid', NEW.pid, 'version', NEW.version,
        'attempt', NEW.attempts, 'orderId', NEW.order_id, 'outcome', NEW.outcome));
      RETURN NEW;
    END $$;`;

/**
 * What all workers keep together: whether rows may be begun (changes are only added), how many more
 * the newest run may begin, what was sent on each day (UTC, in units of `unitsOf`), and the outcomes in their order.
 */
const limits = `
  CREATE TABLE paycli.batch_states (
    batch text NOT NULL, number int NOT NULL, state text NOT NULL,
    at timestamptz NOT NULL, who text NOT NULL, host text NOT NULL, reason text NOT NULL,
    PRIMARY KEY (batch, number)
  );
  CREATE TABLE paycli.run_limits (batch text PRIMARY KEY, rows_left bigint NOT NULL);
  CREATE TABLE paycli.day_totals (
    base text NOT NULL, login text NOT NULL, profile text NOT NULL, currency text NOT NULL, day date NOT NULL,
    units numeric NOT NULL, PRIMARY KEY (base, login, profile, currency, day)
  );
  CREATE INDEX moves_outcomes ON paycli.moves (batch, id) WHERE from_state = 'sending';
`;

/** Of the follow-ups on one order, at whatever endpoint, one is in flight at a time. */
const orderRules = `
  CREATE UNIQUE INDEX gate_openings ON paycli.gate (base, client_order_id, endpoint_id)
    WHERE kind = 'opening' AND state NOT IN ('refused', 'withdrawn');
  CREATE UNIQUE INDEX gate_in_flight ON paycli.gate (base, order_id)
    WHERE kind = 'follow-up' AND state IN ('sending', 'unknown');
  CREATE INDEX gate_orders ON paycli.gate (base, order_id);
`;

/**
 * The gate decides what is sent. Moves are a plain list that only grows: links by hash would make all workers wait for
 * each other.
 */
const tables = `
  CREATE SCHEMA paycli;
  CREATE TABLE paycli.meta (version int NOT NULL);
  INSERT INTO paycli.meta VALUES (${version});
  CREATE TABLE paycli.batches (
    id text PRIMARY KEY, digest text NOT NULL, head text NOT NULL, key_check text NOT NULL, system_id text NOT NULL,
    timeline text NOT NULL, made_at timestamptz NOT NULL DEFAULT clock_timestamp(), moved_to text, database_oid text NOT NULL,
    rate double precision, limits text, approvals text NOT NULL DEFAULT '[]'
  );
  CREATE TABLE paycli.workers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, batch text NOT NULL REFERENCES paycli.batches,
    host text NOT NULL, pid int NOT NULL, version text NOT NULL,
    joined_at timestamptz NOT NULL DEFAULT clock_timestamp(), lease_until timestamptz NOT NULL,
    resting boolean NOT NULL DEFAULT false
  );
  CREATE TABLE paycli.gate (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, batch text NOT NULL REFERENCES paycli.batches,
    number int NOT NULL, line int NOT NULL, kind text NOT NULL CHECK (kind IN ('opening', 'follow-up')), operation text NOT NULL,
    effect text NOT NULL, base text NOT NULL, endpoint_id text NOT NULL, login text NOT NULL, profile text NOT NULL, class text NOT NULL,
    client_order_id text, order_id text, sequence int NOT NULL, minor bigint, currency text, sealed bytea NOT NULL, content text,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(), state text NOT NULL DEFAULT 'planned', attempts int NOT NULL DEFAULT 0,
    may_have_arrived boolean NOT NULL DEFAULT false, changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason text NOT NULL DEFAULT '', outcome jsonb NOT NULL DEFAULT '{}', worker bigint,
    host text NOT NULL DEFAULT '', pid int NOT NULL DEFAULT 0, version text NOT NULL DEFAULT '',
    counted_units numeric, counted_currency text, counted_day date,
    UNIQUE (batch, number)
  );
  CREATE UNIQUE INDEX gate_follow_ups ON paycli.gate (base, endpoint_id, operation, order_id, sequence) WHERE kind = 'follow-up';
  CREATE INDEX gate_by_state ON paycli.gate (batch, state, number);
  CREATE TABLE paycli.moves (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, batch text, gate bigint NOT NULL, from_state text NOT NULL, to_state text NOT NULL,
    at timestamptz NOT NULL, worker bigint, reason text NOT NULL, facts jsonb NOT NULL
  );
  CREATE INDEX moves_of_gate ON paycli.moves (gate);
  CREATE TABLE paycli.paces (
    base text PRIMARY KEY, per_second double precision NOT NULL, tokens double precision NOT NULL, filled_at timestamptz NOT NULL
  );
  ${limits}
  ${orderRules}
  ${forwardTrigger}
  CREATE TRIGGER gate_forward BEFORE UPDATE ON paycli.gate FOR EACH ROW EXECUTE FUNCTION paycli.forward();
`;

export async function isInstalled({ query }: Pick<PostgresDatabase, 'query'>, schema = 'paycli'): Promise<boolean> {
  // Not to_regclass: it may remember what it saw before a lock was waited for.
  const found = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  return found.length > 0;
}

/** Makes the tables at first use. Throws STORAGE. */
export function install(database: PostgresDatabase): Promise<void> {
  return makeOnce(database, 'paycli', tables);
}

/** Whoever comes first makes a schema, the others wait until it is there. */
export async function makeOnce(database: PostgresDatabase, schema: string, sql: string): Promise<void> {
  if (await isInstalled(database, schema)) return;
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    if (!(await isInstalled({ query }, schema))) await query(sql);
  });
}

/** Whether this version made the tables. */
export async function isCurrent({ query }: Pick<PostgresDatabase, 'query'>): Promise<boolean> {
  const [found] = await query('SELECT version FROM paycli.meta');
  return found?.['version'] === version;
}

/** Throws STORAGE where another version of paycli made the tables. */
export async function checkVersion(database: PostgresDatabase): Promise<void> {
  if (!(await isCurrent(database)))
    throw fail('STORAGE', {
      what: 'the batch database',
      why: 'its tables were made by another version of paycli',
      how: 'use that version of paycli on every machine',
    });
}
