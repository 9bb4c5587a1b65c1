/** Rows as aligned columns; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[], gap = 2): string {
  const most = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: most }, (_, at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + gap))).join(''))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
