import { type Command, Help } from 'commander';
import { declaredBy } from '../command.js';
import { isSharedFlag, sharedHeadings } from '../flags.js';
import { withExamples } from './examples.js';
import { type HelpText, layOut, layOutRoot } from './help-layout.js';

/** The help of a command, then notes on where the rest is explained. */
export function formatHelp(command: Command, helper: Help): string {
  const width = widthOf(helper);
  return command.parent === null ? layOutRoot(rootHelp(command, helper), width) : layOut(helpText(command), width);
}

/** Wide enough for every line. */
const endless = 100_000;

function helpText(command: Command): HelpText {
  const helper = command.createHelp();
  helper.prepareContext({ helpWidth: endless, outputHasColors: false });
  const text = Help.prototype.formatHelp.call(helper, command, helper);
  const [usage = ''] = text.split('\n', 1);
  const described = helper.commandDescription(command);
  const items = text.slice(`${usage}\n\n`.length + (described === '' ? 0 : `${described}\n\n`.length));
  const about = withExamples(described, declaredBy(command)?.examples ?? []);
  const notes = closingNotes(command, helper);
  return { usage, about, items, column: helper.padWidth(command, helper) + 4, notes };
}

/** Explains the assumption ids in a help text, and where the shared flags are described. */
function closingNotes(command: Command, helper: Help): string {
  const shown = [
    helper.commandDescription(command),
    ...helper.visibleArguments(command).map(({ description }) => description),
    ...helper.visibleOptions(command).map(({ description }) => description),
  ].join('\n');
  const named = [...shown.matchAll(/\[(A\d\d(?:, A\d\d)*)\]/g)].flatMap(([, ids = '']) => ids.split(', '));
  const ids = [...new Set(named)].sort();
  const assumed =
    ids.length === 0 ? [] : [`[${ids.join(', ')}]: assumed, not documented; \`paycli assumptions ${ids[0]}\``];
  const groups = new Set(command.options.filter(isSharedFlag).map((option) => option.helpGroupHeading));
  const shared = Object.entries(sharedHeadings).flatMap(([heading, words]) => (groups.has(heading) ? [words] : []));
  const global = shared.length === 0 ? [] : [`Global flags (${shared.join(', ')}): \`paycli help output\``];
  return [...assumed, ...global].join('\n');
}

/** The root help lists these commands by name only: they are for setup and inspection. */
const namedOnly = 'Tools:';

/** One screen: each command on a line with what it does, tools by their names. */
function rootHelp(program: Command, helper: Help): string {
  // Laid out for the terminal afterwards.
  const width = Math.max(80, widthOf(helper));
  const commands = helper.visibleCommands(program);
  const listed = commands.filter((command) => command.helpGroup() !== namedOnly);
  const tools = commands.filter((command) => command.helpGroup() === namedOnly).map((command) => command.name());
  const termWidth = Math.max(...listed.map((command) => command.name().length));
  const groups = [...new Set(listed.map((command) => command.helpGroup()))].map((heading) =>
    [
      heading,
      ...listed
        .filter((command) => command.helpGroup() === heading)
        .map((command) => helper.formatItem(command.name(), termWidth, rootSummary(command, helper), helper)),
    ].join('\n'),
  );
  const names = helper.boxWrap(tools.join(', '), width - 2).replaceAll(/^/gm, '  ');
  return `${[
    `Usage: ${helper.commandUsage(program)}`,
    helper.boxWrap(helper.commandDescription(program), width),
    ...groups,
    `Tools (\`paycli help WORD\` describes each):\n${names}`,
  ].join('\n\n')}\n`;
}

function rootSummary(command: Command, helper: Help): string {
  const aliases = command.aliases();
  return helper.subcommandDescription(command) + (aliases.length === 0 ? '' : ` (${aliases.join(', ')})`);
}

function widthOf({ helpWidth = 80 }: Help): number {
  return helpWidth;
}
