import { join } from 'node:path';
import { checkTlsPolicy, type Profile, readCaFile, readSecret } from '../../../config/index.js';
import { secretLocation } from '../../../config/settings.js';
import { isPaycliError, shellWord } from '../../../errors/index.js';
import { countAll, findAll } from '../../../journal/find.js';
import type { Journal, Request } from '../../../journal/port.js';
import { inDoubtStates } from '../../../journal/states.js';
import { aheadOf, clockDifference } from '../../../payments/exchange.js';
import type { Runtime } from '../../../runtime/ports.js';
import { hostOf, isLoopback } from '../../../wire/address.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkKey, isSafeToProbe, judgeCheck, type KeyScheme, probeReplyMs } from '../../core/credential-check.js';
import type { Reporter } from '../../core/reporter.js';
import {
  allJournals,
  hasJournal,
  journalPath,
  marksPath,
  type WhichJournal,
  withJournal,
} from '../../core/user-stores.js';
import { possibleEffect } from '../../format/journal-entries.js';
import { isTested, testedVersions } from '../../gateway.js';
import type { ProfileKeys } from '../../session.js';

export interface DoctorOptions extends CommonOptions {
  readonly online?: boolean;
}

/** What the checks look at. */
interface Examined {
  readonly options: DoctorOptions;
  readonly runtime: Runtime;
  readonly report: Reporter;
  /** Of the profile; read once, as a pipe can be. */
  readonly keys: ProfileKeys | undefined;
}

/** The result of one check. `skip` means not checked, with the reason. */
export interface CheckResult {
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
}

/** Undefined where it does not apply. A PaycliError fails the check with its own advice. */
type Check<Subject> = (subject: Subject, examined: Examined) => Found | Promise<Found>;
type Found = CheckResult | undefined;

const pass = (text: string): CheckResult => ({ result: 'pass', text });
const warn = (text: string, next: string): CheckResult => ({ result: 'warn', text, next });
const failed = (text: string, next: string): CheckResult => ({ result: 'fail', text, next });
const skip = (text: string): CheckResult => ({ result: 'skip', text });

/** Checks of a configured profile; the built-in sandbox has its own keys and clock. */
export const profileChecks: Readonly<Record<string, Check<Profile>>> = {
  'control key': checkControlKey,
  'private key': checkPrivateKey,
  clock: checkClock,
  'control online': (profile, examined) => checkOnline('control', profile, examined),
  'rsa online': (profile, examined) => checkOnline('rsa-sha256', profile, examined),
};

export const machineChecks: Readonly<Record<string, Check<Runtime>>> = {
  runtime: checkEngine,
  journal: checkJournals,
  outcomes: checkOutcomes,
  'state folder': checkStateFolder,
  tls: checkTls,
  proxy: checkProxy,
};

async function checkControlKey({ controlKey }: Profile, { runtime }: Examined): Promise<CheckResult> {
  if (controlKey === undefined)
    return warn(
      'the profile has none, so it can neither sign most operations nor query an outcome',
      '`paycli profile set-key` sets it',
    );
  if (controlKey.kind === 'stdin' || controlKey.kind === 'descriptor')
    return skip('it is read from a pipe, which can be read only once');
  const { from, warning } = await readSecret(controlKey, runtime);
  return warning === undefined ? pass(from) : warn(warning, 'put only the key in it, on one line');
}

async function checkPrivateKey({ privateKey }: Profile, { keys }: Examined): Promise<Found> {
  const key = privateKey && (await keys?.credentials({ scheme: 'rsa-sha256' }))?.privateKey;
  if (privateKey === undefined || key === undefined) return undefined;
  const { bits, form, fingerprint } = key;
  return pass(`RSA ${bits} bits, ${form}, fingerprint ${fingerprint}, from ${secretLocation(privateKey)}`);
}

/**
 * Compares this machine's clock with the Date of a reply to a plain GET. On loopback the root is requested: a sandbox
 * reads anything below its base address as a merchant's request and would list it in its audit.
 */
