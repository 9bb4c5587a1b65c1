import { join } from 'node:path';
import type { Runtime } from '../../../runtime/ports.js';
import type { Build } from '../../core/command-line.js';
import { packageVersion } from '../../core/version.js';
import { describeCommands } from '../command-list.js';
import type { Topic } from '../markdown.js';
import { readTopics, type TopicName } from '../topics.js';
import { aliasPage, commandPage, pageOf, parentOf } from './command-page.js';
import { configPage } from './config-page.js';
import { blocks, head, page, section, seeAlso } from './roff.js';
import { rootPage } from './root-page.js';

export interface Page {
  /** Such as paycli-sale.1. */
  readonly file: string;
  readonly text: string;
}

/** Writes every man page into a folder: what the build does. */
export async function writePages(folder: string, build: Build, runtime: Runtime): Promise<number> {
  const all = await manPages(build);
  for (const { file, text } of all)
    runtime.files.writeText(join(runtime.files.folders.working, folder, file), text, 0o644);
  return 0;
}

/** package.json with every page in its list: npm links those it finds there, and goes by no folder. */
export function withManPages(manifest: string, all: readonly Page[]): string {
  const man = all.map(({ file }) => `dist/man/${file}`).sort();
  return `${JSON.stringify({ ...JSON.parse(manifest), man }, null, 2)}\n`;
}

/** Every page: the program, its commands under all their names, the help topics, the configuration files. */
export async function manPages(build: Build): Promise<readonly Page[]> {
  const commands = await describeCommands(build);
  const aliases = commands.flatMap((command) =>
    command.aliases.map((alias) => ({
      alias: [parentOf(command.command), alias].filter((part) => part !== '').join(' '),
      command,
    })),
  );
  return [
    { file: 'paycli.1', text: rootPage(commands, packageVersion) },
    ...commands.map((command) => ({
      file: `${pageOf(command.command)}.1`,
      text: commandPage(command, commands, packageVersion),
    })),
    ...aliases.map(({ alias, command }) => ({
      file: `${pageOf(alias)}.1`,
      text: aliasPage(alias, command, packageVersion),
    })),
    { file: 'paycli-config.5', text: configPage(packageVersion) },
    ...readTopics().map((topic) => ({ file: `paycli-${topic.name}.7`, text: topicPage(topic) })),
  ];
}

/** What stands below SEE ALSO on the page of each topic, besides paycli(1). */
const related: Readonly<Record<string, readonly string[]>> = {
  'exit-codes': ['paycli-money-safety(7)', 'paycli-output(7)'],
  flags: ['paycli-profiles(7)', 'paycli-output(7)', 'paycli-secrets(7)', 'paycli-environment(7)'],
  'money-safety': ['paycli-resolve(1)', 'paycli-journal(1)', 'paycli-states(7)', 'paycli-live(7)'],
  states: ['paycli-order(1)', 'paycli-journal(1)', 'paycli-money-safety(7)'],
  live: ['paycli-profiles(7)', 'paycli-money-safety(7)'],
  output: ['paycli-commands(1)', 'paycli-exit-codes(7)', 'paycli-environment(7)'],
  environment: ['paycli-config-explain(1)', 'paycli-config(5)', 'paycli-secrets(7)'],
  profiles: ['paycli-profile(1)', 'paycli-config(5)', 'paycli-secrets(7)'],
  secrets: ['paycli-profile-add(1)', 'paycli-config(5)', 'paycli-keys(1)'],
  signing: ['paycli-sign(1)', 'paycli-signing-steps(7)', 'paycli-keys(1)', 'paycli-assumptions(7)'],
  'signing-steps': ['paycli-sign(1)', 'paycli-signing(7)', 'paycli-assumptions(7)'],
  assumptions: ['paycli-assumptions(1)', 'paycli-config(5)'],
  sandbox: ['paycli-sandbox(1)', 'paycli-test-suites(7)', 'paycli-callbacks(7)', 'paycli-3ds(7)'],
  'test-suites': ['paycli-sandbox(1)', 'paycli-sandbox-start(1)', 'paycli-sandbox(7)', 'paycli-callbacks(7)'],
  certify: ['paycli-certify(1)', 'paycli-sandbox(7)', 'paycli-callbacks(7)', 'paycli-money-safety(7)'],
  '3ds': ['paycli-3ds(1)', 'paycli-upload-3ds(1)', 'paycli-sandbox(7)'],
  callbacks: ['paycli-callback(1)', 'paycli-status(1)', 'paycli-sandbox-callbacks(1)'],
  batches: ['paycli-batch(1)', 'paycli-money-safety(7)', 'paycli-exit-codes(7)'],
  runbooks: [
    'paycli-resolve(1)',
    'paycli-support(1)',
    'paycli-money-safety(7)',
    'paycli-batches(7)',
    'paycli-signing(7)',
  ],
  glossary: ['paycli-states(7)', 'paycli-exit-codes(7)', 'paycli-money-safety(7)', 'paycli-assumptions(7)'],
  development: ['paycli-commands(1)', 'paycli-assumptions(7)', 'paycli-exit-codes(7)'],
} satisfies Readonly<Record<TopicName, readonly string[]>>;

function topicPage({ name, brief, blocks: content }: Topic): string {
  return page([
    head(`paycli-${name}`, 7, brief, packageVersion),
    section('DESCRIPTION'),
    blocks(content),
    section('SEE ALSO'),
    seeAlso(['paycli(1)', ...(related[name] ?? [])]),
  ]);
}
