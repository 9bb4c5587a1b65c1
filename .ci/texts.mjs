// Every text a user may read, by file and line, for somebody who reads them as a whole: npm run texts
// Strings with two words or more; {…} stands for a value. Texts of the help topics are in src/cli/docs/topics.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const isText = (text) =>
  /\p{L}{2,}[^\n]* \S*\p{L}{2,}/u.test(text) && !/^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA)\b/.test(text);

function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join('');
}

for (const name of readdirSync('src', { recursive: true }).sort()) {
  if (!/\.tsx?$/.test(name)) continue;
  const file = join('src', name);
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    const text = textOf(node)?.replace(/\s+/g, ' ').trim();
    if (text !== undefined && isText(text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      console.log(`${file}:${line + 1}: ${text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
