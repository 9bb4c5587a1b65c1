import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const page = readFileSync('src/cli/docs/topics/development.md', 'utf8');
const readme = readFileSync('README.md', 'utf8');

/** What begins like a path of this repository, in backticks. */
function pathsIn(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/`((?:src|test|bin|\.ci|\.dependency-cruiser)[/.][^`\s]*)`/g)].map(([, path = '']) => path),
    ),
  ];
}

/** The folders a list names, such as `- `src/wire`: …`. */
function listed(heading: string): string[] {
  const part = new RegExp(`^## ${heading}\n([\\s\\S]*?)^## `, 'm').exec(page)?.[1] ?? '';
  return [...part.matchAll(/^- `([^`]+)`: \S/gm)].map(([, path = '']) => path);
}

function foldersOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name));
}

describe('the page on how paycli is built', () => {
  test.each([
    ['the page', page],
    ['the README', readme],
  ])('%s names only files and folders that are there', (_, text) => {
    const paths = pathsIn(text);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('a file that is gone is found', () => {
    expect(pathsIn('see `src/no-such/file.ts` and `paycli sale`').filter((path) => !existsSync(path))).toEqual([
      'src/no-such/file.ts',
    ]);
  });

  test('has a line for every folder of src', () => {
    const folders = listed('The tree').filter((path) => !/\.ts$/.test(path));
    expect(folders.sort()).toEqual(foldersOf('src').sort());
  });

  test('has a line for every file directly in src that begins something', () => {
    const named = pathsIn(page);
    const files = readdirSync('src').filter((name) => name.endsWith('.ts'));
    expect(files.filter((name) => !named.includes(`src/${name}`))).toEqual([]);
  });

  test('has a line for every folder of the command line', () => {
    expect(listed('The folders of the command line').sort()).toEqual(foldersOf('src/cli').sort());
  });

  test('links of the README lead to files', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(15);
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  });
});
