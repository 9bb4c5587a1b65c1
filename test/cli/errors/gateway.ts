import type { Delivery } from '../../../src/runtime/ports.js';
import { reply, type TestOptions } from '../../support/runtime.js';
import { saleFlags, statusReply, taken } from '../profiles.js';
import type { ErrorCase } from './error-case.js';

const ask = ['status', '12345', '--client-order-id', '902B4FF5'];
const refusal = (words: string) => () =>
  reply(400, { type: 'validation-error', 'error-message': words, 'error-code': '2' });
/** However often it is asked. */
const always = (delivery: Delivery): TestOptions => ({
  outside: (usual) => ({
    ...usual,
    transport: async () => ({ post: async () => delivery, close: async () => undefined }),
  }),
});
const lost = (): Delivery => ({ kind: 'lost', reason: 'the connection was reset' });
const neverSent: Delivery = { kind: 'never-sent', reason: 'the connection was refused' };

/** What becomes of requests. */
export const gateway: readonly ErrorCase[] = [
  { code: 'REFUSED', profile: {}, argv: saleFlags, options: () => ({ network: [refusal('INVALID_CONTROL_CODE')] }) },
  { code: 'NOT_SENT', profile: {}, argv: saleFlags, options: () => always(neverSent) },
  {
    code: 'CERTIFICATE',
    profile: {},
    argv: ask,
    options: () => ({
      network: [() => ({ kind: 'certificate', reason: 'the certificate has expired', remedy: 'check the clock' })],
    }),
  },
  { code: 'READ_FAILED', profile: {}, argv: ask, options: () => always(lost()) },
  { code: 'READ_FAILED', profile: {}, argv: ask, options: () => always(neverSent) },
  { code: 'OUTCOME_UNKNOWN', profile: {}, argv: saleFlags, options: () => ({ network: [lost] }) },
  {
    code: 'CHECK_FAILED',
    profile: {},
    argv: [...saleFlags, '--wait', '--expect', 'declined'],
    options: () => ({ network: [() => reply(200, taken), () => reply(200, statusReply('approved'))] }),
  },
  {
    code: 'DECLINED',
    profile: {},
    argv: [...saleFlags, '--wait', '--json'],
    options: () => ({
      network: [
        () => reply(200, taken),
        () => reply(200, statusReply('declined', { 'error-message': 'Not enough money' })),
      ],
    }),
  },
  {
    code: 'PENDING',
    given: 'an order that is on its way',
    profile: {},
    argv: ['status', '--wait', '12345', '--wait-timeout', '2s'],
    options: () => always(reply(200, statusReply('processing'))),
  },
  {
    code: 'INTERRUPTED',
    given: 'Ctrl-C before the first answer',
    profile: {},
    argv: ['status', '--wait', '12345'],
    options: () => ({ signal: 'SIGINT' }),
  },
  {
    code: 'TERMINATED',
    given: 'ended by SIGTERM',
    profile: {},
    argv: ['status', '--wait', '12345', '--json'],
    options: () => ({ signal: 'SIGTERM' }),
  },
];
