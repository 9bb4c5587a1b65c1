import { defineScenarios, type Scenario, sale } from '../scenario.js';

const hourMs = 3_600_000;

const verifyEachCallback =
  'verify the checksum (control) of every callback, compare order and amount, and query the status before acting on it';

/**
 * Scenarios of `paycli certify` about callbacks: true, forged, doubled, late and missing ones. `callbacks` says how the
 * gateway delivers them, and `settleMs` how long the payment stays processing.
 */
export const callbackScenarios: readonly Scenario[] = defineScenarios('callback', {
  'callback-approved': {
    title: 'the payment is processing for an hour, then it is approved, and a callback reports it',
    should: 'take the outcome from the callback or a later status reply, and report it as paid',
    order: sale('slow'),
    setUp: { moment: { afterRequestMs: 1500, act: 'advance-clock', ms: hourMs } },
  },
  'callback-before-reply': {
    title: 'the callback arrives before the reply to the payment',
    should: 'accept it even though the order id is not known yet, and report the payment as paid',
    setUp: { callbacks: 'before-response' },
  },
  'callback-forged': {
    title: 'a forged callback says approved; the bank declines',
    should: verifyEachCallback,
    order: sale('declined'),
    setUp: { callbacks: 'forged', settleMs: 1500 },
  },
  'callback-altered': {
    title: 'a callback was altered in transit: it says approved, but its checksum (control) is that of a declined one',
    should: verifyEachCallback,
    order: sale('declined'),
    setUp: { callbacks: 'altered', settleMs: 1500 },
  },
  'callback-other-order': {
    title: 'a genuine callback of another, approved order is sent for this declined one',
    should: 'find the order by the ids in the callback, not by the URL it was sent to',
    order: sale('declined'),
    setUp: { callbacks: 'other-order', settleMs: 1500, prepared: 'sale' },
  },
  'callback-twice': {
    title: 'the callback arrives twice at the same time',
    should: 'answer both with 200, and book the payment once',
    setUp: { callbacks: 'twice' },
  },
  'callback-again': {
    title: 'the answer to the callback is lost or is a 500, so it is sent again',
    should: 'answer it with 200 again, and book the payment once',
    setUp: { callbacks: 'again' },
  },
  'callback-swapped': {
    title: 'callbacks arrive ten seconds late and out of order',
    should: 'query the status, which is always current',
    setUp: { callbacks: 'swapped', moment: { afterRequestMs: 1000, act: 'advance-clock', ms: 11_000 } },
  },
  'callback-late': {
    title: 'the callback arrives an hour late',
    should: 'query the status meanwhile, and change nothing when the callback arrives',
    setUp: { callbacks: 'late', moment: { afterRequestMs: 1500, act: 'advance-clock', ms: hourMs } },
  },
  'callback-never': {
    title: 'no callback ever arrives',
    should: 'query the status, and report it as paid',
    setUp: { callbacks: 'never' },
  },
});
