import { describe, expect, test } from 'vitest';
import type { Intent, Journal, State } from '../../src/journal/index.js';
import { capture, dead, open, sale } from './support.js';

/** Brings an intent to a state along the legal moves. */
function bring(journal: Journal, intent: Intent, state: State): Intent {
  if (state === 'planned') return intent;
  const sending = journal.begin(intent);
  return state === 'sending' ? sending : journal.recordResult(sending.id, state, { reason: 'as told' });
}

const thrown = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
};

// The table of section 8: what a second command does, by the state the first one left.
const opening: readonly (readonly [State, same: 'send' | 'ask' | 'show', other: 'send' | 'INTENT_DIFFERS'])[] = [
  ['planned', 'send', 'INTENT_DIFFERS'],
  ['not_sent', 'send', 'INTENT_DIFFERS'],
  ['refused', 'send', 'send'],
  ['sending', 'ask', 'INTENT_DIFFERS'],
  ['unknown', 'ask', 'INTENT_DIFFERS'],
  ['accepted', 'ask', 'INTENT_DIFFERS'],
  ['done', 'show', 'INTENT_DIFFERS'],
  ['declined', 'show', 'INTENT_DIFFERS'],
];

describe('an opening operation repeated', () => {
  test.each(opening)('after %s: %s with the same content, %s with another', (state, same, other) => {
    const { journal } = open();
    const first = bring(journal, journal.plan(sale, dead).intent, state);
    const again = journal.plan(sale, dead);
    expect([again.do, again.intent.id, again.intent.state]).toEqual([same, first.id, state]);
    const differs = () =>
      journal.plan({ ...sale, content: 'content-2', sum: { minor: '9999', currency: 'USD' } }, dead);
    if (other !== 'send') expect(thrown(differs)).toBe(other);
    else expect([differs().do, journal.get(first.id)?.sum?.minor, journal.list().length]).toEqual(['send', '9999', 1]);
  });

  test('the key is base address and client order id: another of them is another payment', () => {
    const { journal } = open();
    bring(journal, journal.plan(sale, dead).intent, 'done');
    for (const other of [{ base: 'https://other.example/pay' }, { clientOrderId: 'order-2' }])
      expect(journal.plan({ ...sale, ...other }, dead).do).toBe('send');
    expect(thrown(() => journal.plan({ ...sale, operation: 'PREAUTH' }, dead))).toBe('INTENT_DIFFERS');
  });

  test('while it is in doubt, it is not sent under the same id at another endpoint, whatever else it says', () => {
    const { journal } = open();
    bring(journal, journal.plan(sale, dead).intent, 'unknown');
    expect(thrown(() => journal.plan({ ...sale, endpointId: '4002' }, dead))).toBe('SAME_CONTENT_OPEN');
    expect(thrown(() => journal.plan({ ...sale, endpointId: '4002', content: 'content-2' }, dead))).toBe(
      'SAME_CONTENT_OPEN',
    );
  });

  test.each(['accepted', 'done', 'conflict'] as const)(
    'once it is %s, the same payment is not sent under the same id at another endpoint',
    (state) => {
      const { journal } = open();
      bring(journal, journal.plan(sale, dead).intent, state);
      const code = state === 'conflict' ? 'SAME_CONTENT_OPEN' : 'SAME_CONTENT_SENT';
      expect(thrown(() => journal.plan({ ...sale, endpointId: '4002' }, dead))).toBe(code);
    },
  );

  test('of the same payment planned for two endpoints at the same moment only the first begins', () => {
    const { journal } = open();
    const first = journal.plan(sale, dead).intent;
    const second = journal.plan({ ...sale, endpointId: '4002' }, dead).intent;
    journal.begin(first);
    expect(thrown(() => journal.begin(second))).toBe('SAME_CONTENT_OPEN');
  });

  test.each(['declined', 'refused', 'not_sent'] as const)(
    'once it is %s, it may be tried at another endpoint',
    (state) => {
      const { journal } = open();
      bring(journal, journal.plan(sale, dead).intent, state);
      expect(journal.plan({ ...sale, endpointId: '4002' }, dead).do).toBe('send');
    },
  );

  test('a made-up id is refused while the same payment is in doubt, and taken once it is not', () => {
    const { journal } = open();
    const first = bring(journal, journal.plan(sale, dead).intent, 'unknown');
    const twin = { ...sale, clientOrderId: 'made-up' };
    const generated = { ...dead, isGenerated: true };
    expect(thrown(() => journal.plan(twin, generated))).toBe('SAME_CONTENT_OPEN');
    expect(journal.plan({ ...twin, clientOrderId: 'third', content: 'content-2' }, generated).do).toBe('send');
    journal.recordResult(first.id, 'declined', { reason: 'settled' });
    expect(journal.plan(twin, generated).do).toBe('send');
  });

  test('another id is refused while the same payment is in doubt, but for --again and a row of a plan', () => {
    const { journal } = open();
    bring(journal, journal.plan(sale, dead).intent, 'unknown');
    const twin = { ...sale, clientOrderId: 'order-2' };
    expect(thrown(() => journal.plan(twin, dead))).toBe('SAME_CONTENT_OPEN');
    expect(journal.list()).toHaveLength(1);
    expect(journal.preview(twin, { ...dead, again: true }).do).toBe('send');
    expect(journal.preview(twin, { ...dead, isBatchRow: true }).do).toBe('send');
    // The same id at another endpoint is the same payment.
    expect(thrown(() => journal.plan({ ...sale, endpointId: '4002' }, { ...dead, again: true }))).toBe(
      'SAME_CONTENT_OPEN',
    );
  });

  test.each(['not_sent', 'refused'] as const)('so it is for one that was %s before', (state) => {
    const { journal } = open();
    const twin = { ...sale, clientOrderId: 'order-2' };
    bring(journal, journal.plan(twin, dead).intent, state);
    bring(journal, journal.plan(sale, dead).intent, 'unknown');
    expect(thrown(() => journal.plan(twin, dead))).toBe('SAME_CONTENT_OPEN');
  });

  test('of equal payments planned at the same moment under different ids only the first begins', () => {
    const { journal, folder } = open();
    const other = open(folder, 2).journal;
    const first = journal.plan(sale, dead).intent;
    const second = other.plan({ ...sale, clientOrderId: 'order-2' }, dead).intent;
    journal.begin(first, false, { isUnique: true });
    expect(thrown(() => other.begin(second, false, { isUnique: true }))).toBe('SAME_CONTENT_OPEN');
    expect(other.begin(second).state).toBe('sending');
  });

  test('what a living process is sending is nobody else’s', () => {
    const { journal } = open();
    bring(journal, journal.plan(sale, dead).intent, 'sending');
    expect(thrown(() => journal.plan(sale, { ...dead, isAlive: ({ pid }) => pid === 1 }))).toBe('INTENT_BUSY');
  });
});

