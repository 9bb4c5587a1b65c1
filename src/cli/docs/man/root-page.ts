import { exitCodes } from '../../../errors/index.js';
import type { DescribedCommand } from '../command-list.js';
import { environment } from '../environment.js';
import { readTopics } from '../topics.js';
import { childItem, examples, exitStatus, files, flagItem, parentOf } from './command-page.js';
import { bold, head, item, line, page, pageName, paragraph, prose, section, seeAlso, subsection } from './roff.js';

const brief = 'payments, payouts and cards through a card processing gateway';

/** paycli(1): what there is and where it is explained. */
export function rootPage(commands: readonly DescribedCommand[], version: string): string {
  return page([
    head('paycli', 1, brief, version),
    section('SYNOPSIS'),
    `.PP\n${bold('paycli')} \\fIcommand\\fR [\\fIflags\\fR]\n.br\n${bold('paycli help')} [\\fIcommand\\fR | \\fItopic\\fR]\n`,
    section('DESCRIPTION'),
    about.map(paragraph).join(''),
    section('COMMANDS'),
    commandGroups(commands.filter(({ command }) => parentOf(command) === '')),
    section('OPTIONS'),
    paragraph('Every command accepts these; its other flags are on its own page.'),
    globalFlags(commands),
    section('HELP TOPICS'),
    readTopics()
      .map(({ name, brief }) => `.TP\n${pageName(`paycli-${name}(7)`)}\n${line(prose(brief))}\n`)
      .join(''),
    section('EXIT STATUS'),
    exitStatus(exitCodes.map(({ code }) => code)),
    section('EXAMPLES'),
    examples([
      'paycli sale --profile sandbox --amount 10.42 --currency USD --test-card approved --wait',
      'paycli sign sale --profile sandbox --amount 10.42 --currency USD --test-card approved --explain',
      'paycli sandbox outcomes',
    ]),
    section('FILES'),
    Object.values(files)
      .map(([path, meaning]) => item(bold(path), meaning))
      .join(''),
    section('ENVIRONMENT'),
    environment.map(([name, meaning]) => item(bold(name), meaning)).join(''),
    section('SEE ALSO'),
    seeAlso(['paycli-config(5)', 'paycli-signing(7)', 'paycli-exit-codes(7)', 'paycli-environment(7)']),
  ]);
}

const about = [
  'paycli assembles the form fields of an operation, signs them (a SHA-1 checksum called control, or OAuth 1.0a with HMAC-SHA1 or RSA-SHA256), sends them once, and reports the outcome in words and as an exit code.',
  'A sandbox gateway is built in: with `--profile sandbox` it answers on this machine, checks every signature and stores every order, and the first line of a result says so.',
  'When a reply is lost, nothing is sent again: the outcome is then unknown, exit 8, and `paycli resolve` resolves it. A live profile requires --live on every command that queries or sends.',
];

function commandGroups(commands: readonly DescribedCommand[]): string {
  const headings = [...new Set(commands.map(({ heading }) => heading))];
  return headings
    .map(
      (heading) =>
        subsection(heading) +
        commands
          .filter((command) => command.heading === heading)
          .map(childItem)
          .join(''),
    )
    .join('');
}

/** Those of a command that has no others. */
function globalFlags(commands: readonly DescribedCommand[]): string {
  const flags = commands.find(({ command }) => command === 'commands')?.flags ?? [];
  const own =
    item(
      `${bold('-V')}, ${bold('--version')}`,
      'show the version; with --verbose also those of the API documentation and of Node',
    ) + item(`${bold('-h')}, ${bold('--help')}`, 'show help');
  return flags.map(flagItem).join('') + own;
}
