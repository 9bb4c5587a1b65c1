/** Examples of `batch move`, without the word `paycli`; a test runs them with a database of its own in the place of this address. */
export const batchMoveExamples = [
  'batch move $PLAN --to postgres://payer@db.example/batches --row-key-file rows.key',
  'batch move $PLAN --to local',
] as const;
