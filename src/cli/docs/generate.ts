import { join } from 'node:path';
import { exitCodes, fail } from '../../errors/index.js';
import { wrapParagraph } from '../../errors/text-width.js';
import { states } from '../../journal/states.js';
import type { Runtime } from '../../runtime/ports.js';
import { allOperations, assumptions, statuses } from '../../spec/index.js';
import { type Flags, longName } from '../command.js';
import { connectionFlags, fieldSourceFlags, outputFlags, timeoutFlag } from '../flags.js';
import { environment, foreignEnvironment } from './environment.js';
import { topicBrief, topicNames } from './topics.js';

/** The generated Markdown of README and help topics, by the name in the marker, from the tables the program runs on. */
const generatedParts: Readonly<Record<string, () => string>> = {
  operations: () =>
    table(
      ['command', 'what it does'],
      allOperations.map((row) => [`\`${row.command}\``, row.brief]),
    ),
  topics: () => topicNames.map((name) => `- [${name}](src/cli/docs/topics/${name}.md): ${topicBrief(name)}\n`).join(''),
  'exit-codes': () =>
    table(
      ['exit', 'meaning', 'sent?', 'safe to retry unchanged?'],
      exitCodes.map((row) => [String(row.code), row.meaning, row.sent, row.repeat]),
    ),
  'flags-of-fields': () => terms(flagTerms(fieldSourceFlags)),
  'flags-of-connection': () => terms(flagTerms({ ...connectionFlags, timeout: timeoutFlag })),
  'flags-of-output': () => terms(flagTerms(outputFlags)),
  environment: () => terms(environment),
  'environment-of-others': () => terms(foreignEnvironment),
  assumptions: () =>
    table(
      ['id', 'switch', 'default', 'or'],
      assumptions.map((row) => [
        row.id,
        row.switch,
        row.default,
        row.others.join(' | ').replace(longSwitchValue, '<CUR=n,…>'),
      ]),
    ),
  states: () => terms(Object.entries(states)),
  statuses: () =>
    table(
      ['status', 'final', 'success', 'meaning'],
      Object.entries(statuses).map(([word, { final, success, meaning }]) => [
        word,
        yesNo(final),
        final ? yesNo(success) : '',
        meaning,
      ]),
    ),
};

/** Markdown with generated parts. */
const markdownFiles = ['README.md', ...topicNames.map((name) => `src/cli/docs/topics/${name}.md`)];

/** Updates the generated parts of the working folder, or with `check` reports whether they are up to date. */
export async function generate(check: boolean, { files, terminal }: Runtime): Promise<number> {
  const pathOf = (name: string) => join(files.folders.working, name);
  const fresh = markdownFiles.map((name) => [name, regenerate(files.readText(pathOf(name)))] as const);
  const stale = fresh.filter(([name, text]) => files.readText(pathOf(name)) !== text);
  if (check)
    for (const [name] of stale) terminal.err(`${name} is not up to date; run \`node bin/paycli.js __generate\`\n`);
  else for (const [name, text] of stale) files.writeText(pathOf(name), text, 0o644);
  return check && stale.length > 0 ? 11 : 0;
}

/** Text with every `<!-- generated NAME -->` part updated. Throws USAGE for an unknown name. */
function regenerate(text: string): string {
  return text.replace(/<!-- generated (\S+) -->\n[\s\S]*?<!-- end -->/g, (_, name: string) => {
    const part = generatedParts[name];
    if (part === undefined) throw fail('USAGE', { why: `unknown generated section ${name}`, name, command: '' });
    return `<!-- generated ${name} -->\n${part()}<!-- end -->`;
  });
}

/** Too long for a table on a terminal. */
const longSwitchValue = '<CUR=n or endpoint/CUR=n, separated by commas>';

function yesNo(is: boolean): string {
  return is ? 'yes' : 'no';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/[|<]/g, '\\$&')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

type Term = readonly [term: string, meaning: string];

/** Flags with their meanings. */
function flagTerms(flags: Flags): readonly Term[] {
  return Object.entries(flags).map(([key, flag]) => {
    const { short, value, text, choices = [] } = flag;
    const names = [...(short === undefined ? [] : [`-${short}`]), longName(key, flag)].join(', ');
    return [
      value === undefined ? names : `${names} ${value}`,
      choices.length === 0 ? text : `${text}; one of ${choices.join(', ')}`,
    ];
  });
}

/** Columns of a line of the Markdown files. */
const columns = 120;

function terms(rows: readonly Term[]): string {
  return rows
    .map(([term, meaning]) => `${wrapParagraph(`- \`${term}\`: ${meaning}`, columns - 2).replaceAll('\n', '\n  ')}\n`)
    .join('');
}
