import { join } from 'node:path';
import type { Runtime } from '../../runtime/ports.js';
import type { Build } from '../core/command-line.js';
import { completionFiles } from './completion/scripts.js';
import { manPages, withManPages } from './man/pages.js';
import { regenerate } from './tables.js';
import { topicNames } from './topics.js';

/** Markdown with generated parts. */
const markdownFiles = ['README.md', ...topicNames.map((name) => `src/cli/docs/topics/${name}.md`)];

/** Updates the generated parts of the working folder, or with `check` reports whether they are up to date. */
export async function generate(check: boolean, build: Build, runtime: Runtime): Promise<number> {
  const { files, terminal } = runtime;
  const pathOf = (name: string) => join(files.folders.working, name);
  const markdown = markdownFiles.map((name) => [name, regenerate(files.readText(pathOf(name)))] as const);
  const scripts = Object.entries(await completionFiles(build)).map(
    ([name, text]) => [`completions/${name}`, text] as const,
  );
  const manifest = withManPages(files.readText(pathOf('package.json')), await manPages(build));
  const fresh = [...markdown, ['package.json', manifest] as const, ...scripts];
  const stale = fresh.filter(([name, text]) => !files.exists(pathOf(name)) || files.readText(pathOf(name)) !== text);
  if (check)
    for (const [name] of stale) terminal.err(`${name} is not up to date; run \`node bin/paycli.js __generate\`\n`);
  else for (const [name, text] of stale) files.writeText(pathOf(name), text, 0o644);
  return check && stale.length > 0 ? 11 : 0;
}
