import { fail, type PaycliError } from '../errors/index.js';
import { type Facts, isFacts } from '../journal/index.js';

/** What sends the rows of a plan, told apart from every other: a journal, or the tables of one PostgreSQL database. */
export type EngineIdentity =
  | { readonly kind: 'local'; readonly journal: string }
  | { readonly kind: 'postgres'; readonly system: string; readonly database: string; readonly schema: string };

/** The newest move that a database was seen to hold: one that lacks it is older than it was. */
export interface SeenMark {
  readonly engine: EngineIdentity;
  readonly mark: string;
}

/** An engine with the way to it. Where a plan runs is written down before anything may leave. */
export interface BoundEngine {
  readonly engine: EngineIdentity;
  /** In words, fit for messages. */
  readonly shown: string;
  /** What `batch run` was given to get there; none for this machine. Passwords stand in files alone. */
  readonly flags: EngineAccess;
}

export interface EngineAccess {
  readonly engine?: string;
  readonly rowKeyFile?: string;
  readonly enginePasswordFile?: string;
}

export function isSameEngine(one: EngineIdentity, other: EngineIdentity): boolean {
  return JSON.stringify(partsOf(one)) === JSON.stringify(partsOf(other));
}

function partsOf(engine: EngineIdentity): readonly string[] {
  return engine.kind === 'local'
    ? [engine.kind, engine.journal]
    : [engine.kind, engine.system, engine.database, engine.schema];
}

/** Whether they say the same, in whatever order their facts were written. */
export function isSameBinding(one: BoundEngine | undefined, other: BoundEngine | undefined): boolean {
  const text = (binding: BoundEngine | undefined) => binding && JSON.stringify(parseBinding(JSON.stringify(binding)));
  return text(one) === text(other);
}

/** Reads what `JSON.stringify` made of one. Throws STORAGE. */
export function parseBinding(json: string): BoundEngine {
  const facts: unknown = JSON.parse(json);
  if (!isFacts(facts)) throw unreadable();
  const [engine, flags] = [facts['engine'], facts['flags']];
  const { shown } = facts;
  if (typeof shown !== 'string' || !isFacts(engine) || !isFacts(flags)) throw unreadable();
  return { engine: parseIdentity(engine), shown, flags: accessIn(flags) };
}

/** The same of what was seen of a database. Throws STORAGE. */
export function parseSeenMark(json: string): SeenMark {
  const facts: unknown = JSON.parse(json);
  if (!isFacts(facts) || !isFacts(facts['engine']) || typeof facts['mark'] !== 'string') throw unreadable();
  return { engine: parseIdentity(facts['engine']), mark: facts['mark'] };
}

function parseIdentity({ kind, journal, system, database, schema }: Facts): EngineIdentity {
  if (kind === 'local' && typeof journal === 'string') return { kind, journal };
  if (kind === 'postgres' && typeof system === 'string' && typeof database === 'string' && typeof schema === 'string')
    return { kind, system, database, schema };
  throw unreadable();
}

/** What of these leads to an engine, and nothing of the rest. */
export function accessIn({
  engine,
  rowKeyFile,
  enginePasswordFile,
}: Readonly<Partial<Record<keyof EngineAccess, unknown>>>): EngineAccess {
  return {
    ...(typeof engine === 'string' ? { engine } : {}),
    ...(typeof rowKeyFile === 'string' ? { rowKeyFile } : {}),
    ...(typeof enginePasswordFile === 'string' ? { enginePasswordFile } : {}),
  };
}

function unreadable(): Error {
  return fail('STORAGE', {
    what: 'the plan',
    why: 'its record of the engine it runs on cannot be read',
    how: 'nothing was sent; use the version of paycli that ran it',
  });
}

const defaultCommand = '`paycli batch resume PLAN --engine … --after-restore`';

/** Rows may look unsent that were sent. `resume` is the command that asks about them. */
export function outdatedDatabaseError(resume: string = defaultCommand): Error {
  return fail('STORAGE', {
    what: 'the batch database',
    why: 'rows and state changes it used to have are missing: it was restored from a backup or created again, so rows that were sent may look unsent',
    how: `nothing more is sent; ${resume} queries the gateway about every row before it continues`,
  });
}

/** A database of batches has none of that id. */
export function batchNotInDatabase(batch: string, command: string): PaycliError {
  return fail('USAGE', {
    why: `this database has no batch ${batch}; \`paycli batch run PLAN --engine …\` adds it`,
    batch,
    command,
  });
}
