import { type LoadedProfile, listProfiles, loadProfile } from '../../../config/index.js';
import { keySince } from '../../../config/key-store.js';
import { isPaycliError } from '../../../errors/index.js';
import { defaultLimits } from '../../../payments/exchange.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { statusQuery } from '../../../spec/index.js';
import { printable } from '../../../wire/redact.js';
import { defineCommand, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { rowText } from '../../format/profile.js';
import { openSession, ProfileKeys } from '../../open-session.js';
import type { DocumentOf } from '../../results.js';
import type { Session } from '../../session.js';

interface ShowOptions extends CommonOptions {
  readonly origins?: boolean;
}

export const profileShow = defineCommand({
  summary: 'The profiles, or one of them: its values, their origins, its keys by fingerprint',
  help: 'Without a name it lists the profiles of the user file. --origins shows the connection in use, or that of the profile: every value, where it comes from and what it overrides.',
  args: { profile: { text: 'a profile, or sandbox', isOptional: true } },
  flags: {
    origins: on('show where each value comes from, and what it overrides'),
    ...connectionFlags,
    ...outputFlags,
  },
  examples: ['profile show', 'profile show shop-live --json', 'profile show --origins --login other'],
  effect: 'local',
  result: ['profiles', 'profile'],
  run: ({ args: { profile }, flags, runtime }) =>
    profile === undefined && !asksForOne(flags) ? listAll(flags, runtime) : showOne(profile, flags, runtime),
});

function asksForOne({ origins, profile, baseUrl, login, endpointId }: ShowOptions): boolean {
  return origins === true || (profile ?? baseUrl ?? login ?? endpointId) !== undefined;
}

/** Shows the connection, its keys by fingerprint, and what a live payment would ask for. */
async function showOne(name: string | undefined, options: ShowOptions, runtime: Runtime): Promise<number> {
  const identity = await identify(name === undefined ? options : { ...options, profile: name }, runtime);
  const report = new Reporter<DocumentOf<'profile'>>(options, identity, runtime);
  report.notes(identity.warnings.map((text) => `warning: ${text}`));
  const { rows, warnings: _, output: _output, ...facts } = identity;
  // A name given as an argument stands for the flag.
  const all = rows.map((row) =>
    name !== undefined && row.key === 'profile' && !row.hidden ? { ...row, origin: 'argument' } : row,
  );
  const values = options.origins === true ? withUnset(all) : all.filter((row) => !row.hidden && !settings.has(row.key));
  const liveGuard = guardSentences(identity);
  await report.show({
    document: { schema: 'paycli.profile/1', ...facts, liveGuard, values },
    text: () => {
      const pairs = () => report.columns(values.map(({ key, value }) => [key, value].map(printable)));
      const guard = liveGuard.length === 0 ? 'not needed: no real money moves here' : liveGuard.join('; ');
      const lines = [
        ...identity.keys.map((key) => [key.key, keyText(key)]),
        ...(identity.keys.some(({ key }) => key === 'control-key')
          ? []
          : [['control-key', 'none: payments are refused, because their outcome could not be queried']]),
        ['live guard', guard],
      ];
      return `${options.origins === true ? rowText(values, report, runtime) : pairs()}\n${report.columns(lines.map((line) => line.map(printable)))}`;
    },
  });
  return 0;
}

/** Settings that belong to no profile. */
const settings: ReadonlySet<string> = new Set(['output', 'timeout', 'no-input']);

/** With the values in force that nobody set. */
function withUnset(rows: Identity['rows']): Identity['rows'] {
  const usual = [
    { key: 'output', value: 'text' },
    { key: 'timeout', value: String(defaultLimits.firstByteMs / 1000) },
  ];
  const unset = usual.filter(({ key }) => !rows.some((row) => row.key === key));
  return [...rows, ...unset.map((row) => ({ ...row, origin: 'built-in', hidden: false }))];
}

async function listAll(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<'profiles'>>(options, undefined, runtime);
  const listed = (await listProfiles(runtime)).map(({ name, class: kind, isDefault, baseUrl, login, keys }) => {
    const since = (['control-key', 'private-key'] as const).map((key) => keySince(keys[key], runtime.files));
    const [controlKeySince, privateKeySince] = since.map((at) => (at === null ? null : new Date(at).toISOString()));
    return {
      document: {
        ...{ name, class: kind, isDefault, baseUrl: baseUrl ?? null, login: login ?? null },
        ...{ controlKeySince: controlKeySince ?? null, privateKeySince: privateKeySince ?? null },
      },
      row: [
        ...[name, kind, isDefault ? 'yes' : '', baseUrl ?? '', login ?? ''],
        ...since.map((at) => (at === null ? '' : report.time(at))),
      ].map(oneLine),
    };
  });
  await report.show({
    document: { schema: 'paycli.profiles/1', profiles: listed.map(({ document }) => document) },
    list: 'profiles',
    sheet: () => ({
      columns: [
        ...[{ head: 'profile' }, { head: 'class' }, { head: 'default' }, { head: 'address', flexible: true }],
        ...[{ head: 'login' }, { head: 'key since', optional: true }],
        { head: 'RSA key since', optional: true },
      ],
      rows: listed.map(({ row }) => row),
    }),
    empty: 'no profiles yet: `paycli init` sets one up, and --profile sandbox is the built-in sandbox',
  });
  return 0;
}

/** One key of a profile, read to check that it is usable. */
interface KeyFacts {
  readonly key: 'control-key' | 'private-key';
  /** Where it is read from; null for the keys of the built-in sandbox. */
  readonly place: string | null;
  readonly from: string;
  readonly fingerprint: string | null;
  /** Why it cannot be used. */
  readonly problem: string | null;
}

/** Reads the active profile and its keys. An unreadable key is reported as a fact, not as an error. */
async function identify(options: CommonOptions, runtime: Runtime) {
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const { profile, chosenBy, warnings, output } = loaded;
  if (profile === undefined)
    return { chosenBy, warnings, output, ...(await identifySandbox(loaded, options, runtime)) };
  const { name, class: kind, baseUrl, login, endpointId = null, rows } = profile;
  const keys = new ProfileKeys(profile, (options.verbose ?? 0) > 0, runtime);
  const facts: KeyFacts[] = [];
  for (const key of ['control-key', 'private-key'] as const) {
    const row = rows.find((each) => each.key === key && !each.hidden);
    if (row === undefined) continue;
    const read = await readKey(key, keys);
    facts.push({ key, place: row.value, from: row.origin, ...read });
  }
  return {
    ...{ chosenBy, warnings, output, profile: name, class: kind, builtin: false },
    ...{ baseUrl, login, endpointId, keys: facts, rows },
  };
}

async function identifySandbox({ rows }: LoadedProfile, options: CommonOptions, runtime: Runtime) {
  const session = await openSession(options, runtime);
  try {
    const endpointId = session.endpointFor(statusQuery, undefined);
    const { name, class: kind, login } = session;
    const { baseUrl } = session.target(endpointId);
    const keys: KeyFacts[] = [];
    for (const key of ['control-key', 'private-key'] as const)
      keys.push({ key, place: null, from: 'built-in', ...(await readKey(key, session)) });
    const values = { 'base-url': baseUrl, login, 'endpoint-id': endpointId, class: kind };
    const own = Object.entries(values).map(([key, value]) => ({ key, value, origin: 'built-in', hidden: false }));
    return {
      ...{ profile: name, class: kind, builtin: true, baseUrl, login, endpointId },
      ...{ keys, rows: [...rows, ...own] },
    };
  } finally {
    await session.close();
  }
}

type Identity = Awaited<ReturnType<typeof identify>>;

async function readKey(
  key: KeyFacts['key'],
  keys: Pick<Session, 'credentials'>,
): Promise<Pick<KeyFacts, 'fingerprint' | 'problem'>> {
  try {
    const { controlKey, privateKey } = await keys.credentials(
      key === 'control-key' ? { scheme: 'control', values: [] } : { scheme: 'rsa-sha256' },
    );
    if (key === 'private-key') return { fingerprint: privateKey?.fingerprint ?? null, problem: null };
    return { fingerprint: controlKey === undefined ? null : keyFingerprint(controlKey.open()), problem: null };
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return { fingerprint: null, problem: `${error.message}; ${error.next}` };
  }
}

/** What the live guard asks for before money moves, and the caps, which apply in every class; as sentences. */
function guardSentences({ class: kind, login, rows }: Identity): readonly string[] {
  const caps = rows
    .filter(({ key, hidden }) => !hidden && (key === 'max-amount' || key === 'max-total-per-day'))
    .map(({ key, value }) => `${key === 'max-amount' ? 'at most' : 'at most per day'} ${value}`);
  const confirmations =
    kind === 'live'
      ? ['--live on every command that queries or sends', `for payments: typing the login, or --confirm-login ${login}`]
      : [];
  return [...confirmations, ...caps];
}

/** One key in words. */
function keyText({ place, from, fingerprint, problem }: KeyFacts): string {
  if (problem !== null) return `cannot be used: ${problem}`;
  return `fingerprint ${fingerprint ?? ''}${place === null ? '' : `, from ${place} (${from})`}`;
}
