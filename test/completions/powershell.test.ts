import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from 'vitest';
import { Language, type Node, Parser } from 'web-tree-sitter';

// No PowerShell can be had from npm or Debian: its grammar reads the script instead.
const script = readFileSync('completions/paycli.ps1', 'utf8');
const parser = new Promise<Parser>((resolve, reject) => {
  Parser.init()
    .then(() =>
      Language.load(createRequire(import.meta.url).resolve('tree-sitter-powershell/tree-sitter-powershell.wasm')),
    )
    .then((language) => resolve(new Parser().setLanguage(language)), reject);
});

let parse: (text: string) => Node;
beforeAll(async () => {
  const ready = await parser;
  parse = (text) => ready.parse(text)?.rootNode ?? expect.unreachable('nothing was parsed');
});

/** What the grammar has no rule for: the places and their text. */
function errorsIn(text: string): string[] {
  const walk = (node: Node): string[] => {
    if (node.isError || node.isMissing) return [`line ${node.startPosition.row + 1}: ${node.text.slice(0, 60)}`];
    return node.hasError ? node.children.flatMap((child) => (child === null ? [] : walk(child))) : [];
  };
  return walk(parse(text));
}

describe('by the grammar of PowerShell', () => {
  test('the script has no error', () => {
    expect(errorsIn(script)).toEqual([]);
  });

  test.each([
    ['a bracket too few', (text: string) => text.replace('if ($null -eq $flag) {', 'if ($null -eq $flag {')],
    ['a quote too few', (text: string) => text.replace("'flags' $state.Place", "'flags $state.Place")],
    ['a brace too many', (text: string) => `${text}}\n`],
    ['an operator with nothing behind it', (text: string) => text.replace("-cne 'sign'", '-cne')],
  ])('%s is one', (_, spoil) => {
    const spoilt = spoil(script);
    expect(spoilt).not.toBe(script);
    expect(errorsIn(spoilt)).not.toEqual([]);
  });

  test('only functions, tables and one registration stand at the top; nothing is run while it is loaded', () => {
    const kinds = new Set<string>();
    for (const node of parse(script).descendantsOfType('command_name'))
      if (node !== null && isOutside(node)) kinds.add(node.text);
    expect([...kinds]).toEqual(['Register-ArgumentCompleter']);
  });
});

/** In no function and no script block. */
function isOutside(node: Node): boolean {
  for (let at = node.parent; at !== null; at = at.parent)
    if (['function_statement', 'script_block_expression'].includes(at.type)) return false;
  return true;
}
