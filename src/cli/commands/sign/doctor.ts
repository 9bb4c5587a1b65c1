import { createPublicKey } from 'node:crypto';
import { exits, fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Sandbox } from '../../../sandbox/index.js';
import { defineCommand, list, on, type Values } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags, portFlag } from '../../flags.js';
import { assertNotListening, openLocalSandbox, sandboxPath } from '../../sandbox-session.js';
import { runCommandWithSandbox } from '../sandbox/run-command.js';
import { readAssume, type ServeSettings, serveSandbox } from '../sandbox/serve.js';
import { doctorPrivateKey } from './doctor-key.js';
import type { ClientRun, ReceivedByDoctor } from './doctor-report.js';

const flags = {
  port: portFlag('port of the sandbox, for a client with a fixed address; 0 for any free one (0)'),
  assume: list('<switch=value>', 'set an assumption of the sandbox; repeatable'),
  anyCard: on('accept any card number, not only published test numbers'),
  compatible: on('accept what existing programs send against the description, as `sandbox start --compatible` does'),
  ...outputFlags,
};

type DoctorOptions = CommonOptions & Values<typeof flags>;

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

What the client prints goes to standard error, the table to standard output. The sandbox starts empty; \`PAYCLI_SANDBOX=doctor paycli sandbox log\` shows what is in it until the next run.`,
  usage: '[flags] -- command',
  args: { command: { text: 'your client with its arguments, after --', isList: true } },
  flags,
  effect: 'local',
  note:
    '0: every request was correctly signed and well-formed, whatever the outcome of its payment; 11: at least one was not; ' +
    '6: the client sent nothing. The exit code of the client is shown.',
  result: ['sign-doctor'],
  async run({ args: { command: client }, flags: options, runtime: outside }) {
    if (client.length === 0)
      throw fail('USAGE', { why: 'write `sign doctor -- COMMAND` with the command of your client after --' });
    const runtime = doctorRuntime(outside);
    const report = new Reporter(options, undefined, runtime);
    const seen: ReceivedByDoctor[] = [];
    const settings = readSettings(options, seen, runtime);
    await assertNotListening(runtime);
    for (const end of ['', '-wal', '-shm']) runtime.files.remove(sandboxPath(runtime) + end);
    const sandbox = await openLocalSandbox(runtime, 'sign doctor');
    try {
      let stoppedBy: ClientRun['stoppedBy'];
      const run = await serveSandbox(sandbox, settings, runtime, async ({ url, stopped }) => {
        void stopped.then((signal) => {
          stoppedBy = signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM';
        });
        const clientExit = await runCommandWithSandbox(client, { url, sandbox }, runtime, 'err');
        return { url, clientExit };
      });
      const { diagnoseRequests, reportRun } = await import('./doctor-report.js');
      const requests = await diagnoseRequests(seen, sandbox.store, settings);
      await reportRun(requests, { ...run, stoppedBy }, report);
      if (requests.length > 0) return requests.every(({ ok }) => ok) ? exits.ok : exits.checkFailed;
      if (stoppedBy === undefined) return exits.notSent;
      return stoppedBy === 'SIGINT' ? exits.interrupted : exits.terminated;
    } finally {
      sandbox.close();
    }
  },
});

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
    port: options.port ?? 0,
    settleMs: 300,
    assume: readAssume(options.assume),
    anyCard: options.anyCard === true,
    isCompatible: options.compatible === true,
    around: (sandbox): Sandbox => ({
      ...sandbox,
      handle(request) {
        const reply = sandbox.handle(request);
        seen.push({ at: clock.now(), request, reply });
        return reply;
      },
    }),
    onRejected: (rejected) => void seen.push({ rejected }),
  };
}
