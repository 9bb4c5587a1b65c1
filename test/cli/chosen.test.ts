import { parse } from 'csv-parse/sync';
import { load, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { paycli, reply, type TestOptions, temporaryHome } from '../support/runtime.js';
import { done, sale, sandboxHome, wide } from './listed.js';
import { at } from './live-at.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

describe('--json=…, --select', () => {
  test('a name that no result has is refused before anything is sent, with the names there are', async () => {
    const home = homeWithProfile();
    for (const argv of [
      [...saleFlags, '--json=nope'],
      ['status', '1', '--select', 'order.orderId,nope'],
      ['status', '--wait', '1', '--json=nope'],
    ]) {
      const { exit, err, requests } = await paycli(argv, { home });
      expect([exit, requests.length, err]).toEqual([
        2,
        0,
        expect.stringMatching(/no field nope.*available: schema, ok, .*approval-code/s),
      ]);
    }
    const near = await paycli(['status', '1', '--json=statsu'], { home });
    expect(near.err).toContain('did you mean status?');
    const own = await paycli(['status', '12345', '--json=result.x-new,status'], {
      home,
      network: [() => reply(200, statusReply('approved', { 'x-new': '7' }))],
    });
    expect(JSON.parse(own.out)).toEqual({ 'result.x-new': '7', status: 'approved' });
  });

  test('a name that a list has not is refused as well, with the names there are', async () => {
    const home = await sandboxHome();
    for (const argv of [
      ['journal', 'list', '--json=operation,nope'],
      ['assumptions', 'list', '--json=nope'],
      ['--version', '--json=nope'],
      ['sign', 'sale', '--recipe', '--json=nope'],
    ]) {
      const { exit, out, err } = await paycli(argv, { home });
      expect([exit, out, err]).toEqual([2, '', expect.stringMatching(/no field nope.*available: /s)]);
    }
  });

  test('of a list gives a list of what was chosen, with null for what is not there', async () => {
    const home = await sandboxHome();
    const { out } = await done(['journal', 'list', '--json=operation,amount.text,result.nothing'], { home });
    expect(JSON.parse(out)).toEqual([
      { operation: 'SALE', 'amount.text': '10.42', 'result.nothing': null },
      { operation: 'SALE', 'amount.text': '7.00', 'result.nothing': null },
    ]);
    const csv = await done(['journal', 'list', '-o', 'csv', '--select', 'amount.text, operation'], { home });
    expect(csv.out).toBe('"amount.text","operation"\r\n"10.42","SALE"\r\n"7.00","SALE"\r\n');
    const table = await done(['journal', 'list', '-o', 'table', '--select', 'operation,amount.text'], { home });
    expect(table.out).toBe('operation  amount.text\nSALE             10.42\nSALE              7.00\n');
    const lines = await done(['journal', 'list', '--ndjson', '--select', 'entry'], { home });
    expect(lines.out).toBe('{"entry":1}\n{"entry":2}\n');
  });

  test('of a single result gives it alone, by path or by the name of a field of the reply', async () => {
    const home = temporaryHome();
    const { out } = await done([...sale, '--json=order.clientOrderId,status'], { home });
    expect(JSON.parse(out)).toEqual({ 'order.clientOrderId': 'order-1', status: 'approved' });
    const csv = await done(['status', '--client-order-id', 'order-1', '-o', 'csv', '--select', 'ok,status'], { home });
    expect(csv.out).toBe('"ok","status"\r\n"true","approved"\r\n');
    const yaml = await done(['--version', '-o', 'yaml', '--select', 'schema'], { home });
    expect(yaml.out).toBe('schema: paycli.version/1\n');
    const table = await done(['--version', '-o', 'table', '--select', 'schema,node'], { home });
    expect(table.out).toBe('field   value\nschema  paycli.version/1\nnode    20.19.0\n');
  });
});

describe('--template', () => {
  test('fills fields in by path, and by the names of the reply', async () => {
    const ran = await done(
      [...sale, '--template', '{{order.clientOrderId}}\\t{{status}} {{amount.minor}} {{amount.currency}}'],
      {},
    );
    expect(ran.out).toBe('order-1\tapproved 1042 USD\n');
  });

  test('goes over a list', async () => {
    const home = await sandboxHome();
    const text = '{{#entries}}{{entry}}: {{amount.text}} {{state}}\n{{/entries}}';
    expect((await done(['journal', 'list', '--template', text], { home })).out).toBe(
      '1: 10.42 done\n2: 7.00 declined\n',
    );
  });

  test('escapes nothing but what steers a terminal', async () => {
    const home = homeWithProfile();
    const no = { type: 'validation-error', 'error-message': '<b> & "\u001b[31m' };
    const ran = await done(
      [...saleFlags, '--template', '{{error-message}}'],
      { home, network: [() => reply(400, no), () => noSuchOrder] },
      4,
    );
    expect(ran.out).toBe('<b> & "\\u{1b}[31m\n');
  });

  test('warns of a name the result has not', async () => {
    const ran = await done(['sandbox', 'clock', 'show', '--template', 'x{{happened}}'], {});
    expect([ran.out, ran.err]).toEqual(['x\n', 'warning: the result has no happened, which --template names\n']);
  });

  test('one that cannot be read is exit 2, and nothing is sent', async () => {
    const home = homeWithProfile();
    const ran = await done([...saleFlags, '--template', '{{#open}}'], { home }, 2);
    expect([ran.out, ran.requests]).toEqual(['', []]);
    expect(ran.err).toContain('--template: unclosed section "open"');
  });
});

describe('for people', () => {
  const fields = { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' };
  const shop = async () => {
    const home = homeWithProfile();
    const approved = { ...statusReply('approved', fields) };
    await done([...saleFlags, '--wait'], { home, network: [() => reply(200, taken), () => reply(200, approved)] });
    return home;
  };

  test('times are told from now on a terminal, and in full in a table, a file or a pipe', async () => {
    const home = await shop();
    const tty = { home, tty: true };
    expect((await done(['journal', 'list'], tty)).out).toContain('  just now  shop (test)  sale ');
    expect((await done(['journal', 'list'], { ...tty, outside: at(3) })).out).toContain(
      '  3 min ago  shop (test)  sale ',
    );
    expect((await done(['journal', 'list'], { ...tty, outside: at(31 * 24 * 60) })).out).toContain(
      '  2030-01-07T12:00:00Z  shop (test)  sale ',
    );
    expect((await done(['journal', 'list', '-o', 'table'], { ...tty, outside: at(3) })).out).toContain(
      '  2030-01-07T12:00:00Z  shop (test)  sale ',
    );
    expect((await done(['journal', 'list'], { home, outside: at(3) })).out).toContain(
      '  2030-01-07T12:00:00Z  shop (test)  sale ',
    );
    const shown = await done(['journal', 'show', '902B4FF5'], { home, outside: at(3) });
    expect(shown.out).toContain('  made     2030-01-07T12:00:00Z (3 min ago)\n');
  });

  test('money ends in one column, states are words whatever their colour', async () => {
    const home = await sandboxHome();
    const lines = (await done(['journal', 'list', '--no-color'], { home })).out.split('\n');
    const ends = lines
      .slice(0, 3)
      .map((line) => /amount|[A-Z]{3}(?= {2})/.exec(line))
      .map((found) => (found?.index ?? 0) + (found?.[0].length ?? 0));
    expect(new Set(ends).size).toBe(1);
    const painted = (await done(['journal', 'list', '--color'], { home })).out;
    expect(painted).toContain('\u001b[32mdone\u001b[39m');
    expect(painted).toContain('\u001b[31mdeclined\u001b[39m');
  });

  test('on 80 columns your own ids make way, on 120 they are there', async () => {
    const home = temporaryHome();
    await done(
      sale.filter((word) => word !== '--client-order-id' && word !== 'order-1'),
      { home },
    );
    const head = async (width: number) => {
      const { out } = await done(['journal', 'list', '--no-color'], { home, tty: true, outside: wide(width, at(3)) });
      for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      return out.split('\n')[0]?.split(/ {2,}/);
    };
    // Those and the reasons are below their rows.
    expect(await head(80)).toEqual(['entry', 'created', 'profile', 'operation', 'order', 'amount', 'state']);
    expect(await head(120)).toEqual([
      'entry',
      'created',
      'profile',
      'operation',
      'order',
      'your id',
      'amount',
      'state',
      'reason',
    ]);
  });

  test.each(['text', 'json', 'ndjson', 'csv', 'yaml', 'table'])(
    'text of a gateway steers nothing and runs nothing as %s',
    async (form) => {
      const home = homeWithProfile();
      const bad = '=1+1\u001b[2J\u202e\r\n余额';
      const refusal = reply(400, { type: 'validation-error', 'error-message': bad, 'odd\u001bname': 'x' });
      const { out } = await done([...saleFlags, '-o', form], { home, network: [() => refusal, () => noSuchOrder] }, 4);
      expect(out).toContain('余额');
      for (const letter of ['\u001b', '\u202e', '\r']) expect(out.replaceAll('\r\n', '\n')).not.toContain(letter);
      if (form === 'yaml') expect(load(out)).toMatchObject({ result: { 'error-message': bad } });
      if (form === 'csv') {
        const [head = [], row = []] = parse(out);
        expect(row[head.indexOf('result.error-message')]).toBe("'=1+1\\u{1b}[2J\\u{202e}\\u{d}\n余额");
      }
    },
  );
});

describe('a line of progress', () => {
  const processing = () => reply(200, statusReply('processing', { 'transaction-type': 'sale' }));
  const approved = () =>
    reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' }));
  const waiting = (flags: readonly string[], options: TestOptions = {}) =>
    done([...saleFlags, '--wait', ...flags], {
      home: homeWithProfile(),
      network: [() => reply(200, taken), processing, approved],
      ...options,
    });

  test('says what a wait waits for, and is gone in the end', async () => {
    const { err } = await waiting([], { tty: true });
    const line = '\r\u001b[2K';
    const drawn = err.split(line).map((text) => text.replace(/^\S /, ''));
    expect(drawn).toContainEqual(expect.stringMatching(/^waiting for order 12345 \(\d+ (?:s|min) left\): polling$/));
    expect(drawn).toContainEqual(
      expect.stringMatching(
        /^waiting for order 12345 \(\d+ (?:s|min) left\): processing, polled once, next in [345] s$/,
      ),
    );
    expect(err.lastIndexOf(line)).toBeGreaterThan(err.lastIndexOf('waiting for'));
  });

  test.each([
    [['--quiet'], { tty: true }],
    [['--verbose'], { tty: true }],
    [[], { tty: true, env: { TERM: 'dumb' } }],
    [[], {}],
  ])('is not there with %j on %j', async (flags, options) => {
    expect((await waiting(flags, options)).err).not.toContain('waiting for');
  });

  test('is gone before an error is told', async () => {
    const lost = () => ({ kind: 'never-sent', reason: 'connection refused' }) as const;
    const network = [() => reply(200, taken), ...Array.from({ length: 9 }, () => lost)];
    const { err } = await waiting([], { tty: true, network }).catch((error: unknown) => ({ err: String(error) }));
    expect(err).toContain('querying the outcome failed');
    expect(err.lastIndexOf('\r\u001b[2K')).toBeGreaterThan(err.lastIndexOf('waiting for'));
  });
});

describe('a stream', () => {
  const follow = (home: string, more: readonly string[]) =>
    done(['sandbox', 'log', '--follow', '--limit', '2', '--order', 'order-1', ...more], { home, signal: 'SIGINT' });

  test('is one event a line in every form programs read', async () => {
    const home = await sandboxHome();
    const titles = ['sale_approved', 'status answered: approved'];
    for (const form of ['json', 'ndjson']) {
      const lines = (await follow(home, ['-o', form])).out.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).title)).toEqual(titles);
    }
    expect(loadAll((await follow(home, ['-o', 'yaml'])).out)).toMatchObject(
      titles.map((title) => ({ schema: 'paycli.event/1', title })),
    );
  });

  test('heeds --select and --template', async () => {
    const home = await sandboxHome();
    expect((await follow(home, ['--json=kind'])).out).toBe('{"kind":"stage"}\n{"kind":"request"}\n');
    expect((await follow(home, ['--template', '{{kind}}'])).out).toBe('stage\nrequest\n');
  });
});

describe('a command without --json', () => {
  test.each([
    ['--json', '--json'],
    ['--json=nope', '--json'],
    ['--ndjson', '--ndjson'],
    ['--output=json', '--output'],
    ['--select=a', '--select'],
  ])('names what was typed: %s', async (typed, named) => {
    const { exit, err } = await paycli(['completion', 'bash', typed]);
    expect(exit).toBe(2);
    expect(err).toContain(`unknown flag ${named} for paycli completion`);
    for (const other of ['--output', '--select', '--json', '--ndjson'].filter((flag) => flag !== named))
      expect(err).not.toContain(`${other} is no flag`);
  });
});
