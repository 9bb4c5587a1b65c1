import { defineScenarios, type Scenario, sale } from '../scenario.js';

/** Outcomes, and operations on an earlier payment. */
export const moneyScenarios: readonly Scenario[] = defineScenarios('money', {
  approved: {
    title: 'the payment is approved after a moment',
    should: 'query the status until it is final, and report it as paid',
  },
  declined: {
    title: 'the bank declines after the payment was accepted for processing',
    should: 'report it as declined: an accepted request is not an approval',
    order: sale('declined'),
  },
  filtered: {
    title: 'a fraud filter stops the payment',
    should: 'report it as declined',
    order: sale('filtered'),
  },
  error: {
    title: 'the acquirer reports an error for the payment',
    should: 'report it as declined: the status `error` is final, and no money moved',
    order: sale('error'),
  },
  'acquirer-unknown': {
    title: 'the status is `unknown`: the gateway lost contact with the acquirer',
    should: 'report it as unknown or pending, for a person to investigate',
    order: sale('unknown'),
    expect: { timesMoneyMoved: [0], reports: ['unknown', 'pending'] },
  },
  'processing-then-approved': {
    title: 'the payment is processing for some seconds without a callback, then it is approved',
    should: 'query the status at most once a second, and report it as paid',
    setUp: { settleMs: 2500, callbacks: 'never' },
  },
  'processing-then-declined': {
    title: 'the payment is processing for some seconds, then it is declined',
    should: 'wait for the final status, and report it as declined',
    order: sale('declined'),
    setUp: { settleMs: 2500 },
  },
  'processing-past-patience': {
    title: 'the payment is still processing when the client stops waiting; it is approved an hour later',
    should: 'report it as pending, and query it again later',
    order: sale('slow'),
    expect: { timesMoneyMoved: [1], reports: ['pending', 'unknown'] },
  },
  'capture-part': {
    title: 'part of a hold is captured',
    should: 'send the partial amount with its currency, and report it as paid',
    order: { operation: 'capture', amount: '10.00' },
    setUp: { prepared: 'preauth' },
  },
  'return-part': {
    title: 'part of a payment is refunded',
    should: 'send the partial amount with its currency, and report it as paid',
    order: { operation: 'return', amount: '5.00' },
    setUp: { prepared: 'sale' },
  },
  'return-beyond-rest': {
    title: 'a refund exceeds the amount paid',
    should: 'report the refusal, and do not refund another amount instead',
    order: { operation: 'return', amount: '99.00' },
    setUp: { prepared: 'sale' },
    expect: { timesMoneyMoved: [0], reports: ['refused', 'declined'] },
  },
  'void-too-late': {
    title: 'a payment settled the day before is voided',
    should: 'report the refusal; whether to refund instead is for a person to decide',
    order: { operation: 'void' },
    setUp: { prepared: 'settled-sale' },
    expect: { timesMoneyMoved: [0], reports: ['refused', 'declined'] },
  },
  'rebill-expired-card': {
    title: 'an expired stored card is charged',
    should: 'report the refusal, and do not retry',
    order: { operation: 'rebill' },
    setUp: { prepared: 'expired-card' },
    expect: { timesMoneyMoved: [0], reports: ['refused', 'declined'] },
  },
  'payout-two-steps': {
    title: 'a payout is checked in one run and paid in a second one',
    should: 'pay what was checked, once',
    order: { operation: 'payout-check' },
    runs: { kind: 'twice', second: { operation: 'payout-pay' } },
    expect: { timesMoneyMoved: [1], firstReports: ['paid', 'pending'], reports: ['paid'] },
  },
  'payout-recipient-changed': {
    title: 'the recipient of the order is changed between check and pay',
    should: 'refuse to pay: the recipient is not the one that was checked',
    order: { operation: 'payout-check' },
    runs: {
      kind: 'twice',
      second: { operation: 'payout-pay', fields: { account_number: 'DE89370400440532013000' } },
    },
    expect: { timesMoneyMoved: [0], firstReports: ['paid', 'pending'], reports: ['refused'] },
  },
});
