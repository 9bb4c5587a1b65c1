/** Examples of `batch work`, without the word `paycli`; a test runs them with a database of its own in the place of this address. */
export const batchWorkExamples = [
  'batch work --make-row-key rows.key',
  'batch work --engine postgres://payer@db.example/batches --row-key-file rows.key',
  'batch work $PLAN --engine postgres://payer@db.example/batches --row-key-file rows.key --concurrency 8',
] as const;
