import { type ExplainRow, listProfiles, loadProfile, type Profile } from '../../../config/index.js';
import { keySince } from '../../../config/key-store.js';
import { isPaycliError } from '../../../errors/index.js';
import { defaultLimits } from '../../../payments/exchange.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../../../signing/index.js';
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
  const liveGuard = guardOf(identity);
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
  const profiles = (await listProfiles(runtime)).map(({ keys, baseUrl, login, ...profile }) => ({
    ...{ ...profile, baseUrl: baseUrl ?? null, login: login ?? null },
    controlKeySince: keySince(keys['control-key'], runtime.files),
    privateKeySince: keySince(keys['private-key'], runtime.files),
  }));
  await report.show({
    document: { schema: 'paycli.profiles/1', profiles: profiles.map(withUtcTimes) },
    list: 'profiles',
    sheet: () => ({
      columns: [
        ...[{ head: 'profile' }, { head: 'class' }, { head: 'default' }, { head: 'address', flexible: true, min: 30 }],
        ...[{ head: 'login' }, { head: 'key since', optional: true }],
        { head: 'RSA key since', optional: true },
      ],
      rows: profiles.map((each) =>
        [
          ...[each.name, each.class, each.isDefault ? 'yes' : '', each.baseUrl ?? '', each.login ?? ''],
          ...[each.controlKeySince, each.privateKeySince].map((at) => (at === null ? '' : report.time(at))),
        ].map(oneLine),
      ),
    }),
    empty: 'no profiles yet: `paycli init` sets one up, and --profile sandbox is the built-in sandbox',
  });
  return 0;
}

interface KeyTimes {
  readonly controlKeySince: number | null;
  readonly privateKeySince: number | null;
}

function withUtcTimes<T extends KeyTimes>(each: T) {
  const utc = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return { ...each, controlKeySince: utc(each.controlKeySince), privateKeySince: utc(each.privateKeySince) };
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

/** The connection and keys that this run uses. */
interface Identity {
  readonly profile: string;
  /** What selected the profile. */
  readonly chosenBy: string;
  readonly class: string;
  readonly builtin: boolean;
  readonly baseUrl: string;
  readonly login: string;
  readonly endpointId: string | null;
  readonly keys: readonly KeyFacts[];
  readonly rows: readonly ExplainRow[];
  readonly warnings: readonly string[];
  readonly output: string | undefined;
}

/** Reads the active profile and its keys. An unreadable key is reported as a fact, not as an error. */
async function identify(options: CommonOptions, runtime: Runtime): Promise<Identity> {
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const { profile, chosenBy, warnings, output, rows } = loaded;
  const common = { chosenBy, warnings, output };
  if (profile === undefined) return { ...common, ...(await builtinIdentity(options, rows, runtime)) };
  return {
    ...common,
    profile: profile.name,
    class: profile.class,
    builtin: false,
    baseUrl: profile.baseUrl,
    login: profile.login,
    endpointId: profile.endpointId ?? null,
    keys: await profileKeysOf(profile, options, runtime),
    rows,
  };
}

async function profileKeysOf(profile: Profile, options: CommonOptions, runtime: Runtime): Promise<KeyFacts[]> {
  const keys = new ProfileKeys(profile, (options.verbose ?? 0) > 0, runtime);
  const wanted = [
    ['control-key', 'control', profile.controlKey],
    ['private-key', 'rsa-sha256', profile.privateKey],
  ] as const;
  const facts: KeyFacts[] = [];
  for (const [key, scheme, source] of wanted) {
    if (source === undefined) continue;
    const row = profile.rows.find((each) => each.key === key && !each.hidden);
    const named = { key, place: row?.value ?? '', from: row?.origin ?? '' };
    try {
      facts.push({ ...named, fingerprint: fingerprintOf(await keys.credentials({ scheme }), scheme), problem: null });
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      facts.push({ ...named, fingerprint: null, problem: `${error.message}; ${error.next}` });
    }
  }
  return facts;
}

function fingerprintOf({ controlKey, privateKey }: Credentials, scheme: 'control' | 'rsa-sha256'): string | null {
  if (scheme === 'rsa-sha256') return privateKey?.fingerprint ?? null;
  return controlKey === undefined ? null : keyFingerprint(controlKey.open());
}

async function builtinIdentity(options: CommonOptions, settings: readonly ExplainRow[], runtime: Runtime) {
  const session = await openSession(options, runtime);
  try {
    const endpointId = session.endpointFor(statusQuery, undefined);
    const { baseUrl } = session.target(endpointId);
    const keys = await Promise.all(
      (['control-key', 'private-key'] as const).map(async (key): Promise<KeyFacts> => {
        const scheme = key === 'control-key' ? 'control' : 'rsa-sha256';
        const fingerprint = fingerprintOf(
          await session.credentials(scheme === 'control' ? { scheme, values: [] } : { scheme }),
          scheme,
        );
        return { key, place: null, from: 'built-in', fingerprint, problem: null };
      }),
    );
    const values = { 'base-url': baseUrl, login: session.login, 'endpoint-id': endpointId, class: session.class };
    const rows = Object.entries(values).map(([key, value]) => ({ key, value, origin: 'built-in', hidden: false }));
    const { login, name, class: kind } = session;
    return {
      profile: name,
      class: kind,
      builtin: true,
      baseUrl,
      login,
      endpointId,
      keys,
      rows: [...settings, ...rows],
    };
  } finally {
    await session.close();
  }
}

/** What the live guard asks for before money moves, and the caps, which apply in every class; as sentences. */
function guardOf({ class: kind, login, rows }: Identity): readonly string[] {
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
