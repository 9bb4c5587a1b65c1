import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { exits, fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Sandbox } from '../../../sandbox/index.js';
import { defineCommand, type FlagsFor, list, on, word } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import {
  assertNotListening,
  type LocalSandbox,
  openLocalSandbox,
  sandboxFolder,
  sandboxName,
  sandboxPath,
} from '../../sandbox-session.js';
import { runCommandWithSandbox, withConnection } from '../sandbox/run-command.js';
import {
  addMerchant,
  type MerchantOptions,
  merchantFlags,
  readAssume,
  type ServeSettings,
  serveSandbox,
  wholeNumber,
} from '../sandbox/serve.js';
import type { ClientRun, ReceivedByDoctor } from './doctor-diagnosis.js';
import { doctorPrivateKey } from './doctor-key.js';

interface DoctorOptions extends MerchantOptions {
  readonly port?: string;
  readonly serve?: boolean;
  readonly assume?: readonly string[];
  readonly anyCard?: boolean;
}

const command = 'sign doctor';

export const signDoctor = defineCommand({
  summary: 'Run your client against its own sandbox, and report what is wrong with each request it sends',
  help: `The client gets its settings from the environment:
  PAYCLI_BASE_URL          the address, which operation paths follow
  PAYCLI_LOGIN             merchant login, also oauth_consumer_key
  PAYCLI_ENDPOINT_ID       endpoint id, the end of each path
  PAYCLI_CONTROL_KEY_FILE  file with the control key
  PAYCLI_PRIVATE_KEY_FILE  file with the private RSA key (PEM)

These keys are the same in every run and on every machine, and are not secret. A client that takes the address as an argument:

  paycli sign doctor -- sh -c 'php pay.php --url "$PAYCLI_BASE_URL"'

What the client prints goes to standard error, the table to standard output. The sandbox starts empty; \`paycli sandbox log --name doctor\` shows what is in it until the next run.`,
  usage: '[flags] -- command',
  args: { command: { text: 'your client with its arguments, after --', isList: true } },
  flags: {
    port: word('<number>', 'port of the sandbox, for a client with a fixed address; 0 for any free one (0)'),
    serve: on('instead of a command: wait for requests until Ctrl-C'),
    ...merchantFlags,
    assume: list('<switch=value>', 'set an assumption of the sandbox; repeatable'),
    anyCard: on('accept any card number, not only published test numbers'),
    ...outputFlags,
  } satisfies FlagsFor<DoctorOptions>,
  effect: 'local',
  note:
    '0: every request was correctly signed and well-formed, whatever the outcome of its payment; 11: at least one was not; ' +
    '6: the client sent nothing. The exit code of the client is shown.',
  result: ['sign-doctor'],
  run: ({ args: { command: words }, flags, runtime }) => runSignDoctor(words, flags as DoctorOptions, runtime),
});

async function runSignDoctor(client: readonly string[], options: DoctorOptions, outside: Runtime): Promise<number> {
  if ((options.serve === true) === client.length > 0)
    throw fail('USAGE', {
      why: 'write `sign doctor -- COMMAND` with the command of your client after --, or `sign doctor --serve`',
      command,
    });
  const runtime = doctorRuntime(outside);
  const report = new Reporter(options, undefined, runtime);
  const seen: ReceivedByDoctor[] = [];
  const settings = readSettings(options, seen, runtime);
  await assertNotListening(runtime);
  forgetEarlierRun(runtime);
  const sandbox = await openLocalSandbox(runtime, 'sign doctor');
  try {
    await addMerchant(sandbox, options, command, runtime);
    const run = await serveSandbox(sandbox, settings, runtime, ({ url, stopped }) =>
      options.serve === true
        ? waitForRequests({ url, sandbox, options }, stopped, report, runtime)
        : runClient(client, { url, sandbox, options }, runtime),
    );
    const { diagnoseRun } = await import('./doctor-diagnosis.js');
    const { reportRun } = await import('./doctor-report.js');
    const diagnosed = await diagnoseRun(
      seen,
      run,
      { sandbox, settings, options, folder: requestFolder(runtime) },
      runtime,
    );
    await reportRun(diagnosed, report);
    return exitOf(diagnosed.requests.length, diagnosed.ok, run);
  } finally {
    sandbox.close();
  }
}

