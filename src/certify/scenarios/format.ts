import { defineScenarios, type Scenario } from '../scenario.js';

const texts = 'percent-encode every name and value, and sign the plain text';

/** Amounts, texts and clocks. */
export const formatScenarios: readonly Scenario[] = defineScenarios('format', {
  yen: {
    title: 'an amount in JPY, which has no fraction digits',
    should: 'send 1042 and sign 1042',
    order: { operation: 'sale', amount: '1042', currency: 'JPY' },
  },
  dinar: {
    title: 'an amount in KWD, which has three fraction digits',
    should: 'send 10.420 and sign 10420',
    order: { operation: 'sale', amount: '10.420', currency: 'KWD' },
  },
  'text-signs': {
    title: 'texts with &, +, %, = and quotes',
    should: texts,
    order: {
      operation: 'sale',
      fields: { order_desc: `Tea & cake + 10% "off" = it's 5;00`, email: 'a+b@example.com' },
    },
    expect: { timesMoneyMoved: [1], reports: ['paid'], checks: ['texts'] },
  },
  'text-utf-8': {
    title: 'texts with umlauts and characters of other scripts',
    should: `${texts} as UTF-8`,
    order: { operation: 'sale', fields: { order_desc: 'Käse, crème brûlée, 寿司, чай', city: 'Köln' } },
    expect: { timesMoneyMoved: [1], reports: ['paid'], checks: ['texts'] },
  },
  'oauth-clock': {
    title: 'the clock of the client is ten minutes slow, so the gateway refuses the OAuth signature',
    should: 'report it as refused, and have the clock corrected',
    order: { operation: 'payout' },
    setUp: { clockAheadMs: 600_000 },
    expect: { timesMoneyMoved: [0, 1], reports: ['refused', 'paid'], mayBreak: ['oauth-clock'] },
  },
});
