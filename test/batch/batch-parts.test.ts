import { describe, expect, test } from 'vitest';
import { CircuitBreaker, retryAfter } from '../../src/batch/breaker.js';
import { RateLimiter } from '../../src/batch/pace.js';
import type { State } from '../../src/journal/states.js';
import { TestClock } from '../support/runtime.js';

describe('the breaker', () => {
  const received = (status?: number) =>
    ({ class: 'unknown', reason: '', ...(status === undefined ? {} : { status }) }) as const;
  const run = (states: readonly State[], mostUnknown = 0.01): number => {
    const breaker = new CircuitBreaker(mostUnknown);
    return states.findIndex((state) => breaker.record(state, received()) !== undefined);
  };

  test('opens at the fifth unknown outcome in a row, not before', () => {
    expect(run(['unknown', 'unknown', 'unknown', 'unknown', 'done', 'unknown', 'unknown', 'unknown', 'unknown'])).toBe(
      -1,
    );
    expect(run(['done', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'done'])).toBe(5);
  });

  test('opens when more than its share of the last 200 is unknown, and forgets older ones', () => {
    const done = (count: number): State[] => Array(count).fill('done');
    expect(run(['unknown', 'done', 'unknown', ...done(400)])).toBe(-1);
    expect(run(['unknown', 'done', 'unknown', 'done', 'unknown', ...done(300)])).toBe(199);
    expect(run([...done(100), 'unknown', ...done(99), 'unknown', ...done(20), 'unknown', ...done(300)])).toBe(221);
    expect(run([...done(100), 'unknown', ...done(99), 'unknown', ...done(100), 'unknown', ...done(300)])).toBe(-1);
  });

  test.each([401, 403, 404])('opens at HTTP %i, whatever became of the row', (status) => {
    expect(new CircuitBreaker(1).record('refused', received(status))).toMatchObject({ mayQuery: false });
  });
});

test.each([
  [200, '5', undefined],
  [429, '5', 5000],
  [503, '0', 0],
  [429, '99999999999999999999', 60_000],
  [429, 'soon', 5000],
  [429, 'Mon, 07 Jan 2030 12:00:20 GMT', 20_000],
])('after HTTP %i with Retry-After %s the pause is %s', (status, header, ms) => {
  expect(retryAfter(status, header, Date.UTC(2030, 0, 7, 12))).toBe(ms);
});

test('one rate for all lanes, and a stop ends the wait', async () => {
  const clock = new TestClock();
  const pacer = new RateLimiter(clock, 10);
  const stop = new AbortController();
  const start = clock.monotonic();
  for (let at = 0; at < 21; at += 1) expect(await pacer.pace(stop.signal)).toBe(true);
  expect(clock.monotonic() - start).toBeGreaterThanOrEqual(2000);
  expect(clock.monotonic() - start).toBeLessThan(2200);
  stop.abort();
  expect(await pacer.pace(stop.signal)).toBe(false);
});
