import { join } from 'node:path';
import type { Command } from 'commander';
import type { Runtime } from '../../../runtime/ports.js';
import { packageVersion } from '../../core/version.js';
import type { Topic } from '../markdown.js';
import { readTopics } from '../topics.js';
import { blocks, head, page, section, seeAlso } from './roff.js';
import { rootPage } from './root-page.js';

/** The topics that are manual pages as well; `man` in package.json lists them. */
const topicPages: readonly string[] = ['runbooks', 'money-safety', 'profiles', 'signing', 'sandbox'];

/** Writes the manual pages into a folder: what the build does. */
export async function writePages(folder: string, program: Command, { files }: Runtime): Promise<number> {
  const topics = readTopics().filter(({ name }) => topicPages.includes(name));
  const write = (file: string, text: string) => files.writeText(join(files.folders.working, folder, file), text, 0o644);
  write('paycli.1', rootPage(program, topics, packageVersion));
  for (const topic of topics) write(`paycli-${topic.name}.7`, topicPage(topic));
  return 0;
}

function topicPage({ name, brief, blocks: content }: Topic): string {
  const others = topicPages.filter((other) => other !== name).map((other) => `paycli-${other}(7)`);
  return page([
    head(`paycli-${name}`, 7, brief, packageVersion),
    section('DESCRIPTION'),
    blocks(content),
    section('SEE ALSO'),
    seeAlso(['paycli(1)', ...others]),
  ]);
}
