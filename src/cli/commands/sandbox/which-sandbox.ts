import { fail, ifKnown } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { CommandDeclaration, CommandGroup, LoadCommand } from '../../core/define-command.js';
import { nameFlag, otherSandboxes, othersText } from '../../core/other-sandboxes.js';
import { Reporter } from '../../core/reporter.js';
import { findListening, type LocalSandbox, sandboxName, sandboxPath } from '../../sandbox-session.js';

/** They show what a sandbox has, so they make none. */
const reading: readonly string[] = [
  'sandbox status',
  'sandbox audit',
  'sandbox log',
  'sandbox callbacks list',
  'sandbox clock show',
];

/** The same group, whose commands say which sandbox they are about where nobody chose one of several. */
export function sayingWhichSandbox(group: CommandGroup): CommandGroup {
  const commands = Object.entries(group.commands).map(([word, load]) => [word, sayingWhich(load)] as const);
  return { ...group, commands: Object.fromEntries(commands) };
}

function sayingWhich(load: LoadCommand): LoadCommand {
  return async () => {
    const loaded = await load();
    if ('isDeclared' in loaded) return loaded;
    return 'run' in loaded
      ? { ...loaded, run: (input: Parameters<CommandDeclaration['run']>[0]) => runSayingWhich(loaded, input) }
      : sayingWhichSandbox(loaded);
  };
}

async function runSayingWhich(
  { name, run }: CommandDeclaration,
  input: Parameters<CommandDeclaration['run']>[0],
): Promise<number> {
  const { options, runtime } = input;
  if (runtime.printed !== undefined) runtime.printed.place = { sandbox: nameFlag(runtime) };
  if (reading.includes(name)) await assertIsThere(runtime);
  const lines = await whichSandbox(runtime);
  const report = new Reporter(options satisfies CommonOptions, undefined, runtime);
  // A program gets nothing beside an error.
  if (!report.isForPrograms) report.urgent(lines);
  const exit = await run(input);
  if (report.isForPrograms) report.urgent(lines);
  return exit;
}

/** The built-in one is there from the start, unless the user has others. Throws USAGE. */
async function assertIsThere(runtime: Runtime): Promise<void> {
  const name = sandboxName(runtime);
  if (runtime.files.exists(sandboxPath(runtime))) return;
  if (name === 'default' && otherSandboxes(runtime).length === 0) return;
  throw fail('USAGE', {
    why: `there is no sandbox ${name}: \`paycli sandbox start\` creates it${ifKnown(await othersText(runtime), (others) => `; on this machine: ${others}`)}`,
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
