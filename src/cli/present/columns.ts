/** Rows as aligned columns; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[], gap = 2): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return rows
    .map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + gap))).join(''))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
