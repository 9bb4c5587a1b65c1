import { join } from 'node:path';
import { readSecret } from '../../../config/index.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Env, Runtime } from '../../../runtime/ports.js';
import type { SandboxState } from '../../../sandbox/index.js';
import { readPublicKey } from '../../../signing/index.js';
import { type Assume, assumeDefaults, assumptionNamed, mayBe, operationById } from '../../../spec/index.js';
import { gatewayName, parseEndpointId } from '../../../wire/address.js';
import { withGateway } from '../../core/gateway-context.js';
import {
  assertNotListening,
  defaultPort,
  type LocalSandbox,
  openLocalSandbox,
  removeListening,
  sandboxAtPort,
  sandboxFolder,
  sandboxName,
  writeListening,
} from '../../core/local-sandbox.js';
import { withSession } from '../../core/open-session.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { readListenSettings } from '../callback/listen-settings.js';
import { openCallbackListener } from '../callback/listener.js';

export interface StartOptions extends Omit<CommonOptions, 'endpointId'> {
  readonly port?: string;
  readonly publicKeyFile?: string;
  readonly endpointId?: string;
  readonly assume?: readonly string[];
  readonly settleMs?: string;
  readonly anyCard?: boolean;
  readonly callbackHost?: readonly string[];
  readonly seed?: string;
  readonly run?: boolean;
  readonly readyFile?: string;
  readonly listen?: boolean;
  readonly forward?: string;
  readonly route?: readonly string[];
}

/** Serves the sandbox until SIGINT or SIGTERM, or while a command runs. */
export async function runSandboxStart(
  command: readonly string[],
  options: StartOptions,
  runtime: Runtime,
): Promise<number> {
  if ((options.run === true) !== command.length > 0)
    throw fail('USAGE', {
      why: 'write `sandbox start --run -- COMMAND`, with the command behind --',
      command: 'sandbox start',
    });
  const report = new Reporter(options, undefined, runtime);
  const settings = readStartSettings(options);
  checkListenFlags(options);
  await assertNotListening(runtime);
  // A script that waits for this file must not read the address of an earlier run.
  if (options.readyFile !== undefined) runtime.files.remove(options.readyFile);
  const sandbox = await openLocalSandbox(runtime, options.seed);
  try {
    await addMerchant(sandbox, options, runtime);
    const server = await serve(sandbox, settings, runtime);
    const url = `http://127.0.0.1:${server.port}/gateway`;
    const note = { pid: runtime.processes.pid, url, name: sandboxName(runtime) };
    // Before anybody can know that it listens: who knows may stop it.
    const stopped = new Promise<string>((resolve) => runtime.processes.onStop(resolve));
    writeListening(note, runtime);
    try {
      const goOn = async (callbackUrl?: string) => {
        if (options.readyFile !== undefined) runtime.files.writeText(options.readyFile, `${url}\n`);
        if (options.run === true) {
          return runCommandWithSandbox(command, { url, sandbox, options, callbackUrl }, runtime);
        }
        await announce(url, report);
        report.urgent([`stopped by ${await stopped}`]);
        return 0;
      };
      return await (options.listen === true ? withCallbackListener(url, options, runtime, goOn) : goOn());
    } finally {
      removeListening(note, runtime);
      if (options.readyFile !== undefined) runtime.files.remove(options.readyFile);
      await server.close();
    }
  } finally {
    sandbox.close();
  }
}

interface StartSettings {
  readonly port: number;
  readonly settleMs: number;
  readonly assume: Assume;
  readonly anyCard: boolean;
  readonly callbackHosts: readonly string[];
}

function readStartSettings(options: StartOptions): StartSettings {
  return {
    port: wholeNumber('--port', options.port ?? String(defaultPort), 65_535),
    callbackHosts: options.callbackHost ?? [],
    settleMs: wholeNumber('--settle-ms', options.settleMs ?? '300', 3_600_000),
    assume: readAssume(options.assume ?? []),
    anyCard: options.anyCard === true,
  };
}

