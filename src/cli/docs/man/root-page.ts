import type { Command } from 'commander';
import { exitCodes } from '../../../errors/index.js';
import { outputFlags } from '../../flags.js';
import type { Term } from '../block.js';
import { environment } from '../environment.js';
import type { Topic } from '../markdown.js';
import { flagTerms } from '../tables.js';
import { readTopics } from '../topics.js';
import { bold, head, item, literal, page, paragraph, section, seeAlso, subsection } from './roff.js';

const brief = 'payments, payouts and cards through a card processing gateway';

/** paycli(1): what there is and where it is explained. */
export function rootPage(program: Command, topicPages: readonly Topic[], version: string): string {
  return page([
    head('paycli', 1, brief, version),
    section('SYNOPSIS'),
    `.PP\n${bold('paycli')} \\fIcommand\\fR [\\fIflags\\fR]\n.br\n${bold('paycli help')} [\\fIcommand\\fR | \\fItopic\\fR]\n`,
    section('DESCRIPTION'),
    about.map(paragraph).join(''),
    section('COMMANDS'),
    paragraph('`paycli help COMMAND` describes each, with its flags.'),
    commandGroups(program.commands),
    section('OPTIONS'),
    paragraph('Every command accepts these.'),
    globalFlags(),
    section('HELP TOPICS'),
    readTopics()
      .map(({ name, brief: meaning }) => item(bold(`paycli help ${name}`), meaning))
      .join(''),
    section('EXIT STATUS'),
    exitCodes.map(({ code, meaning }) => item(bold(String(code)), meaning)).join(''),
    section('EXAMPLES'),
    examples.map((lines) => literal(lines)).join(''),
    section('FILES'),
    files.map(([path, meaning]) => item(bold(path), meaning)).join(''),
    section('ENVIRONMENT'),
    environment.map(([name, meaning]) => item(bold(name), meaning)).join(''),
    section('SEE ALSO'),
    seeAlso(topicPages.map(({ name }) => `paycli-${name}(7)`)),
  ]);
}

const about = [
  'paycli assembles the form fields of an operation, signs them (a SHA-1 checksum called control, or OAuth 1.0a with HMAC-SHA1 or RSA-SHA256), sends them once, and reports the outcome in words and as an exit code.',
  'A sandbox gateway is built in: with `--profile sandbox` it answers on this machine, checks every signature and stores every order, and the first line of a result says so.',
  'When a reply is lost, nothing is sent again: the outcome is then unknown, exit 8, and `paycli resolve` resolves it. A live profile requires --live on every command that queries or sends.',
];

const examples: readonly (readonly string[])[] = [
  ['paycli sale --profile sandbox --amount 10.42 --currency USD \\', '    --test-card approved --wait'],
  ['paycli sign sale --profile sandbox --amount 10.42 --currency USD \\', '    --test-card approved --explain'],
  ['paycli sandbox outcomes'],
];

const files: readonly (readonly [path: string, meaning: string])[] = [
  ['~/.config/paycli/config.yaml', 'profiles; see paycli-profiles(7)'],
  ['~/.local/state/paycli/requests.db', 'the journal: what was sent, and its outcome'],
  ['~/.local/share/paycli/sandbox/NAME.db', 'a sandbox with its orders'],
];

function commandGroups(commands: readonly Command[]): string {
  const headings = [...new Set(commands.map((command) => command.helpGroup()))];
  return headings
    .map((heading) => {
      const members = commands.filter((command) => command.helpGroup() === heading);
      return subsection(heading.replace(/:$/, '')) + members.map(commandItem).join('');
    })
    .join('');
}

function commandItem(command: Command): string {
  const also = command.aliases().length === 0 ? '' : ` (also ${command.aliases().join(', ')})`;
  return item(bold(command.name()), `${command.summary()}${also}`);
}

function globalFlags(): string {
  const own: readonly Term[] = [
    ['-V, --version', 'show the version; with --verbose also those of the API documentation and of Node'],
    ['-h, --help', 'show help'],
  ];
  return [...flagTerms(outputFlags), ...own].map(([term, meaning]) => item(bold(term), meaning)).join('');
}
