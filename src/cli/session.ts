import {
  checkTlsPolicy,
  type ExplainRow,
  type LoadedProfile,
  loadProfile,
  noCaps,
  type Profile,
  readCaFile,
  readSecret,
} from '../config/index.js';
import { isMachineReadable } from '../config/settings.js';
import { closeAfter, fail, isPaycliError } from '../errors/index.js';
import type { Target } from '../payments/compose.js';
import type { Runtime, Transport } from '../runtime/ports.js';
import { type Credentials, keyFingerprint, type PrivateKey, readPrivateKey, Secret } from '../signing/index.js';
import { assumeDefaults, type Operation, type PlainProtection } from '../spec/index.js';
import { gatewayName, parseEndpointId } from '../wire/address.js';
import { printable } from '../wire/redact.js';
import type { CommonOptions } from './core/common-options.js';
import { Reporter } from './core/reporter.js';
import { placeFlags } from './flags.js';
import type { Run } from './run.js';
import {
  defaultPages,
  findListening,
  isLocalSandbox,
  openLocalSandbox,
  sandboxName,
  sandboxPauses,
  sandboxTransport,
  testPayer,
} from './sandbox-session.js';

/** Of a profile, what a session has as well. */
type OfProfile = 'name' | 'class' | 'login' | 'assume' | 'assumeOrigins' | 'caps' | 'journal';

/** The connection of one command: where, as whom, under which assumptions. Keys are read when first needed. */
export interface Session extends Pick<Profile, OfProfile>, Pick<LoadedProfile, 'defaults'> {
  /** True for the built-in sandbox. */
  readonly builtin: boolean;
  /** The beginning of hosted pages' addresses at which nobody listens: of the sandbox inside this process. */
  readonly unservedPages?: string;
  /** The normalized address of this gateway, by which the journal tells gateways apart (its `base`). */
  readonly gatewayBase: string;
  /** Address, login, endpoint ids and the places of the keys, each with where it came from. */
  readonly connection: readonly ExplainRow[];
  readonly output: string | undefined;
  readonly timeoutMs: number | undefined;
  /** How long --wait waits. */
  readonly waitMs: number;
  /** Between status queries; undefined for the usual schedule. */
  readonly pauses: readonly number[] | undefined;
  /** Of files and environment. */
  readonly warnings: readonly string[];
  /** Flags that a later command needs to reach the same place. */
  readonly flags: string;
  /** Test values for payer fields, by field key; empty outside the built-in sandbox. */
  readonly payer: Readonly<Record<string, string>>;
  readonly canAskStatus: boolean;
  /** As in the profile; undefined where no money moves. */
  readonly askFirst: Profile['askFirst'] | undefined;
  /** As in the profile; undefined where no money moves. */
  readonly repeatWindowMs: number | undefined;
  endpointFor(row: Operation, currency: string | undefined): string;
  target(endpointId: string): Target;
  credentials(protection: PlainProtection): Promise<Credentials>;
  /** The key behind a scheme, by name and fingerprint; for messages. */
  keyName(scheme: PlainProtection['scheme']): string;
  /** The first call decides whether sockets are kept open for the next request. */
  transport(how?: 'keep'): Promise<Transport>;
  close(): Promise<void>;
}

/** The keys of a configured profile, read once each, from the one source the profile names. */
export class ProfileKeys {
  readonly #profile: Profile;
  readonly #runtime: Run;
  #credentials: Credentials;

  constructor(profile: Profile, runtime: Runtime) {
    this.#profile = profile;
    this.#runtime = runtime;
    this.#credentials = { login: profile.login };
  }

