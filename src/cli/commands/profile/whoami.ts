import { type ExplainRow, explain, loadProfile, type Profile } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Credentials, keyFingerprint } from '../../../signing/index.js';
import { operationById } from '../../../spec/index.js';
import { printable } from '../../../wire/redact.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { openSession, ProfileKeys } from '../../core/open-session.js';
import { type CommonOptions, connectionFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'The connection in use: class, address, login, keys and live confirmation',
  heading: 'Tools:',
  options: connectionFlags,
  examples: ['whoami', 'whoami --profile shop-live'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['whoami', 'profile'],
  run: ({ options, runtime }) => runWhoami(options, runtime),
});

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
    const endpointId = session.endpointFor(operationById('STATUS'), undefined);
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

/** Shows the connection, its keys by fingerprint, and what a live payment would ask for. */
async function runWhoami(options: CommonOptions, runtime: Runtime): Promise<number> {
  const identity = await identify(options, runtime);
  const report = new Reporter(options, identity, runtime);
  report.notes(identity.warnings.map((text) => `warning: ${text}`));
  const { rows: _, warnings: _warnings, output: _output, ...facts } = identity;
  const liveGuard = guardOf(identity);
  await report.show({
    document: { schema: 'paycli.whoami/1', ...facts, endpoints: endpointsOf(identity), liveGuard },
    text: () => textOf(identity, liveGuard, report),
  });
  return 0;
}

function endpointsOf({ rows }: Identity): Readonly<Record<string, string>> {
  const prefix = 'endpoints.';
  const rules = rows.filter(({ key, hidden }) => key.startsWith(prefix) && !hidden);
  return Object.fromEntries(rules.map(({ key, value }) => [key.slice(prefix.length), value]));
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

function textOf(identity: Identity, guard: readonly string[], report: Reporter): string {
  const { profile, chosenBy, builtin, baseUrl, login, endpointId, keys } = identity;
  const endpoints = Object.entries(endpointsOf(identity)).map(([rule, id]) => `${rule} ${id}`);
  const missing = keys.some(({ key }) => key === 'control-key')
    ? []
    : [['control-key', 'none: payments are refused, because their outcome could not be queried']];
  const rows = [
    ['profile', `${profile}${builtin ? ', the built-in sandbox' : ''} (${chosenBy})`],
    ['class', identity.class],
    ['address', baseUrl],
    ['login', login],
    ['endpoint', [...(endpointId === null ? [] : [endpointId]), ...endpoints].join(', ')],
    ...missing,
    ...keys.map((key) => [key.key, keyText(key)]),
    ['live guard', guard.length === 0 ? 'not needed: no real money moves here' : guard.join('; ')],
  ];
  return report.columns(rows.map((row) => row.map(printable)));
}

/** One key in words. */
export function keyText({ place, from, fingerprint, problem }: KeyFacts): string {
  if (problem !== null) return `cannot be used: ${problem}`;
  return `fingerprint ${fingerprint ?? ''}${place === null ? '' : `, from ${place} (${from})`}`;
}
