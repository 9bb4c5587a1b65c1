/** Examples of `wait` and `timeline`, without the word `paycli`; a test runs them after a sale with the id order-1. */
export const waitExamples = {
  wait: ['wait --client-order-id order-1', 'wait order-1 --for approved --timeout 600 --json', 'wait order-1 --via callback --timeout 60'],
  timeline: ['timeline order-1', 'timeline --client-order-id order-1 --json'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
