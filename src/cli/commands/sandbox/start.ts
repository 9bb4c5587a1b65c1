import { fail } from '../../../errors/index.js';
import { defineCommand, list, on, parsed, word } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags, portFlag, wholeUpTo } from '../../flags.js';
import { assertNotListening, defaultPort, openLocalSandbox } from '../../sandbox-session.js';
import { runCommandWithSandbox } from './run-command.js';
import { readAssume, serveSandbox } from './serve.js';

export const sandboxStart = defineCommand({
  summary: 'Serve the sandbox over HTTP on this machine until Ctrl-C',
  usage: '[flags] [--run -- command]',
  args: { command: { text: 'with --run: what to run while the sandbox is listening', isList: true } },
  flags: {
    open: on('show the page of its orders in your browser'),
    run: on('run the command after --, then stop and return its exit code'),
    port: portFlag('port; 0 for any free one (8484)'),
    assume: list('<switch=value>', 'set an assumption of the sandbox; repeatable'),
    settleMs: parsed('<number>', 'milliseconds until a transaction is final (300)', wholeUpTo(3_600_000)),
    anyCard: on('accept any card number, not only published test numbers'),
    compatible: on('accept what existing programs send against the description; `log --findings` reports each'),
    readyFile: word('<file>', 'write the address there once the sandbox is listening'),
    ...outputFlags,
  },
  examples: ['sandbox start --port 8484'],
  effect: 'local',
  note: 'With --run it ends with the exit code of the command after --.',
  result: ['sandbox-event'],
  async run({ args: { command: toRun }, flags, runtime }) {
    const { readyFile } = flags;
    if ((flags.run === true) !== toRun.length > 0)
      throw fail('USAGE', { why: 'write `sandbox start --run -- COMMAND`, with the command after --' });
    const report = new Reporter(flags, undefined, runtime);
    const settings = {
      port: flags.port ?? defaultPort,
      settleMs: flags.settleMs ?? 300,
      assume: readAssume(flags.assume),
      anyCard: flags.anyCard === true,
      isCompatible: flags.compatible === true,
    };
    await assertNotListening(runtime);
    // A script that waits for this file must not read the address of an earlier run.
    if (readyFile !== undefined) runtime.files.remove(readyFile);
    const sandbox = await openLocalSandbox(runtime);
    try {
      return await serveSandbox(sandbox, settings, runtime, async ({ url, stopped }) => {
        if (readyFile !== undefined) runtime.files.writeText(readyFile, `${url}\n`);
        if (flags.run === true) {
          const exit = await runCommandWithSandbox(toRun, { url, sandbox }, runtime);
          if (runtime.printed !== undefined) runtime.printed.isOfProgram = true;
          return exit;
        }
        // The page of the orders, which people look at.
        const page = new URL('/', url).href;
        const hints = '  merchants and keys: paycli sandbox status   stop: Ctrl-C';
        await report.event({ event: 'ready', url, page }, `orders: ${page}\nsandbox ready: ${url}\n${hints}\n`);
        if (flags.open === true && !(await runtime.processes.browse(page)))
          report.warn(['no browser could be started; open the address above yourself']);
        report.notes([`stopped by ${await stopped}`]);
        return 0;
      });
    } finally {
      if (readyFile !== undefined) runtime.files.remove(readyFile);
      sandbox.close();
    }
  },
});