  async credentials({ scheme }: Pick<PlainProtection, 'scheme'>): Promise<Credentials> {
    if ((scheme === 'control' || scheme === 'hmac-sha1') && this.#credentials.controlKey === undefined)
      await this.#readControlKey();
    if (scheme === 'rsa-sha256' && this.#credentials.privateKey === undefined) await this.#readPrivateKey();
    return this.#credentials;
  }

  async #readControlKey(): Promise<void> {
    const { controlKey } = this.#profile;
    if (controlKey === undefined) throw this.#lacking('control');
    const { secret, warning } = await readSecret(controlKey, this.#runtime);
    if (warning !== undefined && !isMachineReadable(this.#runtime.printed?.form))
      this.#runtime.terminal.err(`${printable(`warning: ${warning}`)}\n`);
    this.#credentials = { ...this.#credentials, controlKey: secret };
  }

  async #readPrivateKey(): Promise<void> {
    const { privateKey, passphrase } = this.#profile;
    if (privateKey === undefined) throw this.#lacking('private');
    const { secret, from } = await readSecret(privateKey, this.#runtime);
    const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, this.#runtime)).secret;
    this.#credentials = { ...this.#credentials, privateKey: readPrivateKey(secret.open(), phrase, from) };
  }

  #lacking(key: 'control' | 'private'): Error {
    return fail('PROFILE_INCOMPLETE', {
      name: this.#profile.name,
      lacking: `a ${key} key`,
      how: `${key}-key in the profile, PAYCLI_${key.toUpperCase()}_KEY_FILE or --${key}-key-file`,
    });
  }

  nameOf(scheme: PlainProtection['scheme']): string {
    return keyName(scheme, this.#credentials);
  }
}

function keyName(scheme: PlainProtection['scheme'], { controlKey, privateKey }: Partial<Credentials>): string {
  if (scheme === 'rsa-sha256') return `private key fingerprint ${privateKey?.fingerprint ?? 'not read'}`;
  return `control key fingerprint ${controlKey === undefined ? 'not read' : keyFingerprint(controlKey.open())}`;
}

/** Opens the connection that flags, environment and files ask for. Throws where they ask for none. */
export async function openSession(options: CommonOptions, runtime: Runtime): Promise<Session> {
  checkTlsPolicy(runtime.env);
  const loaded = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const { profile, output, timeoutSeconds, warnings, defaults } = loaded;
  const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
  const settings = { output, timeoutMs, warnings, defaults };
  return profile === undefined
    ? openSandbox(options, settings, runtime)
    : openConfigured(profile, options, settings, runtime);
}

/** What files and environment say besides the connection. */
type Settings = Pick<Session, 'output' | 'timeoutMs' | 'warnings' | 'defaults'>;

/** What a command shows that explains the interface and connects to nothing. */
export type InterfaceSettings = Pick<Profile, 'name' | 'assume' | 'assumeOrigins'> & Pick<Session, 'output'>;

/** The settings of the profile that would be used; opens neither a key nor the sandbox. */
export async function readInterfaceSettings(options: CommonOptions, runtime: Runtime): Promise<InterfaceSettings> {
  checkTlsPolicy(runtime.env);
  const request = { profile: options.profile, overrides: options, isOptional: true } as const;
  const { profile, output } = await loadProfile(request, runtime);
  const { name, assume, assumeOrigins } = profile ?? { name: 'sandbox', assume: assumeDefaults, assumeOrigins: {} };
  return { name, assume, assumeOrigins, output };
}

function openConfigured(profile: Profile, options: CommonOptions, settings: Settings, runtime: Runtime): Session {
  const { name, class: kind, login, assume, assumeOrigins, caps, journal, baseUrl, caFile, controlKey } = profile;
  const keys = new ProfileKeys(profile, runtime);
  let transport: Promise<Transport> | undefined;
  return {
    ...{ name, class: kind, login, assume, assumeOrigins, caps, journal, ...settings },
    builtin: false,
    gatewayBase: gatewayName(baseUrl),
    connection: profile.rows,
    waitMs: 300_000,
    get pauses() {
      return kind === 'sandbox' || isLocalSandbox(baseUrl, runtime) ? sandboxPauses : undefined;
    },
    // Later commands must repeat a typed address, login or endpoint to reach the same order.
    flags: `${placeFlags(options)}${kind === 'live' ? ' --live' : ''}`,
    payer: {},
    canAskStatus: controlKey !== undefined,
    askFirst: kind === 'sandbox' ? undefined : profile.askFirst,
    repeatWindowMs: kind === 'sandbox' ? undefined : profile.repeatWindowMs,
    endpointFor: (row, currency) => profile.endpointFor(row.id, currency),
    target: (endpointId) => ({ baseUrl, endpointId, login, assume }),
    credentials: (protection) => keys.credentials(protection),
    keyName: (scheme) => keys.nameOf(scheme),
    transport: async (how) => {
      // Checked here again, so that nothing is sent to a live gateway even if a command forgets to check.
      checkLiveFlag(options, profile);
      const trust = () => (caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
      transport ??= runtime.transport({ ...trust(), keep: how === 'keep', target: baseUrl });
      return transport;
    },
    close: async () => (await transport)?.close(),
  };
}

/** The built-in sandbox as a session: over HTTP when it listens, else inside this process, with the same data. */
async function openSandbox(
  { profile, endpointId: given }: CommonOptions,
  settings: Settings,
  runtime: Runtime,
): Promise<Session> {
  const chosen = given === undefined ? undefined : parseEndpointId(given);
  const listening = await findListening(runtime);
  const sandbox = await openLocalSandbox(runtime);
  const { login, endpointId, controlKey, instance } = sandbox.identity();
  const keys: Credentials = { login, controlKey: new Secret(controlKey) };
  let privateKey: PrivateKey | undefined;
  let transport: Promise<Transport> | undefined;
  return {
    ...{ name: 'sandbox', class: 'sandbox', login, assume: assumeDefaults, assumeOrigins: {}, ...settings },
    ...{ caps: noCaps, journal: undefined, askFirst: undefined, repeatWindowMs: undefined },
    builtin: true,
    ...(listening === undefined ? { unservedPages: defaultPages } : {}),
    gatewayBase: `sandbox ${sandboxName(runtime)}/${instance}`,
    connection: given === undefined ? [] : [{ key: 'endpoint-id', value: given, origin: 'flag --endpoint-id' }],
    waitMs: 5000,
    pauses: listening === undefined ? [50] : sandboxPauses,
    flags: profile === undefined ? '' : ' --profile sandbox',
    payer: testPayer,
    canAskStatus: true,
    endpointFor: () => chosen ?? endpointId,
    target: (id) => ({
      baseUrl: listening?.url ?? `${defaultPages}/gateway`,
      endpointId: id,
      login,
      assume: assumeDefaults,
    }),
    async credentials({ scheme }) {
      if (scheme !== 'rsa-sha256') return keys;
      // Made when it is first needed, which takes a moment.
      privateKey ??= readPrivateKey(sandbox.builtinPrivateKey(), undefined, 'of the sandbox');
      return { ...keys, privateKey };
    },
    keyName: (scheme) => keyName(scheme, { ...keys, ...(privateKey && { privateKey }) }),
    transport: (how) =>
      (transport ??= listening === undefined ? sandboxTransport(sandbox) : runtime.transport({ keep: how === 'keep' })),
    async close() {
      await (await transport)?.close();
      sandbox.close();
    },
  };
}

/** Opens the connection for one command, prints its notes, and closes it afterwards. */
export async function withSession<T>(
  options: CommonOptions,
  runtime: Runtime,
  use: (session: Session, report: Reporter) => Promise<T>,
): Promise<T> {
  const session = await openSession(options, runtime);
  const report = new Reporter(options, session, runtime);
  try {
    return await closeAfter(
      () => {
        report.warn(session.warnings);
        return use(session, report);
      },
      () => session.close(),
    );
  } catch (error) {
    if (isPaycliError(error) && session.output !== undefined) error.form = session.output;
    throw error;
  }
}

/**
 * A live profile needs --live on this very command line, and a profile of another class refuses it. Throws LIVE_GUARD.
 */
export function checkLiveFlag({ live }: Pick<CommonOptions, 'live'>, session: Pick<Session, 'name' | 'class'>): void {
  if (session.class !== 'live' && live === true)
    throw fail('LIVE_GUARD', {
      why: `--live was given, but profile ${session.name} is of class ${session.class}`,
      how: 'omit --live, or choose a live profile',
      profile: session.name,
      class: session.class,
    });
  if (session.class === 'live' && live !== true)
    throw fail('LIVE_GUARD', {
      why: `profile ${session.name} is live and moves real money`,
      how: 'add --live to this command line if that is intended',
      profile: session.name,
    });
}

/** What can be said about a request on a live profile before anything is asked or written down. Throws LIVE_GUARD. */
export function checkLive(row: Operation, options: CommonOptions, session: Session): void {
  checkLiveFlag(options, session);
  if (session.class !== 'live') return;
  if (row.basis === 'A08' && session.assume['payout-pay'] !== 'accepted')
    throw fail('LIVE_GUARD', {
      why: `${row.command} is assumed; the API documentation does not describe it`,
      how: 'set assume: { payout-pay: accepted } in the profile once the gateway has confirmed it',
      operation: row.command,
    });
  if (row.effect === 'money' && options.confirmLogin !== undefined) checkLogin(options.confirmLogin, session);
}

/** Throws LIVE_GUARD. */
export function checkLogin(typed: string, { name, login }: Pick<Session, 'name' | 'login'>): void {
  if (typed === login) return;
  throw fail('LIVE_GUARD', {
    why: `the login that was given is not the login of profile ${name}`,
    how: 'nothing was sent; check which profile you meant, then start again',
    profile: name,
  });
}
