import { stringify } from 'yaml';
import { printable, printableJson } from '../../wire/redact.js';
import { withPlainNumbers } from './document.js';

/**
 * YAML that 1.1 and 1.2 parsers read alike: what could be read as a number or a boolean is quoted. If the text holds
 * terminal control characters, everything is quoted, with JSON escapes.
 */
export function yamlText(value: unknown): string {
  const options = { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0, singleQuote: false } as const;
  const plain = withPlainNumbers(value);
  const text = stringify(plain, options);
  return printable(text) === text
    ? text
    : printableJson(stringify(plain, { ...options, defaultStringType: 'QUOTE_DOUBLE' }));
}
