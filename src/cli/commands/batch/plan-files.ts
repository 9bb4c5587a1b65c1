import { join } from 'node:path';
import { moneyDocument, moneyText, type PlanHead, type PlanStore, type Total } from '../../../batch/plan.js';
import { closeAfter, fail } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import { contentHash } from '../../../journal/intent.js';
import type { Files, Lock, Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { readOrCreateKeyFile } from '../../core/key-file.js';
import type { Reporter } from '../../core/reporter.js';
import { withJournal } from '../../core/user-stores.js';
import { oneLine } from '../../format/document.js';
import { timeText } from '../../format/time.js';

const cardFileKeyHow =
  'nothing was sent; make the file and its folder readable and writable by you. If the key is lost, plan the file again';

/** Where the plans of this user are. */
export function planFolder({ files }: Runtime): string {
  return join(files.folders.state, 'batches');
}

/** Their ids, oldest first. */
export async function planIdsOf(runtime: Runtime): Promise<readonly string[]> {
  const { planIds } = await import('../../../batch/plan/duplicates.js');
  return planIds({ folder: planFolder(runtime), files: runtime.files });
}

/** The id that a user means by it or by how it begins. Throws USAGE. */
async function resolvePlanId(name: string, command: string, runtime: Runtime): Promise<string> {
  const ids = await planIdsOf(runtime);
  // `b-$ID` with an empty variable names no plan.
  const isLongEnough = name.length > 'b-'.length;
  const [id, ...others] = ids.includes(name) ? [name] : ids.filter((each) => isLongEnough && each.startsWith(name));
  if (id !== undefined && others.length === 0) return id;
  if (id === undefined) {
    const plan = oneLine(name.slice(0, 40));
    throw fail('USAGE', { why: `there is no plan ${plan}; \`paycli batch show\` shows all`, plan, command });
  }
  throw fail('USAGE', { why: `the id matches several plans: ${[id, ...others].slice(0, 5).join(', ')}`, command });
}

/**
 * Whether rows hold the card data of the file a plan was made from. What sends rows or has them approved
 * reads it; all else works without that file, which is to be deleted once the batch is finished.
 */
type CardData = 'read' | 'left-out';

/** Opens a plan beside the journal, closes both afterwards. Throws USAGE or STORAGE. */
export async function withPlan<T>(
  name: string,
  command: string,
  runtime: Runtime,
  use: (store: PlanStore, journal: Journal) => T | Promise<T>,
  cardData: CardData = 'left-out',
): Promise<T> {
  const id = await resolvePlanId(name, command, runtime);
  return withJournal(runtime, async (journal) => {
    const store = await openPlanFile(id, runtime, cardData);
    return closeAfter(
      () => use(store, journal),
      () => store.close(),
    );
  });
}

/** A plan by its whole id. */
export async function openPlanFile(id: string, runtime: Runtime, cardData: CardData = 'left-out'): Promise<PlanStore> {
  const [{ openPlan }, database] = await Promise.all([import('../../../batch/plan/plan-store.js'), runtime.database()]);
  const { files, clock } = runtime;
  return openPlan(join(planFolder(runtime), `${id}.db`), {
    ...{ database, files, clock },
    ...(cardData === 'read' ? { cardFileHash: cardFileHash(runtime) } : {}),
  });
}

export function operationCommand({ operation }: Pick<PlanHead, 'operation'>): string {
  return operationById(operation).command;
}

/** `35.50 EUR, 1200 JPY`; empty where no row names an amount. */
export function totalsText(totals: readonly Total[]): string {
  return totals.map(moneyText).join(', ');
}

/** What a plan holds, for programs. */
export function headDocument(head: PlanHead): Record<string, unknown> {
  const { id, digest, operation, profile, login, base, madeAt, planner, version, file, count, totals, hasCards } = head;
  return {
    ...{ plan: id, digest, operation, profile, class: head.class, login, gateway: base, count },
    totals: totals.map((total) => ({ count: total.count, ...moneyDocument(total) })),
    file: { path: file.path, bytes: file.bytes, sha256: hasCards ? null : file.sha256, format: file.format },
    ...{ cards: hasCards, madeAt: new Date(madeAt).toISOString(), planner, version },
  };
}

const cardFileAdvice = {
  open: 'contains the card numbers; keep it unchanged until the batch is finished, then delete it',
  finished: 'contains the card numbers and is no longer needed: delete it if it is still there',
};

/** Lines about a plan for people. */
export function headLines(
  head: PlanHead,
  report: Reporter,
  progress: keyof typeof cardFileAdvice = 'open',
): (readonly [name: string, text: string])[] {
  const { digest, count, totals, file, planner, profile, login, base, hasCards, madeAt } = head;
  return [
    ['digest', digest],
    ['operation', operationCommand(head)],
    ['rows', String(count)],
    ...totals.map((total) => ['total', `${moneyText(total)} in ${rowsText(total.count)}`] as const),
    ['file', `${file.path}${hasCards ? ` (${cardFileAdvice[progress]})` : ''}`],
    ['destination', `profile ${profile} (${head.class}), login ${login}, ${base}`],
    ['planned', `${report.moment(madeAt)} by ${planner.user} on ${planner.host}`],
  ];
}

export function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

/**
 * Holds a plan, and the file it was made from, against every other process of this user. Throws STORAGE, naming who has
 * it. Plans of one file hold rows of each other, so only one of them is sent at a time.
 */
export async function lockPlan({ id, file }: PlanHead, runtime: Runtime): Promise<Lock> {
  const held: Lock[] = [];
  const release = (): void => {
    for (const lock of held.splice(0).reverse()) lock.release();
  };
  try {
    held.push(await acquireLock(`plan ${id}`, id, runtime));
    held.push(await acquireLock(`another plan of ${file.path}`, `file-${file.sha256.slice(0, 32)}`, runtime));
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}

async function acquireLock(what: string, name: string, runtime: Runtime): Promise<Lock> {
  const { files, processes, clock } = runtime;
  const path = join(planFolder(runtime), `${name}.lock`);
  const note = `${path}.owner`;
  const lock = (await runtime.database()).lock(path);
  if (lock === undefined)
    throw fail('STORAGE', {
      what,
      why: `${readLockOwner(note, runtime)} is sending it right now`,
      how: 'wait until it ends, or end it with Ctrl-C; then repeat the command',
    });
  try {
    const since = timeText(clock.now());
    files.writeText(note, `process ${processes.pid} on ${processes.host}, since ${since},\n`);
  } catch (cause) {
    lock.release();
    throw fail(
      'STORAGE',
      {
        what: note,
        why: 'it cannot be written',
        how: 'check that the disk works and has free space, then repeat the command',
      },
      { cause },
    );
  }
  return lock;
}

/** Its owner writes the note once it has the lock, so for a moment there is none, or that of an earlier one. */
function readLockOwner(note: string, { files }: Runtime): string {
  try {
    return files.readText(note, 1000).trim();
  } catch {
    return 'another paycli process';
  }
}

const maxKeyBytes = 256;

/**
 * The keyed hash that vouches for files with card numbers. Its key lies in the configuration folder: whoever has a copy
 * of the state folder alone cannot try out the few possible numbers against a plan. Read, or made, when it is first
 * needed. Throws STORAGE.
 */
export function cardFileHash({
  files,
  random,
}: Pick<Runtime, 'files' | 'random'>): (parts: readonly string[]) => string {
  let key: string | undefined;
  return (parts) => {
    key ??= keyIn(join(files.folders.config, 'card-seal.key'), files, () => random.letters(43));
    return contentHash(key, parts);
  };
}

function keyIn(path: string, files: Pick<Files, 'exists' | 'readText' | 'createText'>, make: () => string): string {
  try {
    const key = readOrCreateKeyFile(path, maxKeyBytes, files, make).trim();
    if (key.length >= 32) return key;
  } catch (cause) {
    throw fail(
      'STORAGE',
      {
        what: path,
        why: 'it cannot be read or written; it holds the key for files with card numbers',
        how: cardFileKeyHow,
      },
      { cause },
    );
  }
  throw fail('STORAGE', { what: path, why: 'it contains no key for files with card numbers', how: cardFileKeyHow });
}