async function checkClock({ baseUrl, caFile }: Profile, { options, runtime }: Examined): Promise<CheckResult> {
  const isHere = isLoopback(baseUrl);
  if (options.online !== true && !isHere)
    return skip('not compared with the gateway; --online does it, and checks each key');
  const transport = await runtime.transport(caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
  const host = hostOf(baseUrl);
  try {
    const url = isHere ? new URL('/', baseUrl).href : `${baseUrl}/`;
    const delivery = await transport.post({ url, method: 'GET', headers: {}, body: '' }, probeReplyMs);
    if (delivery.kind !== 'reply')
      return failed(`${host} could not be reached: ${delivery.reason}`, 'check the address and the network');
    const now = runtime.clock.now();
    const aheadMs = aheadOf(delivery, now);
    if (aheadMs === undefined) return skip(`${host} answered without a Date header`);
    const text = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}`;
    if (clockDifference(delivery, now) === undefined) return pass(text);
    return warn(text, "correct this machine's clock: an OAuth signature with a wrong timestamp may be refused");
  } finally {
    await transport.close();
  }
}

/** One request that changes nothing, signed in a scheme the profile has a key for. */
async function checkOnline(scheme: KeyScheme, profile: Profile, examined: Examined): Promise<Found> {
  const { options, report, keys, runtime } = examined;
  const source = scheme === 'rsa-sha256' ? profile.privateKey : profile.controlKey;
  if (options.online !== true || source === undefined || keys === undefined) return undefined;
  if (!isSafeToProbe(scheme, profile))
    return skip(
      `nothing was sent: while card-ref-source is ${profile.assume['card-ref-source']} (A11), it would store a card`,
    );
  return judgeCheck(
    await checkKey(scheme, profile, await keys.credentials({ scheme }), report, runtime),
    scheme,
    profile.name,
  );
}

function checkEngine({ processes }: Runtime): CheckResult {
  const name = `Node ${processes.nodeVersion}, ${processes.platform}`;
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
  const count = await countAll(journal, {});
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
  try {
    await inJournals(runtime, async (journal) => {
      for await (const request of findAll(journal, { states: inDoubtStates })) open.push(request);
    });
  } catch (error) {
    // The check of the journal says why.
    if (isPaycliError(error)) return skip('the journal cannot be read');
    throw error;
  }
  if (open.length === 0) return pass('every payment has a known outcome or is pending at the gateway');
  const commands = open.map(
    ({ profile, class: kind }) =>
      `\`paycli resolve --profile ${shellWord(profile, 'NAME')}${kind === 'live' ? ' --live' : ''}\``,
  );
  const effects = open.map(({ operation }) => possibleEffect(operation));
  const count = open.length === 1 ? '1 request' : `${open.length} requests`;
  const isContradicted = open.some(({ state }) => state === 'conflict');
  const judge = isContradicted ? failed : warn;
  return judge(
    `${count} in doubt${isContradicted ? ' or in conflict' : ''}: ${[...new Set(effects)].join('; ')}`,
    `send nothing again; query the gateway: ${[...new Set(commands)].join(', ')}`,
  );
}

/** The folder of the journal: owned by the user, closed to others, and writable. */
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
  if (facts?.isTrusted === false)
    return failed(`other users can write to ${folder}`, `make it your own and run \`chmod 700 ${shellWord(folder)}\``);
  return pass(`${folder} is writable`);
}

/** Checks that certificates are verified and that TLS session keys are not written to a file. */
function checkTls({ env }: Runtime): CheckResult {
  checkTlsPolicy(env);
  const options = env['NODE_OPTIONS'] ?? '';
  if ((env['SSLKEYLOGFILE'] ?? '') !== '' || /--tls-keylog|--tls-min-v1\.[01]/.test(options))
    return warn(
      'the environment makes Node write TLS session keys to a file, or allows an old version of TLS',
      'unset SSLKEYLOGFILE, and remove what begins with --tls- from NODE_OPTIONS',
    );
  return pass('certificates are checked, TLS 1.2 or later');
}

/** Whether the proxy for https can be used. */
async function checkProxy(runtime: Runtime): Promise<CheckResult> {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((each) => (runtime.env[each] ?? '') !== '');
  if (name === undefined) return pass('none');
  await (await runtime.transport({ target: 'https://gateway.invalid' })).close();
  return pass(`https goes through the one that ${name} names`);
}
