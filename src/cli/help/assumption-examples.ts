/** Examples of `assumptions set`, without the word `paycli`; each follows on those before it. A test runs them with a profile shop-test. */
export const assumptionExamples = [
  'assumptions set control-encoding=hex-upper',
  'assumptions set A03=minor --unset control-encoding --profile shop-test',
] as const;
