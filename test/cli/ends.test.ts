import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Delivery, Runtime } from '../../src/runtime/ports.js';
import { knownReplyNames } from '../../src/spec/replies.js';
import { openFixture, payouts } from '../batch/command.js';
import { isEvery, oneIn } from '../support/every.js';
import { paycli, type Ran, reply, type TestOptions, temporaryHome } from '../support/runtime.js';
import { openHome, stillUnknown, strangeCardHome } from './listed.js';
import { leaves } from './planted.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

// That every run of every test tells its end once is held in test/support/runtime.ts; this is what the error says.

const ask = ['status', '12345', '--client-order-id', '902B4FF5'];
const answers = (...all: readonly Delivery[]): TestOptions => ({ network: all.map((each) => () => each) });
const status = (word: string, more: Readonly<Record<string, string>> = {}) => reply(200, statusReply(word, more));
const held = 'control does not match';

interface End {
  readonly argv: readonly string[];
  readonly home?: () => string | Promise<string>;
  readonly options?: TestOptions;
  readonly exit: number;
  readonly code: string;
  readonly says: RegExp;
  readonly next: RegExp;
  readonly http?: number;
}

const ends: readonly End[] = [
  {
    argv: [...saleFlags, '--wait'],
    options: answers(reply(200, taken), status('declined', { 'error-message': 'Not enough money' })),
    exit: 5,
    code: 'DECLINED',
    says: /^not approved: declined.*\(Not enough money\)$/,
    next: /do not repeat it unchanged/,
    http: 200,
  },
  {
    argv: [...saleFlags, '--wait'],
    options: answers(reply(200, taken), status('error', { 'error-message': 'acquirer down' })),
    exit: 5,
    code: 'DECLINED',
    says: /^not approved: error \(failed at the gateway; contact its support: acquirer down\)$/,
    next: /do not repeat it unchanged/,
    http: 200,
  },
  {
    argv: saleFlags,
    options: answers(reply(400, { type: 'validation-error', 'error-message': 'No', 'error-code': '2' }), noSuchOrder),
    exit: 4,
    code: 'REFUSED',
    says: /^the gateway refused the request: No \(HTTP 400, error code 2\)$/,
    next: /paycli sign sale --recipe/,
    http: 400,
  },
  {
    argv: [...saleFlags, '--wait', '--wait-timeout', '1'],
    options: { outside: always(() => status('processing')) },
    exit: 7,
    code: 'PENDING',
    says: /^still pending: waiting for the bank \(since 2030-01-07T12:00:00Z, polled 2 times\)$/,
    next: /^`paycli status 12345 --wait`$/,
    http: 200,
  },
  {
    argv: saleFlags,
    options: answers(reply(500, { type: 'error', 'error-message': 'Try later' })),
    exit: 8,
    code: 'OUTCOME_UNKNOWN',
    says: /money may have moved: /,
    next: /^do not send it again; resolve it with `paycli resolve --client-order-id 902B4FF5`$/,
    http: 500,
  },
  {
    argv: saleFlags,
    options: answers({ kind: 'lost', reason: 'the connection was reset' }),
    exit: 8,
    code: 'OUTCOME_UNKNOWN',
    says: /the connection was reset$/,
    next: /paycli resolve/,
  },
  {
    argv: [...ask, '--expect', 'declined'],
    options: answers(status('approved')),
    exit: 11,
    code: 'CHECK_FAILED',
    says: /^expected declined, got approved$/,
    next: /^`paycli order 12345`$/,
    http: 200,
  },
  {
    argv: ['status', '12345', '--wait'],
    options: { signal: 'SIGTERM' },
    exit: 143,
    code: 'TERMINATED',
    says: /^terminated; no payment was sent$/,
    next: /repeat/,
  },
  {
    argv: ['resolve', '--all'],
    home: openHome,
    options: { outside: always(stillUnknown) },
    exit: 8,
    code: 'OUTCOME_UNKNOWN',
    says: /still unknown$/,
    next: /^do not send it again; wait a few minutes, then resolve it with `paycli resolve 902B4FF5`$/,
    http: 400,
  },
  {
    argv: ['doctor'],
    options: { outside: (usual) => ({ ...usual, processes: { ...usual.processes, nodeVersion: '21.7.0' } }) },
    exit: 11,
    code: 'CHECK_FAILED',
    says: /^a check failed: runtime: paycli is not tested with Node 21\.7\.0/,
    next: /^use Node /,
  },
  {
    argv: ['sandbox', 'audit'],
    home: strangeCardHome,
    exit: 11,
    code: 'CHECK_FAILED',
    says: /^a check failed: [a-z-]+: \S/,
    next: /^(?!correct what the result reports)\S/,
  },
  {
    argv: ['sign', 'verify', ...saleFlags, '--control', '0'.repeat(40)],
    exit: 11,
    code: 'CHECK_FAILED',
    says: new RegExp(held),
    next: /check the points listed in the result$/,
  },
  {
    argv: ['callback', 'listen', '--port', '0', '--run', '--', 'false'],
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
    says: /^the program after -- ended with exit code 5$/,
    next: /its output says why/,
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
  const cases = ends.map((end, at) => ({
    end,
    at,
    name: `${end.argv.slice(0, 3).join(' ')}: ${end.exit} ${end.code}`,
  }));

  test.each(cases)('is one error object for programs: $name', async ({ end, at }) => {
    for (const form of oneIn(3, ['json', 'ndjson', 'yaml'], at)) {
      const ran = await ended(end, ['-o', form]);
      expect(ran.exit, ran.out + ran.err).toBe(end.exit);
      const objects = ran.err.split('\n').filter((line) => line.startsWith('{'));
      expect(objects).toHaveLength(1);
      expect(JSON.parse(objects[0] ?? '')).toMatchObject({
        schema: 'paycli.error/1',
        code: end.code,
        message: expect.stringMatching(end.says),
        next: expect.stringMatching(end.next),
        exit: end.exit,
        http: end.http ?? null,
      });
    }
  });

  test.each(cases)('is told on standard error, however little is asked for: $name', async ({ end, at }) => {
    for (const flags of oneIn(2, [[], ['-q'], ['-o', 'csv'], ['-q', '--template', 'x']], at)) {
      const ran = await ended(end, flags);
      expect([ran.exit, ran.err]).toEqual([end.exit, expect.stringMatching(/^error: /m)]);
      expect(ran.err.match(/^error: /gm)).toHaveLength(1);
    }
  });
});