/** A sandbox that nobody else has, with the same keys wherever it is made. */
function doctorRuntime(outside: Runtime): Runtime {
  const own = outside.env['PAYCLI_SANDBOX'] ?? '';
  const name = own === '' ? 'doctor' : `${own.slice(0, 33)}-doctor`;
  const rsaPem = () => ({
    privateKey: doctorPrivateKey,
    publicKey: String(createPublicKey(doctorPrivateKey).export({ type: 'spki', format: 'pem' })),
  });
  return {
    ...outside,
    env: { ...outside.env, PAYCLI_SANDBOX: name },
    random: { ...outside.random, rsaPem },
  };
}

function readSettings(options: DoctorOptions, seen: ReceivedByDoctor[], { clock }: Runtime): ServeSettings {
  return {
    port: wholeNumber('--port', options.port ?? '0', 65_535, command),
    settleMs: 300,
    assume: readAssume(options.assume ?? [], command),
    anyCard: options.anyCard === true,
    around: (sandbox) => watched(sandbox, (request, reply) => void seen.push({ at: clock.now(), request, reply })),
    onRejected: (rejected) => void seen.push({ at: clock.now(), rejected }),
  };
}

type Answered = Extract<ReceivedByDoctor, { readonly request: unknown }>;

function watched(sandbox: Sandbox, tell: (request: Answered['request'], reply: Answered['reply']) => void): Sandbox {
  return {
    ...sandbox,
    handle(request) {
      const reply = sandbox.handle(request);
      tell(request, reply);
      return reply;
    },
  };
}

function requestFolder(runtime: Runtime): string {
  return join(sandboxFolder(runtime), `${sandboxName(runtime)}.requests`);
}

function forgetEarlierRun(runtime: Runtime): void {
  for (const end of ['', '-wal', '-shm']) runtime.files.remove(sandboxPath(runtime) + end);
  const folder = requestFolder(runtime);
  for (const name of runtime.files.list(folder)) runtime.files.remove(join(folder, name));
}

interface Served {
  readonly url: string;
  readonly sandbox: LocalSandbox;
  readonly options: DoctorOptions;
}

async function runClient(client: readonly string[], served: Served, runtime: Runtime): Promise<ClientRun> {
  let stoppedBy: ClientRun['stoppedBy'];
  const unlisten = runtime.processes.onStop((signal) => {
    stoppedBy = signal;
  });
  try {
    const exit = await runCommandWithSandbox(client, served, runtime, 'err');
    return { url: served.url, clientExit: exit, stoppedBy };
  } finally {
    unlisten();
  }
}

/** Until Ctrl-C, which here is no interruption but how it ends. */
function waitForRequests(
  served: Served,
  stopped: Promise<string>,
  report: Reporter,
  runtime: Runtime,
): Promise<ClientRun> {
  return withConnection(served, runtime, async (env) => {
    report.urgent([
      `waiting for requests at ${served.url}; Ctrl-C ends it and shows the result`,
      ...Object.entries(env).flatMap(([name, value]) => (name === 'PAYCLI_SANDBOX' ? [] : [`  ${name}=${value}`])),
    ]);
    await stopped;
    return { url: served.url };
  });
}

function exitOf(requests: number, isRight: boolean, { stoppedBy }: ClientRun): number {
  if (requests > 0) return isRight ? exits.ok : exits.checkFailed;
  if (stoppedBy === undefined) return exits.notSent;
  return stoppedBy === 'SIGINT' ? exits.interrupted : exits.terminated;
}
