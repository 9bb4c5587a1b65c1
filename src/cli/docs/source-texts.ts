import { join } from 'node:path';
import type * as TypeScript from 'typescript';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';

type Compiler = typeof TypeScript;

/**
 * Prints every text a user may read, by file and line, for somebody who reads them as a whole: strings of two words or
 * more; {…} stands for a value. Texts of the help topics are the files in src/cli/docs/topics. Needs the sources and
 * the compiler, so the working folder has to be a checkout with its packages installed. Throws USAGE elsewhere.
 */
export async function printSourceTexts({ files, terminal }: Runtime): Promise<number> {
  const root = files.folders.working;
  const compiler = await loadCompiler();
  const names = sourceFiles('src', (folder) => files.list(join(root, folder)));
  if (compiler === undefined || names.length === 0) throw fail('textsNeedCheckout');
  for (const name of names) {
    const lines = textsIn(name, files.readText(join(root, name)), compiler);
    if (lines.length > 0) terminal.out(`${lines.join('\n')}\n`);
  }
  return 0;
}

/** Not a dependency of the program: only there beside the sources. */
async function loadCompiler(): Promise<Compiler | undefined> {
  const loaded: (Compiler & { readonly default?: Compiler }) | undefined = await import('typescript').catch(
    () => undefined,
  );
  return loaded?.default ?? loaded;
}

function sourceFiles(folder: string, list: (folder: string) => readonly string[]): readonly string[] {
  return [...list(folder)].sort().flatMap((name) => {
    const path = `${folder}/${name}`;
    if (/\.tsx?$/.test(name)) return [path];
    return name.includes('.') ? [] : sourceFiles(path, list);
  });
}

function textsIn(name: string, content: string, compiler: Compiler): readonly string[] {
  const source = compiler.createSourceFile(name, content, compiler.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: TypeScript.Node): void => {
    const text = textOf(node, compiler)?.replace(/\s+/g, ' ').trim();
    if (text !== undefined && isText(text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`${name}:${line + 1}: ${text}`);
    }
    compiler.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isText(text: string): boolean {
  const isSql = /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA)\b/.test(text);
  return !isSql && /\p{L}{2,}[^\n]* \S*\p{L}{2,}/u.test(text);
}

function textOf(node: TypeScript.Node, compiler: Compiler): string | undefined {
  if (compiler.isStringLiteralLike(node) || compiler.isJsxText(node)) return node.text;
  if (!compiler.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join('');
}
