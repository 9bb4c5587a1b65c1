import { printable } from './redact.js';

// Full-width signs count for some programs, and blanks in front of a sign are skipped by some.
const formula = /^(?:[\t\r\n\0]|[\s\u{feff}]*[=+\-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}])/u;

/**
 * Text as the content of a CSV cell: no spreadsheet runs it, for what begins like a formula gets an apostrophe in
 * front, and no terminal is steered by it. Quoting is left to who writes the file.
 */
export function csvCell(text: string): string {
  return formula.test(text) ? `'${printable(text)}` : printable(text);
}
