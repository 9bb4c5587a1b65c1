import { describe, expect, test } from 'vitest';
import { waitForOutcome } from '../../src/cli/wait.js';
import type { Classified } from '../../src/payments/classify.js';

const read = (fields: Record<string, string>): Classified => ({
  class: 'accepted',
  reason: '',
  status: 200,
  fields: new Map(Object.entries(fields)),
});
const processing = read({ status: 'processing' });
const failed: Classified = { class: 'read-retry', reason: 'no reply' };

function fixture(answers: Classified[], rest: Classified, timeoutMs: number, pauses?: readonly number[]) {
  let time = 1000;
  const asked: number[] = [];
  const run = () =>
    waitForOutcome({
      ask: async () => {
        asked.push(time - 1000);
        return answers.shift() ?? rest;
      },
      clock: {
        monotonic: () => time,
        async sleep(ms) {
          time += ms;
        },
      },
      random: { below: (bound) => bound - 1 },
      end: time + timeoutMs,
      signal: new AbortController().signal,
      pauses,
    });
  return { asked, run };
}

describe('waitForOutcome', () => {
  test.each(['approved', 'declined', 'error', 'filtered'])('ends at %s', async (status) => {
    const { asked, run } = fixture([processing, processing], read({ status }), 60_000);
    expect(await run()).toMatchObject({ kind: 'final' });
    expect(asked).toEqual([0, 5000, 10_000]);
  });

  test.each([{ tds_status: 'CReqForm' }, { 'redirect-to': 'https://a' }, { 'redirect-url': 'https://a' }])(
    'ends at a step of the payer: %j',
    async (step) => {
      expect(await fixture([], read({ status: 'processing', ...step }), 60_000).run()).toMatchObject({ kind: 'step' });
      expect(await fixture([], read({ status: 'approved', ...step }), 60_000).run()).toMatchObject({ kind: 'final' });
    },
  );

  test.each([
    ['processing', 'timeout'],
    ['chain_declined', 'timeout'],
    ['unknown', 'unknown-word'],
    ['constructor', 'unknown-word'],
  ])('%s ends with the time, as %s', async (status, kind) => {
    const { asked, run } = fixture([], read({ status }), 12_000);
    expect(await run()).toMatchObject({ kind });
    expect(asked).toEqual([0, 5000, 10_000, 12_000]);
  });

  test('slows down after five minutes and ends after an hour', async () => {
    const { asked, run } = fixture([], processing, 24 * 3_600_000);
    expect(await run()).toMatchObject({ kind: 'timeout' });
    expect(asked.filter((at) => at < 300_000)).toHaveLength(60);
    expect(asked.slice(60)).toEqual([300_000, 900_000, 1_500_000, 2_100_000, 2_700_000, 3_300_000, 3_600_000]);
  });

  test('three failed questions in a row end it, two do not', async () => {
    const enough = fixture([processing, failed, failed, processing, failed, failed], failed, 60_000);
    expect(await enough.run()).toMatchObject({ kind: 'read-failed', last: failed, fields: processing.fields });
    expect(enough.asked).toHaveLength(7);
    const { run, asked } = fixture([failed, failed], read({ status: 'approved' }), 60_000);
    expect(await run()).toMatchObject({ kind: 'final' });
    expect(asked).toEqual([0, 1999, 4998]);
  });

  test.each(['refused', 'unknown', 'not-sent', 'certificate'] as const)(
    'an answer of class %s is no answer',
    async (name) => {
      const outcome = await fixture([], { class: name, reason: '' }, 60_000).run();
      expect(outcome).toEqual({ kind: 'read-failed', last: { class: name, reason: '' } });
    },
  );

  test.each<readonly [string, Omit<Classified, 'reason'>]>([
    ['a page with HTTP 403', { class: 'read-retry', status: 403 }],
    ['a refused signature', { class: 'refused', status: 400, fields: new Map([['error-message', 'Invalid control']]) }],
    ['access denied', { class: 'refused', status: 403, fields: new Map([['error-message', 'Access denied']]) }],
    ['a certificate', { class: 'certificate' }],
  ])('%s will not change: the first one ends it, unless the gateway answered before', async (_, about) => {
    const last = { reason: 'no', ...about };
    const { asked, run } = fixture([], last, 60_000);
    expect(await run()).toEqual({ kind: 'read-failed', last });
    expect(asked).toEqual([0]);
    const later = fixture([processing], last, 60_000);
    expect(await later.run()).toEqual({ kind: 'read-failed', last, fields: processing.fields });
    expect(later.asked).toEqual([0, 5000, 6999, 9998]);
  });

  test.each<readonly [string, Omit<Classified, 'reason'>]>([
    ['a page with HTTP 429', { class: 'read-retry', status: 429 }],
    ['no reply', { class: 'read-retry' }],
    ['no connection', { class: 'not-sent' }],
    ['another order', { class: 'read-retry', status: 404, isOfAnother: true }],
    ['no such order', { class: 'refused', status: 400, fields: new Map([['error-message', 'Order not found']]) }],
    ['a fault', { class: 'refused', status: 400, fields: new Map([['error-message', 'Internal problem']]) }],
  ])('%s may change: it is asked three times', async (_, about) => {
    const { asked, run } = fixture([], { reason: 'no', ...about }, 60_000);
    expect(await run()).toMatchObject({ kind: 'read-failed' });
    expect(asked).toEqual([0, 1999, 4998]);
  });

  test('a failed question at the end keeps what was known', async () => {
    expect(await fixture([processing], failed, 1000).run()).toMatchObject({ kind: 'timeout' });
    expect(await fixture([], failed, 0).run()).toMatchObject({ kind: 'read-failed' });
  });
});
