import type { Scenario } from '../scenario.js';

const sale = { operation: 'sale' } as const;
const declined = { operation: 'sale', card: 'declined' } as const;
const verify =
  'verify the control of every callback, compare order and amount, and ask for the status before it counts';
const free = 'anybody who knows the address of the handler gets goods for nothing';
const again = 'goods are sent, or refunds are booked, once for each callback';

/** Callbacks: true, forged, doubled, late and missing. */
export const callbackScenarios: readonly Scenario[] = [
  {
    name: 'callback-approved',
    tag: 'callback',
    title: 'the payment is processing for an hour, then approved, and a callback says so',
    should: 'take the callback, or a later status, for the outcome, and report it as paid',
    why: 'a paid order is never delivered',
    order: { operation: 'sale', card: 'slow' },
    setUp: { moments: [{ afterMs: 1500, act: { kind: 'advance', ms: 3_600_000 } }] },
    expect: { moves: [1], says: ['paid'] },
  },
  {
    name: 'callback-before-reply',
    tag: 'callback',
    title: 'the callback comes before the reply to the payment',
    should: 'answer it although the order id is not known yet, and report the payment as paid',
    why: 'a handler that fails here loses the outcome of fast payments',
    order: sale,
    setUp: { callbacks: 'before-response' },
    expect: { moves: [1], says: ['paid'] },
  },
  {
    name: 'callback-forged',
    tag: 'callback',
    title: 'a forged callback says approved; the bank declines',
    should: verify,
    why: free,
    order: declined,
    setUp: { callbacks: 'forged', settleMs: 1500 },
    expect: { moves: [0], says: ['declined'] },
  },
  {
    name: 'callback-altered',
    tag: 'callback',
    title: 'a callback was altered on its way: it says approved, its control is that of the declined one',
    should: verify,
    why: free,
    order: declined,
    setUp: { callbacks: 'altered', settleMs: 1500, moments: [] },
    expect: { moves: [0], says: ['declined'] },
  },
  {
    name: 'callback-other-order',
    tag: 'callback',
    title: 'the true callback of another order, which is approved, is sent for this one, which is declined',
    should: 'find the order by the ids in the callback, not by the address it came to',
    why: 'one cheap payment pays for every order',
    order: declined,
    setUp: { callbacks: 'other-order', settleMs: 1500, prepared: { kind: 'sale' } },
    expect: { moves: [0], says: ['declined'] },
  },
  {
    name: 'callback-twice',
    tag: 'callback',
    title: 'the callback comes twice at once',
    should: 'answer both with 200, and book the payment once',
    why: again,
    order: sale,
    setUp: { callbacks: 'twice' },
    expect: { moves: [1], says: ['paid'] },
  },
  {
    name: 'callback-again',
    tag: 'callback',
    title: 'the answer to the callback is lost, or was 500, and it comes again',
    should: 'answer it with 200 again, and book the payment once',
    why: again,
    order: sale,
    setUp: { callbacks: 'again' },
    expect: { moves: [1], says: ['paid'] },
  },
  {
    name: 'callback-swapped',
    tag: 'callback',
    title: 'callbacks come ten seconds late and in the wrong order',
    should: 'ask for the status, which says what is true now',
    why: 'an old outcome replaces a newer one',
    order: sale,
    setUp: { callbacks: 'swapped', moments: [{ afterMs: 1000, act: { kind: 'advance', ms: 11_000 } }] },
    expect: { moves: [1], says: ['paid'] },
  },
  {
    name: 'callback-late',
    tag: 'callback',
    title: 'the callback comes an hour late',
    should: 'ask for the status meanwhile, and change nothing when the callback comes',
    why: 'an order is cancelled although it is paid, or paid twice',
    order: sale,
    setUp: { callbacks: 'late', moments: [{ afterMs: 1500, act: { kind: 'advance', ms: 3_600_000 } }] },
    expect: { moves: [1], says: ['paid'] },
  },
  {
    name: 'callback-never',
    tag: 'callback',
    title: 'no callback ever comes',
    should: 'ask for the status, and report it as paid',
    why: 'a paid order is never delivered',
    order: sale,
    setUp: { callbacks: 'never' },
    expect: { moves: [1], says: ['paid'] },
  },
];
