/** Examples of the `live` commands, without the word `paycli`; a test runs them in this order with a live profile. */
export const liveExamples = {
  unlock: [
    'live unlock --for 15m --ops return,void --max "500.00 EUR" --live',
    'live unlock --for 2h --ops "payout pay" --max "1200.00 EUR" --live',
  ],
  status: ['live status', 'live status --json'],
  lock: ['live lock'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
