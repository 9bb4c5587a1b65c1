import { isPaycliError } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { type CommandLine, readCommandLine } from './argv.js';
import type { Finish } from './context.js';
import { report } from './fault.js';
import { refuseKeys } from './key-flags.js';

/** Runs one command line and gives the exit code of the process. The only catch of the program. */
export async function runLine(given: readonly string[], outside: Runtime): Promise<number> {
  const runtime = withSandboxName(given, outside);
  const line = readCommandLine(helpAsFlag(given));
  try {
    refuseKeys(given);
    if (line.outputFile === undefined) return await runParsed(given, line, runtime);
    const { intoFile } = await import('./output-file.js');
    const into = { path: line.outputFile, mayHaveSent: () => mayHaveSent(line.argv, runtime) };
    return await intoFile(into, runtime, (inside) => runParsed(given, line, inside));
  } catch (thrown) {
    const error = isPaycliError(thrown) ? thrown : await translated(thrown, line, runtime);
    // Help is no error; nothing at all, thrown by a library, is one.
    return error === undefined && thrown !== undefined ? 0 : report(error, line.argv, runtime);
  }
}

async function runParsed(given: readonly string[], line: CommandLine, runtime: Runtime): Promise<number> {
  if (await answeredByHelp(given, runtime)) return 0;
  const { argv } = line;
  const finish: Finish = { exit: 0 };
  const { buildProgram, runCommand } = await import('./program.js');
  const program = await buildProgram({ runtime, commandLine: line, finish });
  if (argv[0] === '__root-help') {
    program.outputHelp();
    return 0;
  }
  if (argv[0] === '__man') return (await import('./docs/man/pages.js')).writePages(argv[1] ?? '', runtime);
  if (argv[0] === '__help-sheets') return (await import('./docs/write-help-sheets.js')).writeHelpSheets(argv[1] ?? '', runtime);
  if (argv[0] === '__generate') return (await import('./docs/generate.js')).generate(argv.includes('--check'), runtime);
  if (given[0] === 'help' && argv[0] === '--help') {
    program.outputHelp();
    runtime.terminal.out((await import('./docs/topics.js')).topicList());
    return 0;
  }
  await runCommand(program, argv, given[0] === 'help' ? (await import('./docs/topics.js')).topicNames : []);
  return finish.exit;
}

async function translated(thrown: unknown, line: CommandLine, runtime: Runtime): Promise<unknown> {
  const program = await import('./program.js').catch(() => undefined);
  return program === undefined ? thrown : program.translateCommanderError(thrown, line, runtime);
}

async function mayHaveSent(argv: readonly string[], runtime: Runtime): Promise<boolean> {
  const [{ commandOf }, { factsOf }, { operationNamed }] = await Promise.all([
    import('./crash.js'),
    import('./command-facts.js'),
    import('../spec/index.js'),
  ]);
  const command = await commandOf(argv, runtime);
  const effect = factsOf(command, operationNamed(command), false)?.effect;
  return effect === 'money' || effect === 'write';
}

/** `help sale` is `sale --help`. */
function helpAsFlag(argv: readonly string[]): readonly string[] {
  if (argv[0] !== 'help') return argv;
  return [...argv.slice(1).filter((arg) => !arg.startsWith('-')), '--help'];
}

async function answeredByHelp(argv: readonly string[], runtime: Runtime): Promise<boolean> {
  if (argv[0] !== 'help' || argv[1] === undefined) return false;
  const { helpTopic } = await import('./docs/topics.js');
  const text = helpTopic(argv[1]);
  if (text !== undefined) runtime.terminal.out(text);
  return text !== undefined;
}

/** The flag --name of the sandbox commands stands for PAYCLI_SANDBOX, which every part that opens a sandbox goes by. */
function withSandboxName(argv: readonly string[], runtime: Runtime): Runtime {
  const own = argv[0] === 'sandbox' ? argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined) : [];
  const at = own.findLastIndex((arg) => arg === '--name' || arg.startsWith('--name='));
  const name = own[at]?.startsWith('--name=') === true ? own[at].slice('--name='.length) : own[at + 1];
  return at === -1 || name === undefined ? runtime : { ...runtime, env: { ...runtime.env, PAYCLI_SANDBOX: name } };
}
