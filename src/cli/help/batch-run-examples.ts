/** Examples of the commands that send a plan, without the word `paycli`. $PLAN stands for the id of a plan. */
export const batchRunExamples = {
  run: ['batch run $PLAN --dry-run', 'batch run $PLAN', 'batch run $PLAN --concurrency 8 --rate 20/s --max-rows 1000'],
  resume: ['batch resume $PLAN'],
  report: ['batch report $PLAN --out results'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
