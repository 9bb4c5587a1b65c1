/** Examples of `resolve` and the `journal` commands, without the word `paycli`; a test runs them after a sale with the id order-1. */
export const journalExamples = {
  resolve: ['resolve order-1', 'resolve --all --once', 'resolve --entry 1 --settle-as paid --evidence "statement of 31 January, line 4"'],
  list: [
    'journal list',
    'journal list --state unknown --state sending',
    'journal list --since 7d --min "10.00 USD" --json',
    'journal list --profile sandbox',
  ],
  show: ['journal show order-1'],
  export: ['journal export', 'journal export --format csv --since 30d', 'journal export --moves'],
  verify: ['journal verify'],
  adopt: ['journal adopt --after-restore'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
