import { dump } from 'js-yaml';
import { printable, printableJson } from '../../wire/redact.js';
import { withPlainNumbers } from './document.js';

/**
 * YAML that 1.1 and 1.2 parsers read alike: what could be read as a number or a boolean is quoted. If the text holds
 * terminal control characters, everything is quoted, with JSON escapes.
 */
export function yamlText(value: unknown): string {
  const options = { noRefs: true, lineWidth: -1, quotingType: '"' } as const;
  const plain = withPlainNumbers(value);
  const text = dump(plain, options);
  return printable(text) === text ? text : printableJson(dump(plain, { ...options, forceQuotes: true }));
}
