import { checkTlsPolicy, type Defaults, loadProfile, type Profile, readCaFile } from '../config/index.js';
import type { Runtime, Transport } from '../runtime/ports.js';
import type { Operation } from '../spec/index.js';
import { gatewayName } from '../wire/address.js';
import { boxPauses, isBox } from './box.js';
import { checkLiveFlag } from './live/guard.js';
import type { CommonOptions } from './options.js';
import { ProfileKeys } from './profile-keys.js';
import type { CommonSettings, Session } from './session.js';

/** Opens the connection that flags, environment and files ask for; with nothing configured, the sandbox in the box. */
export async function openSession(options: CommonOptions, runtime: Runtime): Promise<Session> {
  checkTlsPolicy(runtime.env);
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const common = {
    output: loaded.settings.output,
    timeoutMs: loaded.settings.timeoutSeconds === undefined ? undefined : loaded.settings.timeoutSeconds * 1000,
    warnings: loaded.warnings,
  };
  if (loaded.profile !== undefined) return configured(loaded.profile, options, common, runtime);
  const { openBuiltin } = await import('./builtin.js');
  return openBuiltin(
    { ...common, endpointId: options.endpointId, defaults: loaded.defaults, asked: loaded.origins['profile'] !== 'built-in' },
    runtime,
  );
}

function configured(profile: Profile, options: CommonOptions, common: CommonSettings, runtime: Runtime): Session {
  const keys = new ProfileKeys(profile, (options.verbose ?? 0) > 0, runtime);
  let transport: Promise<Transport> | undefined;
  const trust = () => (profile.caFile === undefined ? {} : { ca: readCaFile(profile.caFile, runtime.files) });
  return {
    name: profile.name,
    class: profile.class,
    builtin: false,
    login: profile.login,
    place: gatewayName(profile.baseUrl),
    assume: profile.assume,
    caps: profile.caps,
    assumeOrigins: profile.assumeOrigins,
    connection: profile.rows,
    output: common.output,
    timeoutMs: common.timeoutMs,
    waitMs: 300_000,
    pauses: profile.class === 'sandbox' || isBox(profile.baseUrl, runtime) ? boxPauses : undefined,
    notes: common.warnings.map((text) => `warning: ${text}`),
    flags: flagsOf(profile, options),
    payer: {},
    canAskStatus: profile.controlKey !== undefined,
    endpointFor: (row, currency) => profile.endpointFor(row.id, currency),
    defaultsFor: (row) => defaultsOf(profile, row),
    target: (endpointId) => ({ baseUrl: profile.baseUrl, endpointId, login: profile.login, assume: profile.assume }),
    credentials: (protection) => keys.credentials(protection),
    keyName: (scheme) => keys.nameOf(scheme),
    transport: async (how) => {
      // Here as well, so that nothing leaves for a live gateway whatever a command forgets.
      checkLiveFlag(options, profile);
      transport ??= runtime.transport({ ...trust(), keep: how === 'keep' });
      return transport;
    },
    close: async () => (await transport)?.close(),
  };
}

function defaultsOf(profile: Profile, row: Operation): Defaults {
  const all = { ...profile.defaults };
  for (const [key, address] of Object.entries(profile.addresses)) if (address !== undefined) all[key] = address;
  return Object.fromEntries(Object.entries(all).filter(([key]) => key in row.fields));
}

function flagsOf(profile: Profile, options: CommonOptions): string {
  const named = options.profile === undefined ? '' : ` --profile ${options.profile}`;
  return `${named}${profile.class === 'live' ? ' --live' : ''}`;
}