describe('a follow-up', () => {
  test.each<readonly [State, string]>([
    ['planned', 'send'],
    ['not_sent', 'send'],
    ['refused', 'send'],
    ['sending', 'ask'],
    ['unknown', 'ask'],
    ['accepted', 'ask'],
    ['done', 'show'],
    ['declined', 'show'],
  ])('equal to one that is %s: %s', (state, wanted) => {
    const { journal } = open();
    const first = bring(journal, journal.plan(capture, dead).intent, state);
    const again = journal.plan(capture, dead);
    expect([again.do, again.intent.id]).toEqual([wanted, first.id]);
  });

  test.each<State>(['accepted', 'done', 'declined'])('is sent once more on purpose after %s', (state) => {
    const { journal } = open();
    bring(journal, journal.plan(capture, dead).intent, state);
    const again = journal.plan(capture, { ...dead, again: true });
    expect([again.do, again.intent.sequence]).toEqual(['send', 2]);
  });

  test.each<State>(['sending', 'unknown'])('is not sent while another one on the order is %s', (state) => {
    const { journal } = open();
    bring(journal, journal.plan(capture, dead).intent, state);
    const back = { ...capture, operation: 'RETURN', content: 'content-r' };
    expect(thrown(() => journal.plan(back, dead))).toBe('ORDER_BUSY');
    expect(thrown(() => journal.plan({ ...capture, content: 'other amount' }, dead))).toBe('ORDER_BUSY');
    expect(thrown(() => journal.plan(capture, { ...dead, again: true }))).toBe('ORDER_BUSY');
    expect(journal.plan({ ...back, orderId: '901' }, dead).do).toBe('send');
    expect(journal.plan({ ...back, base: 'https://other.example/gateway', orderId: '900' }, dead).do).toBe('send');
  });

  test.each<State>(['sending', 'unknown'])('is not sent to another endpoint while one on the order is %s', (state) => {
    const { journal } = open();
    bring(journal, journal.plan(capture, dead).intent, state);
    const back = { ...capture, operation: 'RETURN', content: 'content-r' };
    for (const endpointId of ['4000', '4002'])
      expect(thrown(() => journal.plan({ ...back, endpointId }, dead))).toBe('ORDER_BUSY');
  });

  test.each<State>(['accepted', 'done', 'declined'])('is not sent again to another endpoint once it is %s', (state) => {
    const { journal } = open();
    const first = bring(journal, journal.plan(capture, dead).intent, state);
    for (const endpointId of ['4000', '4002']) {
      const again = journal.plan({ ...capture, endpointId }, dead);
      expect([again.do, again.intent.id]).toEqual([state === 'accepted' ? 'ask' : 'show', first.id]);
    }
  });

  test('of another amount is another one', () => {
    const { journal } = open();
    bring(journal, journal.plan(capture, dead).intent, 'done');
    const second = journal.plan({ ...capture, content: 'content-c2' }, dead);
    expect([second.do, second.intent.sequence]).toEqual(['send', 2]);
  });
});

test('of a path nobody described, only an equal one in doubt is refused', () => {
  const { journal } = open();
  const other = { ...sale, kind: 'other' as const, operation: '/api/v9/thing' };
  bring(journal, journal.plan(other, dead).intent, 'unknown');
  expect(thrown(() => journal.plan(other, dead))).toBe('ORDER_BUSY');
  expect(journal.plan({ ...other, content: 'x' }, dead).do).toBe('send');
  expect(thrown(() => journal.plan(other, { ...dead, again: true }))).toBe('ORDER_BUSY');
});
