import { fail, ifKnown } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Declared, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { nameFlag, otherSandboxes, othersText } from '../../core/other-sandboxes.js';
import { Reporter } from '../../core/reporter.js';
import type { CommandGroup, LoadCommand } from '../../group.js';
import {
  findListening,
  type LocalSandbox,
  openLocalSandbox,
  sandboxFolder,
  sandboxName,
  sandboxPath,
} from '../../sandbox-session.js';

/** Opens the sandbox while `use` runs. */
export async function withSandbox<T>(
  flags: CommonOptions,
  runtime: Runtime,
  use: (sandbox: LocalSandbox, report: Reporter) => Promise<T>,
): Promise<T> {
  const report = new Reporter(flags, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    return await use(sandbox, report);
  } finally {
    sandbox.close();
  }
}

/** By what changes something in them; commands that only show what a sandbox has make none. */
const reading: Readonly<Record<string, string>> = { status: '', log: '', pay: '', callbacks: 'script', clock: 'to' };

/** Flags of every command of a sandbox. */
export const sandboxFlags = {
  name: word('<name>', 'each has its own data (default, or PAYCLI_SANDBOX)', { heading: 'Which sandbox:' }),
};

/** The same commands, which say which sandbox they are about where nobody chose one of several. */
export function sayingWhichSandbox(group: CommandGroup): CommandGroup {
  const commands = Object.entries(group.commands).map(([name, load]) => [name, sayingWhich(name, load)]);
  return { ...group, commands: Object.fromEntries(commands) };
}

function sayingWhich(name: string, load: LoadCommand): LoadCommand {
  return async () => {
    const loaded = (await load()) as Declared;
    return { ...loaded, run: (input) => runSayingWhich(name, loaded, input) };
  };
}

async function runSayingWhich(name: string, { run }: Declared, input: Parameters<Declared['run']>[0]): Promise<number> {
  const flags = input.flags as CommonOptions & { readonly name?: string };
  const runtime = withSandboxName(name, flags.name, input.runtime);
  const changing = reading[name];
  const given: Readonly<Record<string, unknown>> = { ...input.args, ...input.flags };
  if (changing !== undefined && given[changing] === undefined) await assertIsThere(runtime);
  const lines = await whichSandbox(runtime);
  const report = new Reporter(flags, undefined, runtime);
  // A program gets nothing beside an error.
  if (!report.isForPrograms) report.urgent(lines);
  const exit = await run({ ...input, runtime });
  if (report.isForPrograms) report.urgent(lines);
  return exit;
}

/**
 * --name sets PAYCLI_SANDBOX, which everything that opens a sandbox reads. Without either, commands are about the only
 * sandbox there is; `start` and `reset` make and remove one, so they take no other.
 */
function withSandboxName(command: string, given: string | undefined, runtime: Runtime): Runtime {
  const isUnnamed = (runtime.env['PAYCLI_SANDBOX'] ?? '') === '';
  const only = isUnnamed && command !== 'start' && command !== 'reset' ? onlySandbox(runtime) : undefined;
  const name = given ?? only;
  return name === undefined ? runtime : { ...runtime, env: { ...runtime.env, PAYCLI_SANDBOX: name } };
}

/** Undefined where there is none, or several. */
function onlySandbox(runtime: Runtime): string | undefined {
  const names = runtime.files.list(sandboxFolder(runtime)).filter((file) => file.endsWith('.db'));
  return names.length === 1 ? names[0]?.slice(0, -'.db'.length) : undefined;
}

/** The built-in one is there from the start, unless the user has others. Throws USAGE. */
async function assertIsThere(runtime: Runtime): Promise<void> {
  const name = sandboxName(runtime);
  if (runtime.files.exists(sandboxPath(runtime))) return;
  if (name === 'default' && otherSandboxes(runtime).length === 0) return;
  throw fail('USAGE', {
    why: `there is no sandbox ${name}: \`paycli sandbox start${nameFlag(runtime)}\` creates it${ifKnown(await othersText(runtime), (others) => `; on this machine: ${others}`)}`,
    name,
  });
}

async function whichSandbox(runtime: Runtime): Promise<readonly string[]> {
  if ((runtime.env['PAYCLI_SANDBOX'] ?? '') !== '' || otherSandboxes(runtime).length === 0) return [];
  if ((await findListening(runtime)) !== undefined) return [];
  return [`this is sandbox ${sandboxName(runtime)}; others on this machine: ${await othersText(runtime)}`];
}

/** The same of its merchants, where nobody chose one: a profile may be about another. */
export async function otherMerchants({ store }: LocalSandbox): Promise<readonly string[]> {
  const { addedLogins } = await import('../../../sandbox/merchants.js');
  const logins = addedLogins(store);
  return logins.length === 0 ? [] : [`other merchants of this sandbox: ${logins.join(', ')}: --login LOGIN`];
}
