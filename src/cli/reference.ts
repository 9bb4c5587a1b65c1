import { join } from 'node:path';
import { exitCodes, fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { allOperations, assumptions, type Operation, testCards } from '../spec/index.js';
import { completionFiles } from './complete/scripts.js';
import { environment } from './help/topics/environment.js';
import { withManPages } from './man/manifest.js';
import { manPages } from './man/pages.js';
import { treeBuilder } from './program.js';

/** The README's tables, made from the same tables the program runs on. */
const sections: Readonly<Record<string, () => string>> = {
  operations: () =>
    table(
      ['command', 'what it does', 'path', 'signature'],
      allOperations.map((row) => [`\`${row.command}\``, row.brief, `\`${row.path}\``, signatureOf(row)]),
    ),
  'exit-codes': () =>
    table(
      ['exit', 'meaning', 'sent?', 'repeat as it is?'],
      exitCodes.map((row) => [String(row.exit), row.meaning, row.sent, row.repeat]),
    ),
  environment: () =>
    table(
      ['variable', 'meaning'],
      environment.map(([name, text]) => [`\`${name}\``, text]),
    ),
  'test-cards': () =>
    table(
      ['`--test-card`', 'number', 'CVV', 'outcome'],
      testCards.map((card) => [`\`${card.name}\``, card.number, card.cvv, card.about]),
    ),
  assumptions: () =>
    table(
      ['id', 'switch', 'default', 'other values'],
      assumptions.map((row) => [row.id, `\`${row.switch}\``, row.default, row.others.map((other) => `\`${other}\``).join(', ')]),
    ),
};

function signatureOf(row: Operation): string {
  switch (row.protection.scheme) {
    case 'control':
      return 'control';
    case 'hmac-sha1':
      return 'OAuth HMAC-SHA1';
    case 'rsa-sha256':
      return 'OAuth RSA-SHA256';
    default:
      return 'none shown';
  }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

/** Text with every `<!-- generated NAME -->` section renewed. Throws USAGE for a name nobody generates. */
export function regenerate(text: string): string {
  return text.replace(/<!-- generated (\S+) -->\n[\s\S]*?<!-- end -->/g, (_, name: string) => {
    const section = sections[name];
    if (section === undefined) throw fail('USAGE', { why: `no generated section is named ${name}`, command: '' });
    return `<!-- generated ${name} -->\n${section()}<!-- end -->`;
  });
}

/** Renews the generated parts of the tree in the working folder, or with `check` says whether they are up to date. */
export async function generate(check: boolean, runtime: Runtime): Promise<number> {
  const { files, terminal } = runtime;
  const build = treeBuilder(runtime);
  const pathOf = (name: string) => join(files.folders.working, name);
  const readme = files.readText(pathOf('README.md'));
  const scripts = Object.entries(await completionFiles(build)).map(([name, text]) => [`completions/${name}`, text] as const);
  const manifest = withManPages(files.readText(pathOf('package.json')), await manPages(build));
  const fresh = [['README.md', regenerate(readme)] as const, ['package.json', manifest] as const, ...scripts];
  const stale = fresh.filter(([name, text]) => !files.exists(pathOf(name)) || files.readText(pathOf(name)) !== text);
  if (check) for (const [name] of stale) terminal.err(`${name} is not up to date; run \`node bin/paycli.js __generate\`\n`);
  else for (const [name, text] of stale) files.writeText(pathOf(name), text, 0o644);
  return check && stale.length > 0 ? 11 : 0;
}
