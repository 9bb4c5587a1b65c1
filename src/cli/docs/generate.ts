import { join } from 'node:path';
import type { Runtime } from '../../runtime/ports.js';
import { regenerate } from './tables.js';
import { topicNames } from './topics.js';

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
