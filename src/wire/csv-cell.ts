import { printable } from './redact.js';

// Some programs accept full-width signs, and some skip blanks before a sign.
const formula = /^(?:[\t\r\n\0]|[\s\u{feff}]*[=+\-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}])/u;

/**
 * Text as the content of a CSV cell: an apostrophe before what begins like a formula, so that no spreadsheet runs it,
 * and no terminal control characters. Quoting is left to the caller.
 */
export function csvCell(text: string): string {
  return formula.test(text) ? `'${printable(text)}` : printable(text);
}
