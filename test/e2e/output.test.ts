import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Home } from './home.js';

const money = ['--amount', '10.42', '--currency', 'USD'];
let home: Home;

beforeAll(() => {
  home = new Home();
});

afterAll(() => home.remove());

describe.concurrent('an error comes in the form that was chosen', () => {
  const json = { PAYCLI_OUTPUT: 'json' };
  test.each([
    ['JSON by --json', ['--json'], {}, '', true],
    ['JSON by -o json', ['-o', 'json'], {}, '', true],
    ['JSON by -ojson', ['-ojson'], {}, '', true],
    ['JSON by --output=json', ['--output=json'], {}, '', true],
    ['JSON by the environment', [], json, '', true],
    ['JSON by the file', [], {}, 'output: json', true],
    ['text by -o text in spite of the environment', ['-o', 'text'], json, '', false],
    ['text by -o text in spite of the file', ['-o', 'text'], {}, 'output: json', false],
    ['text by the environment in spite of the file', [], { PAYCLI_OUTPUT: 'text' }, 'output: json', false],
    ['text by default', [], {}, '', false],
  ] as const)('%s', async (_, flags, env, file, isJson) => {
    const own = new Home(file);
    const { exit, out, err } = await own.call(['sale', '--amount', '10.42', '--quiet', ...flags], env);
    own.remove();
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toMatch(isJson ? /^\{"schema":"paycli\.error\/1".*\}\n$/ : /^error: missing: /);
  });
});

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
