import { type ExplainRow, explain, loadProfile, type Profile } from '../config/index.js';
import { isPaycliError } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../signing/index.js';
import { operationById } from '../spec/index.js';
import { openSession } from './open-session.js';
import type { CommonOptions } from './options.js';
import { ProfileKeys } from './profile-keys.js';

/** One key of a profile, read to see that it is there. */
export interface KeyFacts {
  readonly key: 'control-key' | 'private-key';
  /** Where it is read from; nothing for the keys of the sandbox in the box. */
  readonly place: string | null;
  readonly from: string;
  readonly fingerprint: string | null;
  /** Why it cannot be used. */
  readonly problem: string | null;
}

/** Who paycli would be in this run. */
export interface Identity {
  readonly profile: string;
  /** What chose it. */
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

/** Reads the profile in force and its keys. A key that cannot be read is a fact here, no error. */
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
    keys: await keysOf(profile, options, runtime),
    rows: explain(loaded),
  };
}

async function keysOf(profile: Profile, options: CommonOptions, runtime: Runtime): Promise<KeyFacts[]> {
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
    const endpointId = session.endpointFor(operationById('STATUS'), undefined);
    const { baseUrl } = session.target(endpointId);
    const keys = await Promise.all(
      (['control-key', 'private-key'] as const).map(async (key): Promise<KeyFacts> => {
        const scheme = key === 'control-key' ? 'control' : 'rsa-sha256';
        const fingerprint = fingerprintOf(await session.credentials(scheme === 'control' ? { scheme, values: [] } : { scheme }), scheme);
        return { key, place: null, from: 'built-in', fingerprint, problem: null };
      }),
    );
    const own = { 'base-url': baseUrl, login: session.login, 'endpoint-id': endpointId, class: session.class };
    const rows = Object.entries(own).map(([key, value]) => ({ key, value, origin: 'built-in', hidden: false }));
    const { login, name, class: kind } = session;
    return { profile: name, class: kind, builtin: true, baseUrl, login, endpointId, keys, rows: [...settings, ...rows] };
  } finally {
    await session.close();
  }
}
