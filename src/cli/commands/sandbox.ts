import { readSecret } from '../../config/index.js';
import { fail, isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { World } from '../../sandbox/index.js';
import { readPublicKey } from '../../signing/index.js';
import { type Assume, assumeDefaults, assumptionNamed, mayBe } from '../../spec/index.js';
import { parseEndpointId } from '../../wire/address.js';
import { type Box, boxName, defaultPort, forgetListening, holderOf, noteListening, openBox, refuseListening } from '../box.js';
import type { CommonOptions } from '../options.js';
import { Reporter } from '../reporter.js';
import { checkListenFlags, withCallbacks } from './sandbox-listen.js';

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
export async function runSandboxStart(command: readonly string[], options: StartOptions, runtime: Runtime): Promise<number> {
  if ((options.run === true) !== command.length > 0)
    throw fail('USAGE', { why: 'write `sandbox start --run -- COMMAND`, with the command behind --', command: 'sandbox start' });
  const report = new Reporter(options, undefined, runtime);
  const settings = readSettings(options);
  checkListenFlags(options);
  await refuseListening(runtime);
  // A script that waits for this file must not read the address of an earlier run.
  if (options.readyFile !== undefined) runtime.files.remove(options.readyFile);
  const world = await openBox(runtime, options.seed);
  try {
    await addMerchant(world, options, runtime);
    const server = await serve(world, settings, runtime);
    const url = `http://127.0.0.1:${server.port}/gateway`;
    const note = { pid: runtime.processes.pid, url, name: boxName(runtime) };
    // Before anybody can know that it listens: who knows may stop it.
    const stopped = new Promise<string>((resolve) => runtime.processes.onStop(resolve));
    noteListening(note, runtime);
    try {
      const goOn = async (callbackUrl?: string) => {
        if (options.readyFile !== undefined) runtime.files.writeText(options.readyFile, `${url}\n`);
        if (options.run === true) {
          const { runBeside } = await import('./sandbox-run.js');
          return runBeside(command, { url, world, options, callbackUrl }, runtime);
        }
        await announce(url, report);
        report.urgent([`stopped by ${await stopped}`]);
        return 0;
      };
      return await (options.listen === true ? withCallbacks(url, options, runtime, goOn) : goOn());
    } finally {
      forgetListening(note, runtime);
      if (options.readyFile !== undefined) runtime.files.remove(options.readyFile);
      await server.close();
    }
  } finally {
    world.close();
  }
}

interface Settings {
  readonly port: number;
  readonly settleMs: number;
  readonly assume: Assume;
  readonly anyCard: boolean;
  readonly callbackHosts: readonly string[];
}

function readSettings(options: StartOptions): Settings {
  return {
    port: wholeNumber('--port', options.port ?? String(defaultPort), 65_535),
    callbackHosts: options.callbackHost ?? [],
    settleMs: wholeNumber('--settle-ms', options.settleMs ?? '300', 3_600_000),
    assume: readAssume(options.assume ?? []),
    anyCard: options.anyCard === true,
  };
}

async function serve(world: Box, { port, callbackHosts, ...settings }: Settings, runtime: Runtime) {
  const { createSandbox } = await import('../../sandbox/index.js');
  const { listen } = await import('../../sandbox/listen.js');
  const about = { pid: runtime.processes.pid, name: boxName(runtime) };
  try {
    const deliverer = await openCallbacks(world, callbackHosts, settings.assume);
    const { beforeReply } = deliverer;
    const server = await listen((pagesBase) => createSandbox(world, { ...settings, pagesBase }), { port, about, beforeReply });
    deliverer.start();
    return { port: server.port, close: () => server.close().then(() => deliverer.stop()) };
  } catch (error) {
    if (!isPaycliError(error) || error.code !== 'PORT_TAKEN') throw error;
    const known = await holderOf(port, runtime);
    const holder = known === undefined ? ' by another program' : ` by the sandbox ${known.name}, process ${known.pid}`;
    throw fail('PORT_TAKEN', { port, holder }, { cause: error });
  }
}

async function openCallbacks(world: Box, hosts: readonly string[], assume: Assume) {
  const { openDeliverer } = await import('../../sandbox/callbacks/deliver.js');
  const { callbackHost } = await import('../../sandbox/callbacks/address.js');
  const allowed = hosts.map((text) => {
    const host = callbackHost(text);
    if (host !== undefined) return host;
    throw fail('USAGE', { why: '--callback-host takes a host such as app.example or app.example:8080', command: 'sandbox start' });
  });
  return openDeliverer(world.store, { allowed, form: assume['callback-form'] });
}

function announce(url: string, report: Reporter): Promise<void> {
  return report.event({ event: 'ready', url }, `sandbox ready: ${url}\n  merchants and keys: paycli sandbox status   stop: Ctrl-C\n`);
}

async function addMerchant(world: World, options: StartOptions, runtime: Runtime): Promise<void> {
  const { login, endpointId, controlKeyFile, publicKeyFile } = options;
  if ([login, endpointId, controlKeyFile, publicKeyFile].every((value) => value === undefined)) return;
  if (login === undefined || endpointId === undefined || controlKeyFile === undefined)
    throw fail('USAGE', { why: 'a merchant of your own needs --login, --endpoint-id and --control-key-file', command: 'sandbox start' });
  const { secret } = await readSecret({ kind: 'file', path: controlKeyFile, origin: 'flag --control-key-file' }, runtime);
  const publicKeyPem = publicKeyFile === undefined ? undefined : readPublicPem(publicKeyFile, runtime);
  world.addMerchant({
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
  if (value < 0 || value > most) throw fail('USAGE', { why: `${flag} takes a whole number from 0 to ${most}`, command: 'sandbox start' });
  return value;
}
