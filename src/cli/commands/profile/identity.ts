import { type ExplainRow, explain, loadProfile, type Profile } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../../../signing/index.js';
import { statusQuery } from '../../../spec/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import { openSession, ProfileKeys } from '../../open-session.js';

/** One key of a profile, read to check that it is usable. */
export interface KeyFacts {
  readonly key: 'control-key' | 'private-key';
  /** Where it is read from; null for the keys of the built-in sandbox. */
  readonly place: string | null;
  readonly from: string;
  readonly fingerprint: string | null;
  /** Why it cannot be used. */
  readonly problem: string | null;
}

/** The connection and keys that this run uses. */
export interface Identity {
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
export async function identify(options: CommonOptions, runtime: Runtime): Promise<Identity> {
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const chosenBy = loaded.origins['profile'] ?? '';
  const common = { chosenBy, warnings: loaded.warnings, output: loaded.settings.output };
  const { profile } = loaded;
  if (profile === undefined) return { ...common, ...(await builtinIdentity(options, explain(loaded), runtime)) };
  return {
    ...common,
    profile: profile.name,
    class: profile.class,
    builtin: false,
    baseUrl: profile.baseUrl,
    login: profile.login,
    endpointId: profile.endpointId ?? null,
    keys: await profileKeysOf(profile, options, runtime),
    rows: explain(loaded),
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
    const place = profile.rows.find((row) => row.key === key && !row.hidden)?.value ?? '';
    const named = { key, place, from: source.origin };
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
export function guardOf({ class: kind, login, rows }: Identity): readonly string[] {
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
export function keyText({ place, from, fingerprint, problem }: KeyFacts): string {
  if (problem !== null) return `cannot be used: ${problem}`;
  return `fingerprint ${fingerprint ?? ''}${place === null ? '' : `, from ${place} (${from})`}`;
}