/** Without what moves while something takes its time. */
const linesOf = ({ err }: Ran) => stripVTControlCharacters(err).split(/[\r\n]/);

describe('on a terminal', () => {
  const declined = { argv: [...saleFlags, '--wait'], options: answers(reply(200, taken), status('declined')) };
  const [end] = [{ ...declined, exit: 5, code: 'DECLINED', says: /./, next: /./ }];

  test('the text says it once', async () => {
    const ran = await ended(end, ['--no-color'], { tty: true });
    expect(ran.out).toContain('✗ declined');
    expect(linesOf(ran).filter((line) => line.startsWith('error:'))).toEqual([]);
    expect(linesOf(ran).filter((line) => line.startsWith('next:'))).toEqual([
      'next:  do not repeat it unchanged; another attempt at a payment needs a new client order id',
    ]);
  });

  test('resolve --once names what queries again, not yet how people settle it', async () => {
    const unknown = ends.find(({ argv }) => argv[0] === 'resolve') ?? end;
    const ran = await ended(unknown, ['--once', '--no-color'], { tty: true });
    const next = linesOf(ran).join(' ').replace(/\s+/g, ' ');
    expect(next).toMatch(
      /next: do not send it again; wait a few minutes, then resolve it with `paycli resolve 902B4FF5`/,
    );
    expect(next).not.toContain('--settle-as');
  });

  test.each([[['-q']], [['--select', 'order.orderId']], [['--template', '{{status}}']], [['-o', 'csv']]])(
    'with %j standard error says it',
    async (flags) => {
      const ran = await ended(end, [...flags, '--no-color'], { tty: true });
      expect([ran.exit, linesOf(ran)]).toEqual([
        5,
        expect.arrayContaining([expect.stringMatching(/^error: not approved: declined/)]),
      ]);
    },
  );

  test('with --json it is one object', async () => {
    const ran = await ended(end, ['--json'], { tty: true });
    const objects = linesOf(ran).filter((line) => line.startsWith('{'));
    expect(objects.map((each) => JSON.parse(each).code)).toEqual(['DECLINED']);
  });
});

test('what the error says goes to standard error when the result goes to a file', async () => {
  const home = temporaryHome();
  const ran = await paycli(
    ['sale', '--amount', '10.42', '--currency', 'USD', '--test-card', 'declined', '--wait', '--output-file', 'o'],
    {
      home,
    },
  );
  expect([ran.exit, ran.out, ran.err]).toEqual([5, '', expect.stringMatching(/^error: not approved: /m)]);
});

describe('batch run', () => {
  test('rows that are left: what goes on with them, once', async () => {
    const fixture = openFixture(payouts(3));
    const plan = await fixture.plan();
    const ran = await fixture.run(['batch', 'run', plan, '--rate', '1000/s', '--max-rows', '1', '--json']);
    const objects = ran.err.split('\n').filter((line) => line.startsWith('{'));
    expect([ran.exit, objects.length]).toEqual([12, 1]);
    expect(JSON.parse(objects[0] ?? '')).toMatchObject({
      code: 'BATCH_LEFT',
      next: expect.stringContaining(`paycli batch resume ${plan}`),
      exit: 12,
      http: 200,
    });
  });
});

/** The names in what --json= prints. */
function listedNames(out: string): string[] {
  return [...out.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name);
}

