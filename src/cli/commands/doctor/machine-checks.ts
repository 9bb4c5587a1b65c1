import { join } from 'node:path';
import { checkTlsPolicy } from '../../../config/index.js';
import { shellWord } from '../../../errors/index.js';
import { findAll } from '../../../journal/find.js';
import type { Journal, Request } from '../../../journal/port.js';
import { inDoubtStates } from '../../../journal/states.js';
import type { Env, Files, Runtime } from '../../../runtime/ports.js';
import {
  allJournals,
  hasJournal,
  journalPath,
  marksPath,
  type WhichJournal,
  withJournal,
} from '../../core/user-stores.js';
import { possibleEffect } from '../../format/journal-entries.js';
import { engineName, isTested, testedVersions } from '../../gateway.js';
import { sandboxName, sandboxPath } from '../../sandbox-session.js';
import { attempt, type Check, type CheckResult, failed, pass, skip, warn } from './finding.js';

const rows: Readonly<Record<string, (runtime: Runtime) => Promise<CheckResult> | CheckResult>> = {
  runtime: checkEngine,
  journal: checkJournals,
  outcomes: checkOutcomes,
  sandbox: checkSandbox,
  'state folder': checkStateFolder,
  tls: ({ env }) => checkTls(env),
  proxy: checkProxy,
  dumps: checkCoreDumps,
};

export const machineChecks: readonly Check[] = Object.entries(rows).map(([name, check]) => ({
  name,
  run: ({ runtime }) => check(runtime),
}));

function checkEngine({ processes }: Runtime): CheckResult {
  const name = `${engineName(processes)}, ${processes.platform}`;
  if (isTested(processes)) return pass(name);
  return failed(
    `paycli is not tested with ${name}, so operations that move money are refused`,
    `use ${testedVersions}`,
  );
}

/** Whether the journals are whole, and complete by what this machine wrote to them. */
async function checkJournals(runtime: Runtime): Promise<CheckResult> {
  const results = await inJournals(runtime, (journal, which) => checkJournal(journal, which, runtime));
  const worst = results.find(({ result }) => result === 'fail') ?? results.find(({ result }) => result === 'warn');
  return worst ?? results[0] ?? pass('none yet; the first payment creates it');
}

async function checkJournal(journal: Journal, which: WhichJournal, runtime: Runtime): Promise<CheckResult> {
  const [flaw] = await journal.check();
  if (flaw !== undefined)
    return failed(
      `${journalPath(runtime, which)} is damaged: ${flaw}`,
      'send nothing from this machine until the file is restored from a backup',
    );
  if (journal.restored !== undefined)
    return failed(
      'it lacks what this machine recorded in it: an older copy was restored, or the file was lost',
      'nothing can be sent; `paycli journal --accept-restored` asks the gateway about what is open, and accepts it',
    );
  const totals = await journal.total({});
  const inConflict = totals.reduce((sum, { state, count }) => sum + (state === 'conflict' ? count : 0), 0);
  if (inConflict > 0)
    return failed(
      `${inConflict === 1 ? '1 request is' : `${inConflict} requests are`} in conflict: later evidence contradicts the outcome`,
      '`paycli resolve` shows each one and the command that resolves it',
    );
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  const text = `intact: ${count === 1 ? '1 request' : `${count} requests`}`;
  if (which === 'sandbox' || count === 0 || runtime.files.exists(marksPath(runtime))) return pass(text);
  return warn(
    `${text}; but the configuration folder is not writable, so a removed or restored journal would not be noticed`,
    `make ${runtime.files.folders.config} writable`,
  );
}

/** With each journal that was ever written. */
async function inJournals<T>(
  runtime: Runtime,
  work: (journal: Journal, which: WhichJournal) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  for (const which of await allJournals(runtime))
    if (hasJournal(runtime, which)) results.push(await withJournal(runtime, which, (journal) => work(journal, which)));
  return results;
}

/** Whether the outcome of any request is unknown: until it is resolved, nobody should pay again. */
async function checkOutcomes(runtime: Runtime): Promise<CheckResult> {
  const open: Request[] = [];
  const journals = await attempt(() =>
    inJournals(runtime, async (journal) => {
      for await (const request of findAll(journal, { states: inDoubtStates })) open.push(request);
    }),
  );
  // The check of the journal says why it cannot be read.
  if ('result' in journals) return skip('the journal cannot be read');
  if (open.length === 0) return pass('every payment has a known outcome or is pending at the gateway');
  const commands = open.map(
    ({ profile, class: kind }) =>
      `\`paycli resolve --profile ${shellWord(profile, 'NAME')}${kind === 'live' ? ' --live' : ''}\``,
  );
  const effects = open.map(({ operation }) => possibleEffect(operation));
  return warn(
    `${open.length === 1 ? '1 request' : `${open.length} requests`} in doubt: ${[...new Set(effects)].join('; ')}`,
    `send nothing again; query the gateway: ${[...new Set(commands)].join(', ')}`,
  );
}

