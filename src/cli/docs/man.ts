import { join } from 'node:path';
import type { Command } from 'commander';
import { exitCodes } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { packageVersion } from '../core/version.js';
import { outputFlags } from '../flags.js';
import { environment } from './environment.js';
import { flagTerms } from './generate.js';
import type { Block, Term, Topic } from './markdown.js';
import { readTopics, topicTable } from './topics.js';

/** The topics that are manual pages as well; `man` in package.json lists them. */
const topicPages: readonly string[] = ['runbooks', 'money-safety', 'profiles', 'signing', 'sandbox'];

/** Writes the manual pages into a folder: what the build does. */
export async function writePages(folder: string, program: Command, { files }: Runtime): Promise<number> {
  const write = (file: string, text: string) => files.writeText(join(files.folders.working, folder, file), text, 0o644);
  write('paycli.1', rootPage(program));
  for (const topic of readTopics())
    if (topicPages.includes(topic.name)) write(`paycli-${topic.name}.7`, topicPage(topic));
  return 0;
}

function topicPage({ name, brief, blocks }: Topic): string {
  const others = topicPages.filter((other) => other !== name).map((other) => `paycli-${other}(7)`);
  return page(`paycli-${name}`, 7, brief, { DESCRIPTION: blocks.map(roff).join(''), 'SEE ALSO': seeAlso(others) });
}

/** paycli(1): what there is and where it is explained. */
function rootPage({ commands }: Command): string {
  const headings = [...new Set(commands.map((command) => command.helpGroup()))];
  const ofCommands = headings.map((heading) => {
    const members = commands.filter((command) => command.helpGroup() === heading);
    const named = members.map(
      (command): Term => [[command.name(), ...command.aliases()].join(', '), command.summary()],
    );
    return roff({ kind: 'heading', text: heading.replace(/:$/, '') }) + terms(named);
  });
  return page('paycli', 1, 'payments, payouts and cards through a card processing gateway', {
    SYNOPSIS: `.PP\n${bold('paycli')} \\fIcommand\\fR [\\fIflags\\fR]\n.br\n${bold('paycli help')} [\\fIcommand\\fR | \\fItopic\\fR]\n`,
    DESCRIPTION: about.map((text) => roff({ kind: 'text', text })).join(''),
    COMMANDS: ofCommands.join(''),
    OPTIONS: terms([...flagTerms(outputFlags), ['-V, --version', 'show the version'], ['-h, --help', 'show help']]),
    'HELP TOPICS': terms(readTopics().map(({ name, brief }) => [`paycli help ${name}`, brief])),
    'EXIT STATUS': terms(exitCodes.map(({ code, meaning }) => [String(code), meaning])),
    FILES: terms(files),
    ENVIRONMENT: terms(environment),
    'SEE ALSO': seeAlso(topicPages.map((name) => `paycli-${name}(7)`)),
  });
}

const about = [
  'paycli assembles the form fields of an operation, signs them (a SHA-1 checksum called control, or OAuth 1.0a with HMAC-SHA1 or RSA-SHA256), sends them once, and reports the outcome in words and as an exit code.',
  'A sandbox gateway is built in: with `--profile sandbox` it answers on this machine, checks every signature and stores every order, and the first line of a result says so.',
  'When a reply is lost, nothing is sent again: the outcome is then unknown, exit 8, and `paycli resolve` resolves it. A live profile requires --live on every command that queries or sends.',
  '`paycli help COMMAND` describes each command, with its flags and examples.',
];

const files: readonly Term[] = [
  ['~/.config/paycli/config.yaml', 'profiles; see paycli-profiles(7)'],
  ['~/.local/state/paycli/requests.db', 'the journal: what was sent, and its outcome'],
  ['~/.local/share/paycli/sandbox/NAME.db', 'a sandbox with its orders'],
];

/** No words are cut, and the right edge stays ragged: flags and file names are easier to copy. */
function page(name: string, number: number, brief: string, sections: Readonly<Record<string, string>>): string {
  const title = [name.toUpperCase(), String(number), '', `paycli ${packageVersion}`, 'paycli'].map(quoted).join(' ');
  const all = { NAME: `${escaped(name)} \\- ${escaped(brief)}\n`, ...sections };
  const parts = Object.entries(all).map(([heading, text]) => `.SH ${quoted(heading)}\n${text}`);
  // Right below a heading no paragraph begins anew.
  return `.TH ${title}\n.nh\n.ad l\n${parts.join('')}`.replace(/^(\.S[HS] .*\n)\.PP\n/gm, '$1');
}

/** Columns that are left for tables on a terminal of 80: a page indents by 7. */
const tableWidth = 72;

function roff(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `.PP\n${line(prose(block.text))}\n`;
    case 'heading':
      return `.SS ${quoted(block.text)}\n`;
    case 'terms':
      return terms(block.terms);
    case 'table':
      return literal(topicTable(block.rows, tableWidth).trimEnd().split('\n'));
    case 'lines':
      return literal(block.lines);
  }
}

function terms(all: readonly Term[]): string {
  return all.map(([term, meaning]) => `.TP\n${line(bold(term))}\n${line(prose(meaning))}\n`).join('');
}

function literal(lines: readonly string[]): string {
  return `.PP\n.nf\n${lines.map((each) => `${line(escaped(each))}\n`).join('')}.fi\n`;
}

/** `paycli-signing(7)` and so on, with the names in bold. */
function seeAlso(pages: readonly string[]): string {
  return `.PP\n${pages.map((each) => each.replace(/^[^(]+/, bold)).join(',\n')}\n`;
}

/** Prose; what stands in backticks is bold. */
function prose(text: string): string {
  const parts = text.split(/(`[^`]*`)/).map((part) => (/^`.*`$/s.test(part) ? bold(part.slice(1, -1)) : escaped(part)));
  return parts.join('');
}

/** A line of its own: a dot or an apostrophe at its beginning is no request. */
function line(text: string): string {
  return /^[.']/.test(text) ? `\\&${text}` : text;
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** An argument of a macro. */
function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

const marks: Readonly<Record<string, string>> = {
  ...{ '\\': '\\e', '-': '\\-', '"': '\\(dq', "'": '\\(aq', '’': '\\(aq' },
  ...{ '`': '\\(ga', '^': '\\(ha', '~': '\\(ti', '…': '...' },
};

/** Text in which no character means anything to roff, but a dot or an apostrophe at the beginning of a line. */
function escaped(text: string): string {
  return text.replace(/[\\\-"'`^~]|[^\x20-\x7e]/gu, (letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return marks[letter] ?? `\\[u${code}]`;
  });
}
