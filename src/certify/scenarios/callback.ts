import type { Scenario } from '../scenario.js';

const sale = { operation: 'sale' } as const;
const declinedSale = { operation: 'sale', card: 'declined' } as const;
const hourMs = 3_600_000;

// What a client should do, and what happens to the shop otherwise, in more than one scenario.
const verifyEachCallback =
  'verify the checksum (control) of every callback, compare order and amount, and query the status before acting on it';
const goodsForFree = 'anyone who knows the address of the handler gets goods without paying';
const bookedForEachCallback = 'goods are shipped, or refunds are booked, once per callback';

/**
 * Scenarios of `paycli certify` about callbacks: true, forged, doubled, late and missing ones. `callbacks` says how the
 * gateway delivers them, and `settleMs` how long the payment stays processing.
 */
export const callbackScenarios: readonly Scenario[] = [
  {
    name: 'callback-approved',
    tag: 'callback',
    title: 'the payment is processing for an hour, then it is approved, and a callback reports it',
    should: 'take the outcome from the callback or a later status reply, and report it as paid',
    why: 'a paid order is never delivered',
    order: { operation: 'sale', card: 'slow' },
    setUp: { moments: [{ afterRequestMs: 1500, act: { kind: 'advance-clock', ms: hourMs } }] },
    expect: { timesMoneyMoved: [1], reports: ['paid'] },
  },
  {
    name: 'callback-before-reply',
    tag: 'callback',
    title: 'the callback arrives before the reply to the payment',
    should: 'accept it even though the order id is not known yet, and report the payment as paid',
    why: 'a handler that fails here loses the outcome of fast payments',
    order: sale,
    setUp: { callbacks: 'before-response' },
    expect: { timesMoneyMoved: [1], reports: ['paid'] },
  },
  {
    name: 'callback-forged',
    tag: 'callback',
    title: 'a forged callback says approved; the bank declines',
    should: verifyEachCallback,
    why: goodsForFree,
    order: declinedSale,
    setUp: { callbacks: 'forged', settleMs: 1500 },
    expect: { timesMoneyMoved: [0], reports: ['declined'] },
  },
  {
    name: 'callback-altered',
    tag: 'callback',
    title: 'a callback was altered in transit: it says approved, but its checksum (control) is that of a declined one',
    should: verifyEachCallback,
    why: goodsForFree,
    order: declinedSale,
    setUp: { callbacks: 'altered', settleMs: 1500 },
    expect: { timesMoneyMoved: [0], reports: ['declined'] },
  },
  {
    name: 'callback-other-order',
    tag: 'callback',
    title: 'a genuine callback of another, approved order is sent for this declined one',
    should: 'find the order by the ids in the callback, not by the URL it was sent to',
    why: 'one cheap payment pays for every order',
    order: declinedSale,
    setUp: { callbacks: 'other-order', settleMs: 1500, prepared: { kind: 'sale' } },
    expect: { timesMoneyMoved: [0], reports: ['declined'] },
  },
  {
    name: 'callback-twice',
    tag: 'callback',
    title: 'the callback arrives twice at the same time',
    should: 'answer both with 200, and book the payment once',
    why: bookedForEachCallback,
    order: sale,
    setUp: { callbacks: 'twice' },
    expect: { timesMoneyMoved: [1], reports: ['paid'] },
  },
  {
    name: 'callback-again',
    tag: 'callback',
    title: 'the answer to the callback is lost or is a 500, so it is sent again',
    should: 'answer it with 200 again, and book the payment once',
    why: bookedForEachCallback,
    order: sale,
    setUp: { callbacks: 'again' },
    expect: { timesMoneyMoved: [1], reports: ['paid'] },
  },
  {
    name: 'callback-swapped',
    tag: 'callback',
    title: 'callbacks arrive ten seconds late and out of order',
    should: 'query the status, which is always current',
    why: 'an old outcome replaces a newer one',
    order: sale,
    setUp: { callbacks: 'swapped', moments: [{ afterRequestMs: 1000, act: { kind: 'advance-clock', ms: 11_000 } }] },
    expect: { timesMoneyMoved: [1], reports: ['paid'] },
  },
  {
    name: 'callback-late',
    tag: 'callback',
    title: 'the callback arrives an hour late',
    should: 'query the status meanwhile, and change nothing when the callback arrives',
    why: 'a paid order is cancelled, or the order is paid twice',
    order: sale,
    setUp: { callbacks: 'late', moments: [{ afterRequestMs: 1500, act: { kind: 'advance-clock', ms: hourMs } }] },
    expect: { timesMoneyMoved: [1], reports: ['paid'] },
  },
  {
    name: 'callback-never',
    tag: 'callback',
    title: 'no callback ever arrives',
    should: 'query the status, and report it as paid',
    why: 'a paid order is never delivered',
    order: sale,
    setUp: { callbacks: 'never' },
    expect: { timesMoneyMoved: [1], reports: ['paid'] },
  },
];
