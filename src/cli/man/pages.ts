import { describeCommands } from '../command-list.js';
import { topics } from '../help/topics/index.js';
import { packageVersion } from '../version.js';
import type { Build } from '../whole-tree.js';
import { aliasPage, commandPage, pageOf, parentOf } from './command-page.js';
import { configPage } from './config-page.js';
import { rootPage } from './root-page.js';
import { topicPage } from './topic-page.js';

export interface Page {
  /** Such as paycli-sale.1. */
  readonly file: string;
  readonly text: string;
}

/** Every page: the program, its commands under all their names, the help topics, the configuration files. */
export async function manPages(build: Build): Promise<readonly Page[]> {
  const commands = await describeCommands(build);
  const aliases = commands.flatMap((command) =>
    command.aliases.map((alias) => ({ alias: [parentOf(command.command), alias].filter((part) => part !== '').join(' '), command })),
  );
  return [
    { file: 'paycli.1', text: rootPage(commands, packageVersion) },
    ...commands.map((command) => ({ file: `${pageOf(command.command)}.1`, text: commandPage(command, commands, packageVersion) })),
    ...aliases.map(({ alias, command }) => ({ file: `${pageOf(alias)}.1`, text: aliasPage(alias, command, packageVersion) })),
    { file: 'paycli-config.5', text: configPage(packageVersion) },
    ...topicPages(),
  ];
}

function topicPages(): Page[] {
  const names = Object.keys(topics).filter((name): name is keyof typeof topics => name in topics);
  return names.map((name) => ({ file: `paycli-${name}.7`, text: topicPage(name, topics[name], packageVersion) }));
}
