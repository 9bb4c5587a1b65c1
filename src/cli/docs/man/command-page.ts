import { exitCodes } from '../../../errors/index.js';
import { operationNamed } from '../../../spec/index.js';
import type { DescribedCommand, DescribedFlag } from '../command-list.js';
import {
  bold,
  escaped,
  head,
  italic,
  item,
  line,
  literal,
  page,
  pageName,
  paragraph,
  section,
  seeAlso,
  subsection,
} from './roff.js';

/** Where the page of a command is: `paycli-card-ref-create`. */
export function pageOf(command: string): string {
  return `paycli-${command.replaceAll(' ', '-')}`;
}

export function commandPage(command: DescribedCommand, all: readonly DescribedCommand[], version: string): string {
  const children = all.filter(({ command: words }) => parentOf(words) === command.command);
  return page([
    head(pageOf(command.command), 1, command.summary, version),
    section('SYNOPSIS'),
    synopsis(command),
    section('DESCRIPTION'),
    description(command),
    children.length === 0 ? '' : section('COMMANDS') + children.map(childItem).join(''),
    section('OPTIONS'),
    options(command),
    section('EXIT STATUS'),
    exitStatus(command.exits),
    command.examples.length === 0 ? '' : section('EXAMPLES') + examples(command.examples),
    surroundings(command),
    section('SEE ALSO'),
    seeAlso(relatedTo(command, children)),
  ]);
}

/** Another name for a command, which has a page of its own. */
export function aliasPage(alias: string, command: DescribedCommand, version: string): string {
  const target = `${pageOf(command.command)}(1)`;
  return page([
    head(pageOf(alias), 1, command.summary, version),
    section('DESCRIPTION'),
    `.PP\n${bold(`paycli ${alias}`)} is another name for ${bold(`paycli ${command.command}`)}: see\n${pageName(target)}.\n`,
    section('SEE ALSO'),
    seeAlso([target, 'paycli(1)']),
  ]);
}

function synopsis({ command, usage, aliases }: DescribedCommand): string {
  const [, rest = ''] = usage.split(`paycli ${command}`);
  const names = [command, ...aliases.map((alias) => [...parentWords(command), alias].join(' '))];
  return names.map((name, at) => `${at === 0 ? '.PP' : '.br'}\n${bold(`paycli ${name}`)}${italic(rest)}\n`).join('');
}

function description(command: DescribedCommand): string {
  const own = command.description.map((part) =>
    /^ /m.test(part) ? literal(part.split('\n').map((each) => each.replace(/^ {2}/, ''))) : paragraph(sentence(part)),
  );
  return [...own, ...(command.note === null ? [] : [paragraph(command.note)]), ...operationParagraphs(command)].join(
    '',
  );
}

function sentence(text: string): string {
  return /[.:!?]$/.test(text) ? text : `${text}.`;
}

const effects = {
  read: 'It only reads, and is repeated automatically when a reply is lost.',
  write:
    'It is recorded in the journal before it is sent, and never repeated automatically; see paycli-money-safety(7).',
  money:
    'It moves money: it is recorded in the journal before it is sent, and never repeated automatically; see paycli-money-safety(7).',
} as const;

const schemes = {
  control: 'the control checksum',
  'hmac-sha1': 'OAuth 1.0a with HMAC-SHA1',
  'rsa-sha256': 'OAuth 1.0a with RSA-SHA256',
  none: 'no signature',
  switched: 'a signature that depends on an assumption',
} as const;

function operationParagraphs({ command, path, takesOperation }: DescribedCommand): string[] {
  const more = takesOperation
    ? [
        paragraph(
          `An operation follows with its arguments and flags, as in \`paycli ${command} sale --amount 10.42\`; they are on the page of that operation.`,
        ),
      ]
    : [];
  const row = operationNamed(command);
  if (row === undefined) return more;
  const scheme = schemes[row.protection.scheme];
  return [
    ...more,
    paragraph(
      `Sends a POST to {base-url}${path ?? ''}/{endpoint-id}, with ${scheme}; \`paycli sign ${row.command} --recipe\` shows each field and what is signed.`,
    ),
    paragraph(effects[row.effect]),
  ];
}

function options({ flags, arguments: given }: DescribedCommand): string {
  const groups = new Map<string, DescribedFlag[]>();
  for (const flag of flags) groups.set(flag.group, [...(groups.get(flag.group) ?? []), flag]);
  const positions =
    given.length === 0
      ? ''
      : subsection('Arguments') +
        given
          .map(({ name, description: meaning, choices }) => item(italic(name), withChoices(meaning, choices)))
          .join('');
  const help = item(`${bold('-h')}, ${bold('--help')}`, 'show help');
  return (
    positions +
    [...groups].map(([group, members]) => subsection(group) + members.map(flagItem).join('')).join('') +
    help
  );
}

