import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

interface Change {
  readonly file: string;
  readonly change: readonly (readonly [from: string, to: string])[];
}
interface Defect extends Change {
  readonly what: string;
  readonly also?: readonly Change[];
  readonly tests: readonly [file: string, name: string];
}

const { defects }: { defects: readonly Defect[] } = await import(join(root, '.ci/defects.mjs'));

test.each(defects)(
  'where "$what" is planted by night is still there, and so are the tests that have to notice',
  (defect) => {
    for (const { file, change } of [defect, ...(defect.also ?? [])]) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const [from, to] of change) {
        expect(text, file).toContain(from);
        expect(text.replace(from, () => to)).not.toBe(text);
      }
    }
    expect(existsSync(join(root, defect.tests[0])), defect.tests[0]).toBe(true);
  },
);