async function serve(sandbox: LocalSandbox, { port, callbackHosts, ...settings }: StartSettings, runtime: Runtime) {
  const { createSandbox } = await import('../../../sandbox/index.js');
  const { listen } = await import('../../../sandbox/server/listen.js');
  const about = { pid: runtime.processes.pid, name: sandboxName(runtime) };
  try {
    const deliverer = await openCallbacks(sandbox, callbackHosts, settings.assume);
    const { beforeReply } = deliverer;
    const server = await listen((pagesBase) => createSandbox(sandbox, { ...settings, pagesBase }), {
      port,
      about,
      beforeReply,
    });
    deliverer.start();
    return { port: server.port, close: () => server.close().then(() => deliverer.stop()) };
  } catch (error) {
    if (!isPaycliError(error) || error.code !== 'PORT_TAKEN') throw error;
    const known = await sandboxAtPort(port, runtime);
    const holder = known === undefined ? ' by another program' : ` by the sandbox ${known.name}, process ${known.pid}`;
    throw fail('PORT_TAKEN', { port, holder }, { cause: error });
  }
}

async function openCallbacks(sandbox: LocalSandbox, hosts: readonly string[], assume: Assume) {
  const { openDeliverer } = await import('../../../sandbox/callbacks/delivery.js');
  const { callbackHost } = await import('../../../sandbox/callbacks/send.js');
  const allowed = hosts.map((text) => {
    const host = callbackHost(text);
    if (host !== undefined) return host;
    throw fail('USAGE', {
      why: '--callback-host takes a host such as app.example or app.example:8080',
      command: 'sandbox start',
    });
  });
  return openDeliverer(sandbox.store, { allowed, form: assume['callback-form'] });
}

function announce(url: string, report: Reporter): Promise<void> {
  return report.event(
    { event: 'ready', url },
    `sandbox ready: ${url}\n  merchants and keys: paycli sandbox status   stop: Ctrl-C\n`,
  );
}

async function addMerchant(sandbox: SandboxState, options: StartOptions, runtime: Runtime): Promise<void> {
  const { login, endpointId, controlKeyFile, publicKeyFile } = options;
  if ([login, endpointId, controlKeyFile, publicKeyFile].every((value) => value === undefined)) return;
  if (login === undefined || endpointId === undefined || controlKeyFile === undefined)
    throw fail('USAGE', {
      why: 'a merchant of your own needs --login, --endpoint-id and --control-key-file',
      command: 'sandbox start',
    });
  const { secret } = await readSecret(
    { kind: 'file', path: controlKeyFile, origin: 'flag --control-key-file' },
    runtime,
  );
  const publicKeyPem = publicKeyFile === undefined ? undefined : readPublicPem(publicKeyFile, runtime);
  sandbox.addMerchant({
    login,
    controlKey: secret.open(),
    endpointId: parseEndpointId(endpointId),
    ...(publicKeyPem === undefined ? {} : { publicKeyPem }),
  });
}

function readPublicPem(path: string, runtime: Runtime): string {
  try {
    const pem = runtime.files.readText(path, 65_536);
    readPublicKey(pem, path);
    return pem;
  } catch (cause) {
    throw fail('KEY_UNUSABLE', { source: path, why: 'it is no RSA public key in PEM of 2048 bits or more' }, { cause });
  }
}

function readAssume(settings: readonly string[]): Assume {
  const set: Record<string, string> = {};
  for (const setting of settings) {
    const [name = '', ...rest] = setting.split('=');
    const value = rest.join('=');
    const assumption = assumptionNamed(name);
    if (assumption === undefined || !mayBe(assumption, value))
      throw fail('USAGE', {
        why: `--assume ${setting.slice(0, 60)} is no switch with such a value; see \`paycli assumptions list\``,
        command: 'sandbox start',
      });
    set[assumption.switch] = value;
  }
  return { ...assumeDefaults, ...set };
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  if (value < 0 || value > most)
    throw fail('USAGE', { why: `${flag} takes a whole number from 0 to ${most}`, command: 'sandbox start' });
  return value;
}

interface ServedSandbox {
  readonly url: string;
  readonly sandbox: SandboxState;
  /** The merchant the command is to be; the built-in one when left out. */
  readonly options: { readonly login?: string; readonly endpointId?: string };
  /** Where callbacks are taken beside the sandbox. */
  readonly callbackUrl?: string | undefined;
}

