import type { Delivery } from '../../../src/runtime/ports.js';
import { paycli, reply, type TestOptions } from '../../support/runtime.js';
import { controlKey, saleFlags, statusReply, taken } from '../profiles.js';
import type { ErrorCase } from './error-case.js';

const lost = (): Delivery => ({ kind: 'lost', reason: 'the connection was reset' });
const noSuchOrder = () =>
  reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '3' });
const refund = ['return', '12345', '--client-order-id', '902B4FF5', '--all'];
const live = { class: 'live' } as const;

/** An earlier command in the same home. */
const earlier = (argv: readonly string[], options: TestOptions) => (home: string) => paycli(argv, { home, ...options });
const paid = earlier(saleFlags, { network: [() => reply(200, taken)] });
const inDoubt = earlier(saleFlags, { network: [lost] });
const withoutId = saleFlags.filter(
  (word, at) => word !== '--client-order-id' && saleFlags[at - 1] !== '--client-order-id',
);
/** The process that sent it ended in between, so nobody wrote down what came of it. */
const sending = (home: string) =>
  paycli(saleFlags, {
    home,
    network: [() => reply(200, taken)],
    outside: (usual) => ({ ...usual, transport: async () => broken, processes: { ...usual.processes, pid: 4243 } }),
  }).catch(() => undefined);
const broken = {
  post: () => Promise.reject(new Error('the process ended')),
  close: async () => undefined,
};

/** The journal, the live guard and caps. */
export const moneySafety: readonly ErrorCase[] = [
  {
    code: 'ORDER_ID_USED',
    given: 'order 902B4FF5 was paid before',
    profile: {},
    before: paid,
    argv: saleFlags.with(4, '11.00'),
  },
  {
    code: 'SAME_CONTENT_OPEN',
    given: 'the reply to an equal sale got lost',
    profile: {},
    before: earlier(withoutId, { network: [lost] }),
    argv: withoutId,
  },
  {
    code: 'SAME_CONTENT_SENT',
    given: 'order 902B4FF5 was paid before, at endpoint 1144',
    profile: {},
    before: paid,
    argv: [...saleFlags, '--endpoint-id', '4002'],
  },
  {
    code: 'ORDER_BUSY',
    given: 'the reply to a return of 5.00 EUR got lost',
    profile: {},
    before: earlier([...refund.slice(0, -1), '--amount', '5.00', '--currency', 'EUR'], { network: [lost] }),
    argv: refund,
  },
  {
    code: 'NOT_POSSIBLE',
    given: 'the gateway says that the sale was declined',
    profile: { asksFirst: true },
    argv: refund,
    options: () => ({ network: [() => reply(200, statusReply('declined', { 'transaction-type': 'sale' }))] }),
  },
  {
    code: 'OTHER_PROFILE',
    given: 'order 902B4FF5 was paid in the built-in sandbox',
    profile: {},
    before: earlier([...saleFlags, '--profile', 'sandbox'], {}),
    argv: ['return', '902B4FF5', '--all'],
  },
  {
    code: 'REQUEST_BUSY',
    given: 'another process is sending it',
    profile: {},
    before: sending,
    argv: saleFlags,
    options: () => ({ outside: (usual) => ({ ...usual, processes: { ...usual.processes, isAlive: () => true } }) }),
  },
  {
    code: 'RESEND_REFUSED',
    given: 'the reply to the sale got lost',
    profile: {},
    before: inDoubt,
    argv: ['resolve', '902B4FF5', '--resend', '--confirm-resend', '902B4FF5'],
    options: () => ({ network: [noSuchOrder] }),
  },
  {
    code: 'SECRET_FOUND',
    given: 'somebody took the control key for an order id',
    profile: {},
    before: earlier(saleFlags.with(2, controlKey), { network: [lost] }),
    argv: ['support', '--client-order-id', controlKey],
  },
  { code: 'LIVE_GUARD', profile: live, argv: refund },
  { code: 'LIVE_GUARD', profile: {}, argv: [...refund, '--live'] },
  { code: 'LIVE_GUARD', profile: live, argv: [...refund, '--live', '--confirm-login', 'other'] },
  { code: 'CAP_EXCEEDED', profile: { more: ['max-amount: 10.00 USD'] }, argv: saleFlags },
  {
    code: 'CAP_EXCEEDED',
    profile: { more: ['max-total-per-day: 12.00 USD'] },
    before: paid,
    argv: [...saleFlags.with(2, 'another'), '--again'],
  },
];
