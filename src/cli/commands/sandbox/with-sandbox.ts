import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Declared, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import type { CommandGroup, LoadCommand } from '../../group.js';
import { type LocalSandbox, openLocalSandbox, sandboxFolder, sandboxName, sandboxPath } from '../../sandbox-session.js';

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

/** The same commands, each about the sandbox that --name says. */
export function withSandboxNames(group: CommandGroup): CommandGroup {
  const commands = Object.entries(group.commands).map(([name, load]) => [name, named(name, load)]);
  return { ...group, commands: Object.fromEntries(commands) };
}

function named(command: string, load: LoadCommand): LoadCommand {
  return async () => {
    const loaded = (await load()) as Declared;
    const run: Declared['run'] = (input) => {
      const { name } = input.flags as { readonly name?: string };
      const runtime = withSandboxName(command, name, input.runtime);
      const changing = reading[command];
      const given: Readonly<Record<string, unknown>> = { ...input.args, ...input.flags };
      if (changing !== undefined && given[changing] === undefined) assertIsThere(runtime);
      return loaded.run({ ...input, runtime });
    };
    return { ...loaded, run };
  };
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

/** The built-in one is there from the start. Throws USAGE. */
function assertIsThere(runtime: Runtime): void {
  const name = sandboxName(runtime);
  if (name === 'default' || runtime.files.exists(sandboxPath(runtime))) return;
  throw fail('USAGE', {
    why: `there is no sandbox ${name}: \`paycli sandbox start${nameFlag(runtime)}\` creates it`,
    name,
  });
}

/** The flag that a suggested command needs to be about the same sandbox; empty for the default one. */
export function nameFlag(runtime: Runtime): string {
  const name = sandboxName(runtime);
  return name === 'default' ? '' : ` --name ${name}`;
}

/** The merchants of a sandbox beside its own, where nobody chose one: a profile may be about another. */
export async function otherMerchants({ store }: LocalSandbox): Promise<readonly string[]> {
  const { addedLogins } = await import('../../../sandbox/merchants.js');
  const logins = addedLogins(store);
  return logins.length === 0 ? [] : [`other merchants of this sandbox: ${logins.join(', ')}: --login LOGIN`];
}
