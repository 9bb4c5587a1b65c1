/**
 * Examples of the `callback` commands, without the word `paycli`; a test runs them after a sale with the id order-1, with a handler
 * at port 3000 and one callback in the history.
 */
export const callbackExamples = {
  listen: [
    'callback listen --forward http://127.0.0.1:3000/callback',
    'callback listen --exit-after 1 --timeout 60 --check --json',
    'callback listen --route "type=reversal -> http://127.0.0.1:3000/reversals" --forward http://127.0.0.1:3000/callback',
    'callback listen --forward http://127.0.0.1:3000/callback --run -- npm test',
  ],
  list: ['callback list', 'callback list --order order-1 --since 7d --json'],
  show: ['callback show 1'],
  replay: ['callback replay 1 --to http://127.0.0.1:3000/callback'],
  verify: ['callback verify @callback.txt', 'callback verify "status=approved&orderid=1&client_orderid=a&control=0"'],
  send: [
    'callback send --client-order-id order-1 --to http://127.0.0.1:3000/callback',
    'callback send --client-order-id order-1 --set status=declined --post --to http://127.0.0.1:3000/callback',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
