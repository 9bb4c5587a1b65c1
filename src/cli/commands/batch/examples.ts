/**
 * Examples of the `batch` commands that send nothing, without the word `paycli`; a test runs them beside the files they
 * name. $PLAN stands for the id of a plan, $DIGEST for the first 8 characters of its digest.
 */
export const batchExamples = {
  plan: [
    'batch plan payouts.csv --operation payout --expect-count 2 --expect-total EUR=35.50',
    'batch plan returns.ndjson --operation return --map order=orderid --expect-count 1 --expect-total EUR=5.00 --json',
  ],
  list: ['batch list', 'batch list --json'],
  show: ['batch show $PLAN'],
  approve: [
    'batch approve ./$PLAN.db --key-file mary.pem --total EUR=35.50 --digest $DIGEST --approval-file approval.json',
    'batch approve $PLAN --approval-file approval.json',
  ],
  reconcile: [
    'batch reconcile statement.csv --since 7d',
    'batch reconcile statement.csv --map "Merchant reference=client-order-id" --map Total=amount --currency EUR',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Examples of the commands that send a plan, without the word `paycli`. $PLAN stands for the id of a plan. */
export const batchRunExamples = {
  run: ['batch run $PLAN --dry-run', 'batch run $PLAN', 'batch run $PLAN --concurrency 8 --rate 20/s --max-rows 1000'],
  resume: ['batch resume $PLAN'],
  report: ['batch report $PLAN --out results'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Examples of `batch work`, without the word `paycli`; a test runs them with a database of its own in the place of this
 * address.
 */
export const batchWorkExamples = [
  'batch work --make-row-key rows.key',
  'batch work --engine postgres://payer@db.example/batches --row-key-file rows.key',
  'batch work $PLAN --engine postgres://payer@db.example/batches --row-key-file rows.key --concurrency 8',
] as const;

/**
 * Examples of `batch move`, without the word `paycli`; a test runs them with a database of its own in the place of this
 * address.
 */
export const batchMoveExamples = [
  'batch move $PLAN --to postgres://payer@db.example/batches --row-key-file rows.key',
  'batch move $PLAN --to local',
] as const;
