/** Everything wrong with one input: by itself, or as a list below a line that counts. */
export function problemsText(problems: readonly string[]): string {
  const [only] = problems;
  if (only !== undefined && problems.length === 1) return only;
  return `${problems.length} things are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
}
