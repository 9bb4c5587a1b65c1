import type { Paint } from '../../runtime/ports.js';
import type { ParameterRow, SignedParameterValue } from '../../signing/diagnose/index.js';
import { printable } from '../../wire/redact.js';
import type { Layout } from './document.js';

/** What each state of a parameter is called. */
const words: Readonly<Record<ParameterRow['status'], string>> = {
  equal: 'equal',
  different: 'different',
  missing: 'missing',
  added: 'added',
};

/**
 * Parameters of both sides, one line each: state, name, decoded value, as it was signed, the byte where that begins. A
 * different one has a line for either side.
 */
export function presentParameters(rows: readonly ParameterRow[], report: Layout): string {
  return report.columns(rows.flatMap((row) => linesOf(row, report.paint)));
}

function linesOf({ name, status, ours, theirs }: ParameterRow, paint: Paint): string[][] {
  const line = (state: string, side: SignedParameterValue | undefined) => [
    `  ${state}`,
    paint.name(printable(name)),
    ...cellsOf(side, paint),
  ];
  if (status === 'equal') return [line(words.equal, ours)];
  if (status === 'missing') return [line(paint.bad(`${words.missing}: not signed by them`), ours)];
  if (status === 'added') return [line(paint.bad(`${words.added}: signed only by them`), theirs)];
  return [line(paint.bad(`${words.different}: ours`), ours), line(paint.bad(`${words.different}: theirs`), theirs)];
}

function cellsOf(side: SignedParameterValue | undefined, paint: Paint): string[] {
  if (side === undefined) return [];
  const { value, signed, at, odd } = side;
  return [
    value === '' ? paint.dim('(empty)') : printable(value),
    printable(signed),
    `byte ${at}`,
    paint.warn(odd.map((each) => `${each.codePoint} at character ${each.at + 1}`).join(', ')),
  ];
}
