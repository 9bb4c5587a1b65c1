/** A sale of 10.42 USD with the sandbox's card that is approved, and the flags named. */
export const testSale = (...flags: readonly string[]): string[] => [
  ...['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'],
  ...flags,
];
