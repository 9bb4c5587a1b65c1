/**
 * Examples of `init`, without the word `paycli`; a test runs them in this order, with a control key in the file they name
 * and on standard input where one reads `-`.
 */
export const initExamples = [
  'init',
  'init --class sandbox',
  'init --name shop-test --class test --base-url https://gate.example/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key',
  'init --name shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --endpoint EUR=4002 --max-amount "500.00 EUR" --control-key-file - --generate-key --no-check --json',
] as const satisfies readonly string[];
