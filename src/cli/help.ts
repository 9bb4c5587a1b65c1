import type { Command, Help } from 'commander';
import { widthOf, wrapText } from '../errors/text-width.js';
import { declaredBy } from './command.js';
import { isSharedFlag, sharedHeadings } from './flags.js';
import { groupBy, wholeOf } from './group.js';

/** The root help lists these commands by name only: they are for setup and inspection. */
const namedOnly = 'Tools:';

/** How commander writes the help of a command. */
export const helpLayout: Partial<Help> = {
  showGlobalOptions: false,
  displayWidth: widthOf,
  styleUsage: (text) => text.replace('[options]', '[flags]'),
  visibleOptions: ({ options }) => options.filter((option) => !option.hidden && !isSharedFlag(option)),
  visibleCommands: (command) =>
    command.commands.filter((child) => command.parent !== null || child.helpGroup() !== namedOnly),
  subcommandTerm: (command) => [command.name(), ...command.aliases()].join('|'),
  argumentDescription: ({ description, argChoices }) => withChoices(description, argChoices),
  optionDescription: ({ description, argChoices }) => withChoices(description, argChoices),
};

/** Adds the choices unless the description names them already. */
function withChoices(description: string, choices: readonly string[] = []): string {
  return choices.every((choice) => description.includes(choice))
    ? description
    : `${description}; one of ${choices.join(', ')}`;
}

/** What follows the help of a command: examples, and where the flags are described that many commands have. */
export function endOfHelp(command: Command, width: number): string {
  if (command.parent === null) return wrapText(endOfRoot(command), width);
  const meant = wholeOf(command);
  const examples = declaredBy(meant)?.examples ?? groupBy(meant)?.examples ?? [];
  const headings = new Set(meant.options.filter(isSharedFlag).map((option) => option.helpGroupHeading));
  const shared = Object.entries(sharedHeadings).flatMap(([heading, words]) => (headings.has(heading) ? [words] : []));
  const parts = [
    ...(examples.length === 0 ? [] : [`Examples:\n${examples.map((line) => `  paycli ${line}`).join('\n')}`]),
    ...(shared.length === 0 ? [] : [`Global flags (${shared.join(', ')}): \`paycli help output\``]),
  ];
  return wrapText(parts.map((part) => `\n${part}`).join('\n'), width);
}

function endOfRoot({ commands }: Command): string {
  const tools = commands.filter((command) => command.helpGroup() === namedOnly).map((command) => command.name());
  return `
Tools (\`paycli help WORD\` describes each):
${tools.join(', ')}

Topics (\`paycli help TOPIC\`): runbooks, money-safety, profiles, output, batches, callbacks, 3ds, signing, sandbox, certify, assumptions, glossary, development`;
}