const mebibyte = 1_048_576;

/** The folder of the journal: owned by the user, closed to others, writable, with free space. */
function checkStateFolder({ files }: Runtime): CheckResult {
  const folder = files.folders.state;
  const facts = files.facts(folder);
  // A fixed name: what a killed doctor leaves behind, the next one removes.
  const trial = join(folder, '.doctor-trial');
  try {
    files.writeText(trial, 'x');
    files.remove(trial);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    return failed(
      `${folder} cannot be written to (${why}), so nothing that moves money can be sent`,
      'make it owned and writable by you, or set PAYCLI_STATE_DIR',
    );
  }
  if (facts?.ownedByUser === false)
    return failed(`${folder} belongs to another user`, 'set PAYCLI_STATE_DIR to a folder of your own');
  const mend = `run \`chmod 700 ${shellWord(folder)}\``;
  if (facts?.isWritableByOthers === true) return failed(`other users can write to ${folder}`, mend);
  if (facts !== undefined && (facts.mode & 0o055) !== 0) return warn(`other users can read ${folder}`, mend);
  const free = files.freeBytes(folder);
  if (free === undefined) return pass(`${folder} is writable`);
  const text = `${folder} has ${Math.floor(free / mebibyte)} MiB free`;
  if (free < 10 * mebibyte) return failed(text, 'free some space: a payment is recorded before it is sent');
  return free < 100 * mebibyte ? warn(text, 'free some space soon') : pass(`${text}, and is writable`);
}

/** The sandbox's file, if there is one. */
async function checkSandbox(runtime: Runtime): Promise<CheckResult> {
  const path = sandboxPath(runtime);
  if (!runtime.files.exists(path)) return pass('none yet; it is created when first used');
  const name = sandboxName(runtime);
  const database = (await runtime.database()).open(path);
  try {
    const [verdict] = Object.values(database.get('PRAGMA quick_check(1)') ?? {});
    if (verdict === 'ok') return pass(`${name}, in ${path}`);
    return failed(`${path} is damaged`, 'run `paycli sandbox reset --all`, which recreates it');
  } finally {
    database.close();
  }
}

/** Checks that certificates are verified and that TLS session keys are not written to a file. */
function checkTls(env: Env): CheckResult {
  checkTlsPolicy(env);
  const options = env['NODE_OPTIONS'] ?? '';
  if ((env['SSLKEYLOGFILE'] ?? '') !== '' || /--tls-keylog/.test(options))
    return warn(
      'the environment makes Node write TLS session keys to a file',
      'unset SSLKEYLOGFILE and remove --tls-keylog from NODE_OPTIONS',
    );
  if (/--tls-min-v1\.[01]/.test(options))
    return warn('NODE_OPTIONS allows an old version of TLS', 'remove --tls-min-v1.0 and --tls-min-v1.1 from it');
  return pass('certificates are checked, TLS 1.2 or later');
}

/** Whether the proxy for https can be used. */
async function checkProxy(runtime: Runtime): Promise<CheckResult> {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((each) => (runtime.env[each] ?? '') !== '');
  if (name === undefined) return pass('none');
  await (await runtime.transport({ target: 'https://gateway.invalid' })).close();
  return pass(`https goes through the one that ${name} names`);
}

/** Checks for settings that load other code or write memory to disk. */
function checkCoreDumps({ env, files }: Runtime): CheckResult {
  const risky =
    /--(?:require|import|loader|experimental-loader|inspect|report-|heapsnapshot|heap-prof|abort-on-uncaught)|(?:^|\s)-r\b/;
  if (risky.test(env['NODE_OPTIONS'] ?? ''))
    return warn(
      'NODE_OPTIONS loads other code into paycli, or writes its memory to disk',
      'unset NODE_OPTIONS where card data is handled',
    );
  const soft = coreLimit(files);
  return soft === undefined || soft === '0'
    ? pass('no memory dumps are written')
    : warn('a crash of the runtime may leave its memory in a core file', 'run `ulimit -c 0` before paycli');
}

function coreLimit(files: Files): string | undefined {
  try {
    return /^Max core file size\s+(\S+)/m.exec(files.readText('/proc/self/limits'))?.[1];
  } catch {
    return undefined;
  }
}
