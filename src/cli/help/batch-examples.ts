/**
 * Examples of the `batch` commands that send nothing, without the word `paycli`; a test runs them beside the files they name.
 * $PLAN stands for the id of a plan, $DIGEST for the first 8 characters of its digest.
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
