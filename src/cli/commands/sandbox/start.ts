import { readSecret } from '../../../config/index.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { SandboxState } from '../../../sandbox/index.js';
import { readPublicKey } from '../../../signing/index.js';
import { type Assume, assumeDefaults, assumptionNamed, mayBe } from '../../../spec/index.js';
import { parseEndpointId } from '../../../wire/address.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import {
  assertNotListening,
  defaultPort,
  type LocalSandbox,
  openLocalSandbox,
  removeListening,
  sandboxAtPort,
  sandboxName,
  writeListening,
} from '../../core/local-sandbox.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { checkListenFlags, withCallbackListener } from './callback-listener.js';
import { runCommandWithSandbox } from './run-command.js';

interface StartOptions extends Omit<CommonOptions, 'endpointId'> {
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

const command = 'sandbox start';

export const sandboxStart = defineCommand<StartOptions>({
  name: command,
  summary: 'Serve the sandbox over HTTP on this machine until Ctrl-C',
  usage: '[flags] [--run -- command]',
  args: [['[command...]', 'with --run: what to run while the sandbox listens']],
  options: [
    ['--run', 'run the command after --, then stop and return its exit code'],
    ['--port <number>', 'port; 0 for any free one (8484)'],
    ['--login <login>', 'add a merchant with this login'],
    ['--endpoint-id <id>', 'the endpoint of that merchant'],
    ['--control-key-file <file>', 'the control key of that merchant'],
    ['--public-key-file <file>', 'the RSA public key of that merchant (PEM)'],
    ['--assume <switch=value>', 'set an assumption of the sandbox; repeatable', { repeated: true }],
    ['--settle-ms <number>', 'milliseconds until a transaction is final (300)'],
    ['--any-card', 'accept any card number, not only published test numbers'],
    [
      '--callback-host <host>',
      'another host that may receive callbacks, with or without port; repeatable',
      { repeated: true },
    ],
    [
      '--listen',
      'receive callbacks as well, as `callback listen` does; the address is printed, and set as PAYCLI_CALLBACK_URL',
    ],
    ['--forward <url>', 'with --listen: forward each callback to this handler'],
    [
      '--route <rule>',
      'with --listen: forward callbacks with this value in a field elsewhere; repeatable',
      { repeated: true },
    ],
    ['--seed <text>', 'seed for reproducible ids across runs that start from the same data'],
    ['--ready-file <file>', 'write the address there once the sandbox listens'],
  ],
  effect: 'none',
  network: false,
  exits: profileExits,
  note: 'With --run it ends with the exit code of the command after --.',
  prints: ['sandbox-event'],
  run: ({ words, options, runtime }) => runSandboxStart(words, options, runtime),
});

/** Serves the sandbox until SIGINT or SIGTERM, or while a command runs. */
async function runSandboxStart(toRun: readonly string[], options: StartOptions, runtime: Runtime): Promise<number> {
  if ((options.run === true) !== toRun.length > 0) throw fail('runWithoutCommand', { command });
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
          return runCommandWithSandbox(toRun, { url, sandbox, options, callbackUrl }, runtime);
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
    const holder = known === undefined ? 'another program' : `the sandbox ${known.name}, process ${known.pid}`;
    throw fail('PORT_TAKEN', { port, holder }, { cause: error });
  }
}

async function openCallbacks(sandbox: LocalSandbox, hosts: readonly string[], assume: Assume) {
  const { openDeliverer } = await import('../../../sandbox/callbacks/delivery.js');
  const { callbackHost } = await import('../../../sandbox/callbacks/send.js');
  const allowed = hosts.map((text) => {
    const host = callbackHost(text);
    if (host !== undefined) return host;
    throw fail('callbackHostInvalid', { command });
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
    throw fail('merchantIncomplete', { command });
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
    throw fail('noRsaPublicKey', { source: path }, { cause });
  }
}

function readAssume(settings: readonly string[]): Assume {
  const set: Record<string, string> = {};
  for (const setting of settings) {
    const [name = '', ...rest] = setting.split('=');
    const value = rest.join('=');
    const assumption = assumptionNamed(name);
    if (assumption === undefined || !mayBe(assumption, value))
      throw fail('noSuchSwitch', { setting: setting.slice(0, 60), command });
    set[assumption.switch] = value;
  }
  return { ...assumeDefaults, ...set };
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  if (value < 0 || value > most) throw fail('noWholeNumber', { flag, most, command });
  return value;
}