export function flagItem({ name, short, value, choices, repeatable, description: meaning }: DescribedFlag): string {
  const names = [short, name]
    .filter((each) => each !== null)
    .map(bold)
    .join(', ');
  const term = value === null ? names : `${names} ${italic(value)}`;
  return item(
    term,
    withChoices(repeatable && !meaning.includes('repeated') ? `${meaning}; may be repeated` : meaning, choices),
  );
}

function withChoices(meaning: string, choices: readonly string[] | null): string {
  const list =
    choices === null || choices.every((choice) => meaning.includes(choice)) ? '' : `one of ${choices.join(', ')}`;
  return [meaning, list].filter((part) => part !== '').join('; ') || 'see its name';
}

export function exitStatus(exits: readonly number[]): string {
  return exitCodes
    .filter(({ code }) => exits.includes(code))
    .map(({ code, meaning }) => item(bold(String(code)), meaning))
    .join('');
}

export function examples(all: readonly string[]): string {
  return all.map((example) => literal(folded(example))).join('');
}

/** Columns that are left for an example on a terminal of 80. */
const exampleWidth = 72;

/** A long line as a shell takes it on several. */
function folded(example: string): readonly string[] {
  const whole = example.replace(/ \\\n\s+/g, ' ');
  if (whole.length <= exampleWidth) return [whole];
  return whole.split(/ (?=--|")/).reduce<readonly string[]>((lines, part) => {
    const last = lines.at(-1);
    if (last === undefined) return [part];
    const isFull = last.length + part.length + ' '.length + ' \\'.length > exampleWidth;
    return isFull ? [...lines.slice(0, -1), `${last} \\`, `    ${part}`] : [...lines.slice(0, -1), `${last} ${part}`];
  }, []);
}

export const files: Readonly<Record<'config' | 'journal' | 'sandbox', readonly [path: string, meaning: string]>> = {
  config: ['~/.config/paycli/config.yaml', 'profiles; see paycli-config(5)'],
  journal: ['~/.local/state/paycli/journal.db', 'the journal: what was sent, and its outcome'],
  sandbox: ['~/.local/share/paycli/sandbox/NAME.db', 'a sandbox with its orders'],
};

function surroundings({ command, flags, effect }: DescribedCommand): string {
  const hasProfile = flags.some(({ name }) => name === '--profile');
  const kinds = [
    ...(hasProfile || /^(?:profile|config|init)\b/.test(command) ? ['config' as const] : []),
    ...(effect !== 'none' || /^(?:journal|order|live|support)\b/.test(command) ? ['journal' as const] : []),
    ...(hasProfile || command.startsWith('sandbox') ? ['sandbox' as const] : []),
  ];
  const list = kinds.map((kind) => item(bold(files[kind][0]), files[kind][1])).join('');
  const variables = hasProfile
    ? 'Variables beginning with PAYCLI_ set connection and output options; flags override them. See paycli-environment(7).'
    : 'PAYCLI_OUTPUT sets the output format; see paycli-environment(7) for this and others.';
  return (list === '' ? '' : section('FILES') + list) + section('ENVIRONMENT') + paragraph(variables);
}

const topicsOf: readonly (readonly [pattern: RegExp, page: string])[] = [
  [/^(?:sign|keys)\b/, 'paycli-signing(7)'],
  [/^(?:sandbox|form fill)\b/, 'paycli-sandbox(7)'],
  [/^(?:3ds|upload-3ds|form)\b/, 'paycli-3ds(7)'],
  [/^callback\b/, 'paycli-callbacks(7)'],
  [/^(?:profile|config|init|whoami)\b/, 'paycli-config(5)'],
  [/^(?:journal|order)\b/, 'paycli-states(7)'],
  [/^assumptions\b/, 'paycli-assumptions(7)'],
  [/^commands\b/, 'paycli-output(7)'],
];

function relatedTo({ command, effect }: DescribedCommand, children: readonly DescribedCommand[]): readonly string[] {
  const parent = parentOf(command);
  return [
    'paycli(1)',
    ...(parent === '' ? [] : [`${pageOf(parent)}(1)`]),
    ...children.map((child) => `${pageOf(child.command)}(1)`),
    ...topicsOf.filter(([pattern]) => pattern.test(command)).map(([, page]) => page),
    ...(effect === 'none' ? [] : ['paycli-money-safety(7)']),
    'paycli-exit-codes(7)',
  ];
}

export function childItem({ command, summary, aliases }: DescribedCommand): string {
  const also = aliases.length === 0 ? '' : ` (also ${aliases.join(', ')})`;
  return `.TP\n${pageName(`${pageOf(command)}(1)`)}\n${line(escaped(`${summary}${also}`))}\n`;
}

function parentWords(command: string): string[] {
  return command.split(' ').slice(0, -1);
}

export function parentOf(command: string): string {
  return parentWords(command).join(' ');
}
