import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCase } from './error-case.js';

const file = (text: string) => (home: string) => writeFileSync(join(home, 'returns.csv'), text);
const plan = (count: string, total: string) => [
  ...['batch', 'plan', 'HOME/returns.csv', '--operation', 'return'],
  ...['--expect-count', count, '--expect-total', total],
];

/** Files of many requests. */
export const batch: readonly ErrorCase[] = [
  {
    code: 'BATCH_INVALID',
    given: 'a file with a wrong amount, a wrong currency and a missing id',
    profile: {},
    before: file('client_orderid,orderid,amount,currency\na-1,101,ten,EUR\na-2,102,5.00,EURO\na-3,,5.00,EUR\n'),
    argv: plan('3', 'EUR=15.00'),
  },
  {
    code: 'BATCH_REFUSED',
    given: 'a file with another total',
    profile: {},
    before: file('client_orderid,orderid,amount,currency\na-1,101,5.00,EUR\n'),
    argv: plan('2', 'EUR=10.00'),
  },
];
