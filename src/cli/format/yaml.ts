import { dump } from 'js-yaml';
import { printable, printableJson } from '../../wire/redact.js';
import { withPlainNumbers } from './document.js';

/**
 * YAML that a reader of 1.1 and of 1.2 understands alike: what could be taken for a number or a truth value is quoted.
 * Where a terminal could be steered by it, everything is in quotes, within which the escapes of JSON count.
 */
export function yamlText(value: unknown): string {
  const options = { noRefs: true, lineWidth: -1, quotingType: '"' } as const;
  const plain = withPlainNumbers(value);
  const text = dump(plain, options);
  return printable(text) === text ? text : printableJson(dump(plain, { ...options, forceQuotes: true }));
}