/** Runs a command with everything it needs to reach the sandbox in its environment; gives its exit code. */
export async function runCommandWithSandbox(
  command: readonly string[],
  serving: ServedSandbox,
  runtime: Runtime,
): Promise<number> {
  const keys = join(sandboxFolder(runtime), `run-${runtime.processes.pid}`);
  const files = { control: `${keys}.control-key`, private: `${keys}.private-key.pem` };
  const unlisten: (() => void)[] = [];
  try {
    const child = await runtime.processes.start(command, connectionEnv(serving, files, runtime));
    // The command gets the signal and ends in its own way; the sandbox outlives it.
    unlisten.push(runtime.processes.onStop((signal) => child.signal(signal)));
    return await child.exit;
  } finally {
    for (const stop of unlisten) stop();
    for (const file of Object.values(files)) runtime.files.remove(file);
  }
}

interface KeyFiles {
  readonly control: string;
  readonly private: string;
}

function connectionEnv({ url, sandbox, options, callbackUrl }: ServedSandbox, files: KeyFiles, runtime: Runtime): Env {
  const own =
    options.login === undefined ? undefined : sandbox.merchants().find(({ login }) => login === options.login);
  const { login, endpointId, controlKey } =
    own === undefined ? sandbox.identity() : { ...own, endpointId: options.endpointId ?? own.endpoints[0]?.id ?? '' };
  runtime.files.writeText(files.control, controlKey);
  const reached: Env = {
    PAYCLI_SANDBOX: sandboxName(runtime),
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: login,
    PAYCLI_ENDPOINT_ID: endpointId,
    PAYCLI_CONTROL_KEY_FILE: files.control,
    ...(callbackUrl === undefined ? {} : { PAYCLI_CALLBACK_URL: callbackUrl }),
  };
  // Of a merchant of one's own only the public half is known here.
  if (own !== undefined) return reached;
  runtime.files.writeText(files.private, sandbox.builtinPrivateKey());
  return { ...reached, PAYCLI_PRIVATE_KEY_FILE: files.private };
}

export interface CallbackListenFlags extends CommonOptions {
  readonly listen?: boolean;
  readonly run?: boolean;
  readonly forward?: string;
  readonly route?: readonly string[];
}

/** Throws USAGE. */
export function checkListenFlags({ listen, forward, route }: CallbackListenFlags): void {
  if (listen !== true && (forward !== undefined || route !== undefined))
    throw fail('USAGE', { why: '--forward and --route go with --listen', command: 'sandbox start' });
}

/** Takes callbacks beside a sandbox that listens at `url`, for as long as `use` goes on. */
export async function withCallbackListener(
  url: string,
  flags: CallbackListenFlags,
  runtime: Runtime,
  use: (callbackUrl: string) => Promise<number>,
): Promise<number> {
  const { forward, route, login, endpointId, controlKeyFile, ...rest } = flags;
  const output = {
    ...(rest.output === undefined ? {} : { output: rest.output }),
    ...(rest.quiet === undefined ? {} : { quiet: rest.quiet }),
  };
  const merchant =
    login === undefined || endpointId === undefined || controlKeyFile === undefined
      ? undefined
      : { login, endpointId, controlKeyFile };
  const options: CommonOptions =
    merchant === undefined ? { ...output, profile: 'sandbox' } : { ...output, ...merchant, baseUrl: url };
  const settings = readListenSettings({
    ...(forward === undefined ? {} : { forward }),
    ...(route === undefined ? {} : { route }),
  });
  return withSession(options, runtime, (opened, report) => {
    // A command beside the sandbox reaches it by its address, and so its journal names it.
    const session = flags.run === true ? { ...opened, place: gatewayName(url) } : opened;
    return withGateway(operationById('STATUS'), { options, session, report, runtime }, async (gateway) => {
      const listening = await openCallbackListener(gateway, settings);
      try {
        return await Promise.race([use(listening.url), listening.failed]);
      } finally {
        await listening.close('sandbox');
      }
    });
  });
}
