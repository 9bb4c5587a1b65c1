import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../golden', import.meta.url));
const renews = process.env['UPDATE_GOLDEN'] === '1';
const howTo = 'if this is meant, run the same test with UPDATE_GOLDEN=1 and read the diff';

if (renews && process.env['CI'] !== undefined)
  throw new Error('UPDATE_GOLDEN is refused in CI: a golden file is renewed by somebody who reads it');

/** Holds a text against a file below test/golden, or writes that file when it is being renewed. */
export function expectGolden(name: string, text: string): void {
  const path = join(root, name);
  if (renews) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  expect(text, `${name} differs; ${howTo}`).toBe(readIfThere(path));
}

/** Fails when the folder holds a file nobody asks for; renewing removes it. */
export function expectNoOthers(folder: string, names: readonly string[]): void {
  const others = readdirSync(join(root, folder)).filter((name) => !names.includes(name));
  if (renews) for (const name of others) rmSync(join(root, folder, name));
  else expect(others, `golden files that nothing makes; ${howTo}`).toEqual([]);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
