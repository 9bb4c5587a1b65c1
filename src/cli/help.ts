import type { Command, Help } from 'commander';
import { wrapParagraph, wrapText } from '../errors/text-width.js';
import { declaredBy } from './command.js';
import { isSharedFlag, sharedHeadings } from './flags.js';
import { columns } from './format/columns.js';
import { groupBy } from './group.js';

/** Names, each with what it means, under one heading. */
interface Section {
  readonly heading: string;
  readonly rows: readonly (readonly [name: string, meaning: string])[];
}

/** The root help lists these commands by name only: they are for setup and inspection. */
const namedOnly = 'Tools:';

/** The help of a command, for the width of the terminal. */
export function formatHelp(command: Command, helper: Help): string {
  const { helpWidth: width = 80 } = helper;
  const sections = command.parent === null ? rootSections(command, helper) : sectionsOf(command, helper);
  const longest = Math.max(0, ...sections.flatMap(({ rows }) => rows.map(([name]) => name.length)));
  const parts = [
    wrapText(`Usage: ${helper.commandUsage(command).replace('[options]', '[flags]')}`, width),
    prose(helper.commandDescription(command), width),
    examplesText(declaredBy(command)?.examples ?? groupBy(command)?.examples ?? [], width),
    ...sections.map(({ heading, rows }) => {
      const padded = rows.map(([name, meaning]) => [`  ${name.padEnd(longest)}`, meaning]);
      return `${heading}\n${columns(padded, width).trimEnd()}`;
    }),
    prose(command.parent === null ? rootEnd(command, helper) : endOf(command), width),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Lines that are indented keep their columns. */
function prose(text: string, width: number): string {
  const lines = text.split('\n').map((line) => (line.startsWith(' ') ? wrapText : wrapParagraph)(line, width));
  return lines.join('\n');
}

function examplesText(examples: readonly string[], width: number): string {
  if (examples.length === 0) return '';
  return `Examples:\n${examples.map((example) => wrapText(`  paycli ${example}`, width)).join('\n')}`;
}

function sectionsOf(command: Command, helper: Help): readonly Section[] {
  const named = helper.visibleArguments(command).map((argument) => ({
    heading: 'Arguments:',
    row: [argument.name(), withChoices(argument.description, argument.argChoices)] as const,
  }));
  const flags = command.options
    .filter((option) => !option.hidden && option.long !== '--help' && !isSharedFlag(option))
    .map((option) => ({
      heading: option.helpGroupHeading ?? 'Flags:',
      row: [option.flags, withChoices(option.description, option.argChoices)] as const,
    }));
  const commands = helper.visibleCommands(command).map((child) => ({
    heading: headingOf(child),
    row: [[child.name(), ...child.aliases()].join('|'), child.summary()] as const,
  }));
  return underHeadings([...named, ...flags, ...commands]);
}

/** One screen: each command on a line with what it does. */
function rootSections(program: Command, helper: Help): readonly Section[] {
  const listed = helper.visibleCommands(program).filter((command) => headingOf(command) !== namedOnly);
  return underHeadings(
    listed.map((command) => {
      const aliases = command.aliases().length === 0 ? '' : ` (${command.aliases().join(', ')})`;
      return { heading: headingOf(command), row: [command.name(), `${command.summary()}${aliases}`] };
    }),
  );
}

function headingOf(command: Command): string {
  return command.helpGroup() || 'Commands:';
}

function underHeadings(
  all: readonly { readonly heading: string; readonly row: Section['rows'][number] }[],
): readonly Section[] {
  return [...new Set(all.map(({ heading }) => heading))].map((heading) => ({
    heading,
    rows: all.filter((each) => each.heading === heading).map(({ row }) => row),
  }));
}

/** Adds the choices unless the description names them already. */
function withChoices(description: string, choices: readonly string[] = []): string {
  return choices.every((choice) => description.includes(choice))
    ? description
    : `${description}; one of ${choices.join(', ')}`;
}

/** Where the flags are described that many commands have. */
function endOf(command: Command): string {
  const headings = new Set(command.options.filter(isSharedFlag).map((option) => option.helpGroupHeading));
  const shared = Object.entries(sharedHeadings).flatMap(([heading, words]) => (headings.has(heading) ? [words] : []));
  return shared.length === 0 ? '' : `Global flags (${shared.join(', ')}): \`paycli help output\``;
}

function rootEnd(program: Command, helper: Help): string {
  const tools = helper.visibleCommands(program).filter((command) => headingOf(command) === namedOnly);
  return `Tools (\`paycli help WORD\` describes each):
${tools.map((command) => command.name()).join(', ')}

Topics (\`paycli help TOPIC\`): runbooks, money-safety, profiles, output, batches, callbacks, 3ds, signing, sandbox, certify, assumptions, glossary, development`;
}
