import { join } from 'node:path';
import type { Command } from 'commander';
import { exitCodes } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { packageVersion } from '../core/version.js';
import { endOfHelp } from '../help.js';
import { environment } from './environment.js';
import { helpTopic, topicBrief } from './topics.js';

/** The topics that are manual pages as well; `man` in package.json lists them. */
const topicPages: readonly string[] = ['runbooks', 'money-safety', 'profiles', 'signing', 'sandbox'];

/** Columns of a terminal of 80, less those by which a page indents. */
const width = 72;

/** Writes the manual pages into a folder: what the build does. They hold the texts of `paycli help`. */
export async function writePages(folder: string, program: Command, { files }: Runtime): Promise<number> {
  const write = (file: string, text: string) => files.writeText(join(files.folders.working, folder, file), text, 0o644);
  const brief = 'payments, payouts and cards through a card processing gateway';
  const all = {
    DESCRIPTION: `${program.helpInformation()}${endOfHelp(program, width)}`,
    'EXIT STATUS': exitCodes.map(({ code, meaning }) => `${code}: ${meaning}`).join('\n'),
    ENVIRONMENT: environment.map(([name, meaning]) => `${name}: ${meaning}`).join('\n'),
    'SEE ALSO': topicPages.map((name) => `paycli-${name}(7)`).join(', '),
  };
  write('paycli.1', page('paycli', 1, brief, all));
  for (const name of topicPages) {
    const sections = { DESCRIPTION: helpTopic(name, width) ?? '', 'SEE ALSO': 'paycli(1)' };
    write(`paycli-${name}.7`, page(`paycli-${name}`, 7, topicBrief(name), sections));
  }
  return 0;
}

/** The lines of its sections stay as they are. */
function page(name: string, number: number, brief: string, sections: Readonly<Record<string, string>>): string {
  const title = `.TH "${name.toUpperCase()}" "${number}" "" "paycli ${packageVersion}" "paycli"`;
  const parts = Object.entries(sections).map(([heading, text]) => {
    return `.SH "${heading}"\n.nf\n${text.trimEnd().split('\n').map(line).join('\n')}\n.fi\n`;
  });
  return `${title}\n.SH NAME\n${line(name)} \\- ${line(brief)}\n${parts.join('')}`;
}

const marks: Readonly<Record<string, string>> = {
  ...{ '\\': '\\e', '-': '\\-', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha', '~': '\\(ti' },
};

/** A line in which nothing means anything to roff; a dot or an apostrophe at its beginning would be a request. */
function line(text: string): string {
  const escaped = text.replace(/[\\\-'`^~]|[^\x20-\x7e]/gu, (letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return marks[letter] ?? `\\[u${code}]`;
  });
  return /^[.\\]/.test(escaped) ? `\\&${escaped}` : escaped;
}
