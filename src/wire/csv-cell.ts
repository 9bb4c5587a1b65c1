// Full-width signs count for some programs, and blanks in front of a sign are skipped by some.
const formula = /^(?:[\t\r\n\0]|[\s\u{feff}]*[=+\-@＝＋－＠])/u;

/**
 * Text as the content of a CSV cell that no spreadsheet runs: what begins like a formula gets an apostrophe in front. Quoting is
 * left to who writes the file.
 */
export function csvCell(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}
