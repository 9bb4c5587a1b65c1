import { meaningOfField } from './field-meanings.js';
import { type FieldGroup, fieldGroups, type Prints } from './result-fields.js';
import { partsOf } from './result-parts.js';

/**
 * What `--fields help` prints: every field that --fields takes, by the part of the result it is in, each on a line
 * with its meaning. Throws USAGE for a command that prints no fields.
 */
export function fieldListText(prints: Prints, path: string, isDryRun: boolean): string {
  const groups = fieldGroups(prints, path, isDryRun).map(groupText);
  return `Fields of the result of \`paycli ${path}\`, for --fields\n\n${groups.join('\n')}`;
}

function groupText({ heading, schema, names }: FieldGroup): string {
  const paths = names.flatMap((name) => [name, ...partsOf(schema, name).map((part) => `${name}.${part}`)]);
  const rows = [...new Set(paths)].map((path) => [path, meaningOfField(schema, path)] as const);
  const width = Math.max(0, ...rows.filter(([, meaning]) => meaning !== '').map(([path]) => path.length));
  const lines = rows.map(([path, meaning]) => `  ${path.padEnd(width)}  ${meaning}`.trimEnd());
  return `${heading}:\n${lines.join('\n')}\n`;
}
