import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, join } from 'node:path';

const maps = new Map<string, SourceMap | undefined>();

/**
 * Where the code of a bundle stands in the source, such as `src/wire/form.ts:12:3`, by the map that the build puts
 * beside the bundle, whose names are shortened. Undefined without a map, and for what is no bundle.
 */
export function placeInSource(bundle: string, line: number, column: number): string | undefined {
  if (!maps.has(bundle)) maps.set(bundle, mapOf(basename(bundle)));
  const found = maps.get(bundle)?.findEntry(line - 1, column - 1);
  if (found === undefined || !('originalSource' in found)) return undefined;
  const source = found.originalSource.replace(/^(?:\.\.\/)+/, '');
  return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
}

function mapOf(bundle: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(join(__dirname, `${bundle}.map`), 'utf8')));
  } catch {
    return undefined;
  }
}
