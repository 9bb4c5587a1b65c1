import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Home } from './home.js';

const money = ['--amount', '10.42', '--currency', 'USD'];
let home: Home;

beforeAll(() => {
  home = new Home();
});

afterAll(() => home.remove());

describe.concurrent('a reader that goes away', () => {
  test('| head -1 gets its line and no complaint follows', async () => {
    const { exit, out, err } = await home.shell('paycli help profiles | head -1');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out.trim().split('\n')).toHaveLength(1);
  });

  test('does not keep a sale from being made and its exit code from being right', async () => {
    for (const [card, expected, said] of [
      ['approved', 0, 0],
      ['funds', 5, 1],
    ] as const) {
      const running = await home.start([
        'sale',
        ...money,
        '--test-card',
        card,
        '--client-order-id',
        `unread-${card}`,
        '--wait',
      ]);
      running.closeOutput();
      const { exit, err } = await running.done;
      expect(exit, err).toBe(expected);
      expect(err).not.toContain('EPIPE');
      expect(err.match(/^error: /gm) ?? []).toHaveLength(said);
    }
  });
});
