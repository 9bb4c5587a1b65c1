/** What languages print for nothing, and what stands for it in data. */
export const nothingWords: readonly string[] = [
  ...['null', 'undefined', 'None', 'nil', 'NULL', 'Null', 'NaN', 'false', '0', '<nil>', '%!s(<nil>)', '%!d(<nil>)'],
  ...[
    '%!v(<nil>)',
    '(null)',
    '<null>',
    '(nil)',
    'N/A',
    'n/a',
    'NA',
    '-',
    '--',
    'none',
    'empty',
    'Optional.empty',
    'Nothing',
    '[]',
    '{}',
    '()',
    '""',
    "''",
  ],
  ...['[object Object]', 'Array', 'Object', 'System.Object', 'System.DBNull', '00000000-0000-0000-0000-000000000000'],
  ...['0.0', '0.00', '-1', ' ', 'False', 'FALSE', 'true', '1', '\\N', 'void', '(empty)', 'undef', "b''", 'nan', '#N/A'],
  ...['System.String[]', 'System.Collections.Generic.List`1[System.String]', 'java.lang.Object', '\0', '\n', '%00'],
];

/** A word as a detail shows it: in quotes where a reader would not see it, or it would break the line. */
export function shownWord(word: string): string {
  return /^[!-~]+$/.test(word) ? word : JSON.stringify(word);
}