describe('--json=', () => {
  test('lists the fields of what a command prints, and does nothing else', async () => {
    const home = homeWithProfile();
    const sale = await paycli(['sale', '--json='], { home });
    expect([sale.exit, sale.err]).toEqual([0, '']);
    const names = listedNames(sale.out);
    expect(names.slice(0, 3)).toEqual(['schema', 'ok', 'operation']);
    expect(names).toEqual(expect.arrayContaining(['order.orderId', 'exit', 'status', 'approval-code']));
    const dry = await paycli(['sale', '--dry-run', '--json='], { home });
    expect(listedNames(dry.out)).toContain('signature');
    const status = await paycli(['--json=', 'status', '12345'], { home });
    expect(listedNames(status.out)).toContain('meaning');
  });

  test('by the part of the result, nested ones by their path, each with its meaning', async () => {
    const { out } = await paycli(['journal', 'list', '--json=']);
    const [first, entries, beside] = out.split('\n\n');
    expect(first).toBe('Fields of the result of `paycli journal list`, for --json=FIELD,FIELD and --select');
    expect(entries).toMatch(
      /^Each of entries \(paycli\.journal\/1\):\n {2}entry +number of the entry in the journal\n/,
    );
    expect(entries).toMatch(/\n {2}order\.clientOrderId +client order id \(idempotency key\)\n/);
    expect(entries).toMatch(/\n {2}amount\.minor +in minor units \(cents\), as a string\n/);
    expect(beside).toMatch(/^Beside entries:\n {2}entries .*\n {2}schema .*\n {2}total .*\n$/);
    const orders = (await paycli(['orders', '--json='])).out;
    expect(orders.split('\n').filter((line) => /^ {2}\S+$/.test(line))).toEqual([]);
  });

  if (isEvery)
    test('of every command, as --select takes them', async () => {
      const { checkNames, knownFields } = await import('../../src/cli/core/result-fields.js');
      const { declarationOf } = await import('../../src/cli/core/define-command.js');
      for (const { path, command } of await leaves()) {
        const prints = declarationOf(command)?.prints ?? 'reply';
        const ran = await paycli([...path.split(' '), '--json=']);
        if (prints.length === 0) {
          expect([ran.exit, ran.out], path).toEqual([2, '']);
          continue;
        }
        const names = listedNames(ran.out);
        const known = prints === 'reply' ? knownReplyNames : prints.flatMap((schema) => knownFields(schema) ?? []);
        expect(names, path).toEqual(expect.arrayContaining([...known]));
        for (const name of names) checkNames(name, prints, path, false);
      }
    });

  test('of a group or an unknown command is refused', async () => {
    expect((await paycli(['journal', '--json='])).exit).toBe(2);
    expect((await paycli(['jurnal', '--json='])).exit).toBe(2);
  });
});

describe('colours of --json', () => {
  const run = (flags: readonly string[], options: TestOptions = {}) => paycli(['profile', 'list', ...flags], options);
  // cyan 36 for a name, green 32 for a text, yellow 33 for a number
  const painted = '\u001b[36m"schema"\u001b[39m: \u001b[32m"paycli.profiles/1"\u001b[39m';

  test('on a terminal: names, texts and numbers', async () => {
    expect((await run(['--json'], { tty: true })).out).toContain(painted);
    expect((await paycli(['assumptions', 'list', '--ndjson'], { tty: true })).out).toContain('\u001b[39m:\u001b[32m"');
    const sale = await paycli(['sale', '--amount', '1', '--currency', 'USD', '--test-card', 'approved', '--json'], {
      tty: true,
    });
    expect(sale.out).toContain('\u001b[36m"exit"\u001b[39m: \u001b[33m0\u001b[39m');
    const list = await paycli(['assumptions', 'list', '--json'], { tty: true });
    expect(list.out).toContain('\u001b[36m"assumptions"\u001b[39m: [\n');
  });

  test.each([
    ['elsewhere', ['--json'], {}],
    ['elsewhere, even with --color', ['--json', '--color'], {}],
    ['with --no-color', ['--json', '--no-color'], { tty: true }],
    ['with NO_COLOR', ['--json'], { tty: true, env: { NO_COLOR: '1' } }],
  ] as const)('none %s', async (_, flags, options) => {
    const { out } = await run(flags, options);
    expect(JSON.parse(out)).toMatchObject({ schema: 'paycli.profiles/1' });
  });

  test('none in a file', async () => {
    const home = temporaryHome();
    await run(['--json', '--output-file', 'profiles.json'], { tty: true, home });
    const { readFileSync } = await import('node:fs');
    expect(JSON.parse(readFileSync(`${home}/profiles.json`, 'utf8'))).toMatchObject({ schema: 'paycli.profiles/1' });
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

  test('shows a body without fields as it came, on one line', async () => {
    const page: Delivery = {
      kind: 'reply',
      reply: { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<p>\nno</p>') },
    };
    const { err } = await paycli([...ask, '-v'], { home: homeWithProfile(), outside: always(() => page) });
    expect(err).toContain('< <p> no</p>\n');
  });
});
