/** Examples of `support bundle`, without the word `paycli`; a test runs them after a sale with the id order-1. */
export const supportExamples = [
  'support bundle order-1',
  'support bundle --client-order-id order-1 --out case-17.zip',
  'support bundle order-1 --replace --json',
] as const;
