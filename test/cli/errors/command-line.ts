import type { ErrorCase } from './error-case.js';

const usage = (...argv: readonly string[]): ErrorCase => ({ code: 'USAGE', argv });

/** Mistyped words, and flags that cannot be. */
export const commandLine: readonly ErrorCase[] = [
  usage('sal'),
  usage('card-ref', 'crate'),
  usage('sign', 'diff', 'slae'),
  usage('help', 'slae'),
  usage('4444333322221111'),
  usage('sale', '--amuont', '1'),
  usage('--amount', '5', 'sale'),
  usage('sandbox', '--port', '8080'),
  usage('sale', '--order-desc', 'Two', 'tickets'),
  usage('sale', '--amount'),
  usage('completion'),
  usage('completion', 'zhs'),
  usage('keys', 'generate', '--bits', '1024'),
  usage('order', '12345', '--can', 'captrue'),
  usage('journal', '--state', 'unknwon'),
  usage('assumptions', 'control-encodin'),
  usage('sandbox', 'outcomes', 'next', 'declned'),
  usage('status'),
  usage('request', '/api/v9/sale'),
  { code: 'KEY_ON_COMMAND_LINE', argv: ['status', '12345', '--control-key', 'hunter2'] },
  { code: 'TEXT_INVALID', argv: ['callback', 'verify', '@HOME/missing'] },
];
