import { describe, expect, test } from 'vitest';
import type { Delivery, Runtime } from '../../src/runtime/ports.js';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';
import { openHome, stillUnknown, strangeCardHome } from './listed.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

// That every run of every test tells its end once is held in test/support/runtime.ts; this is what the error says.

const ask = ['status', '12345', '--client-order-id', '902B4FF5'];
const answers = (...all: readonly Delivery[]): TestOptions => ({ network: all.map((each) => () => each) });
const status = (word: string, more: Readonly<Record<string, string>> = {}) => reply(200, statusReply(word, more));

interface End {
  readonly argv: readonly string[];
  readonly home?: () => string | Promise<string>;
  readonly options?: TestOptions;
  readonly exit: number;
  readonly code: string;
  readonly http?: number;
}

const ends: readonly End[] = [
  {
    argv: [...saleFlags, '--wait'],
    options: answers(reply(200, taken), status('declined', { 'error-message': 'Not enough money' })),
    exit: 5,
    code: 'DECLINED',
    http: 200,
  },
  {
    argv: saleFlags,
    options: answers(reply(400, { type: 'validation-error', 'error-message': 'No', 'error-code': '2' }), noSuchOrder),
    exit: 4,
    code: 'REFUSED',
    http: 400,
  },
  {
    argv: [...saleFlags, '--wait', '--wait-timeout', '1'],
    options: { outside: always(() => status('processing')) },
    exit: 7,
    code: 'PENDING',
    http: 200,
  },
  {
    argv: saleFlags,
    options: answers(reply(500, { type: 'error', 'error-message': 'Try later' })),
    exit: 8,
    code: 'OUTCOME_UNKNOWN',
    http: 500,
  },
  {
    argv: saleFlags,
    options: answers({ kind: 'lost', reason: 'the connection was reset' }),
    exit: 8,
    code: 'OUTCOME_UNKNOWN',
  },
  {
    argv: [...ask, '--expect', 'declined'],
    options: answers(status('approved')),
    exit: 11,
    code: 'CHECK_FAILED',
    http: 200,
  },
  {
    argv: ['status', '12345', '--wait'],
    options: { signal: 'SIGTERM' },
    exit: 143,
    code: 'TERMINATED',
  },
  {
    argv: ['resolve'],
    home: openHome,
    options: { outside: always(stillUnknown) },
    exit: 8,
    code: 'OUTCOME_UNKNOWN',
    http: 400,
  },
  {
    argv: ['doctor'],
    options: { outside: (usual) => ({ ...usual, processes: { ...usual.processes, nodeVersion: '21.7.0' } }) },
    exit: 11,
    code: 'CHECK_FAILED',
  },
  {
    argv: ['sandbox', 'log', '--findings'],
    home: strangeCardHome,
    exit: 11,
    code: 'CHECK_FAILED',
  },
  {
    argv: ['sandbox', 'start', '--port', '0', '--run', '--', 'false'],
    options: {
      outside: (usual) => ({
        ...usual,
        processes: {
          ...usual.processes,
          start: async () => ({ exit: Promise.resolve(5), signal: () => undefined }),
        },
      }),
    },
    exit: 5,
    code: 'PROGRAM_FAILED',
  },
];

/** The same answer however often it is asked. */
function always(answer: () => Delivery) {
  return (usual: Runtime): Runtime => ({
    ...usual,
    transport: async () => ({ post: async () => answer(), close: async () => undefined }),
  });
}

async function ended({ argv, home, options }: End, flags: readonly string[], more: TestOptions = {}): Promise<Ran> {
  const at = argv.indexOf('--');
  const words = at === -1 ? [...argv, ...flags] : [...argv.slice(0, at), ...flags, ...argv.slice(at)];
  return paycli(words, { home: (await home?.()) ?? homeWithProfile(), ...options, ...more });
}

describe('a run that ends with another code than 0', () => {
  const cases = ends.map((end) => ({
    end,
    name: `${end.argv.slice(0, 3).join(' ')}: ${end.exit} ${end.code}`,
  }));

  test.each(cases)('is one error object for programs: $name', async ({ end }) => {
    for (const form of ['json', 'yaml']) {
      const ran = await ended(end, ['-o', form]);
      expect(ran.exit, ran.out + ran.err).toBe(end.exit);
      const objects = ran.err.split('\n').filter((line) => line.startsWith('{'));
      expect(objects).toHaveLength(1);
      expect(JSON.parse(objects[0] ?? '')).toMatchObject({
        schema: 'paycli.error/1',
        code: end.code,
        exit: end.exit,
        http: end.http ?? null,
      });
    }
  });
});

describe('-v', () => {
  test('shows request and reply, a field a line, masked', async () => {
    const home = homeWithProfile();
    const network = [() => reply(200, { ...taken, note: 'two\nlines' })];
    const { err } = await paycli([...saleFlags, '-v'], { home, network });
    const lines = err.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '> client_orderid = 902B4FF5',
        '> credit_card_number = •••• 1111',
        '> cvv2 = •••',
        '> control = •••',
        '< HTTP 200',
        '< type = async-response',
        '< paynet-order-id = 12345',
        '< note = two lines',
      ]),
    );
    expect(err).not.toMatch(/4444333322221111|= 123$/m);
  });
});
