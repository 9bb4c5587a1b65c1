import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const named = ['12345', '--client-order-id', '902B4FF5'];
const sold = (more: Readonly<Record<string, string>> = {}) =>
  reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'EUR', ...more }));
const whole = ({ requests }: { requests: readonly { url: string; body: string }[] }) =>
  requests.filter(({ url }) => /\/(?:return|capture)\//.test(url)).map(({ body }) => new URLSearchParams(body));

describe('a return without an amount', () => {
  test('in a script is refused, and nothing is sent', async () => {
    const ran = await paycli(['return', ...named], { home: homeWithProfile() });
    expect([ran.exit, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).toContain(
      'no amount is given: give --amount for a part, or --all, which returns the full remaining amount',
    );
    expect(ran.err).toMatch(
      /which (?:returns|captures) the full remaining amount; `paycli order 12345` shows the amounts$/m,
    );
  });

  test.each([
    ['return', 'declined'],
    ['capture', 'declined'],
    ['capture', 'approved'],
  ])('in a script names first why nothing can be moved: %s of a sale that was %s', async (command, status) => {
    const home = homeWithProfile();
    const answer = () => reply(200, statusReply(status, { 'transaction-type': 'sale', amount: '10.42' }));
    await paycli([...saleFlags, '--wait'], { home, network: [() => reply(200, taken), answer] });
    const shown = await paycli(['order', '12345', '--offline', '--json'], { home });
    const { next } = JSON.parse(shown.out) as { next: { operation: string; reason: string }[] };
    const reason = next.find(({ operation }) => operation === command)?.reason;
    const ran = await paycli([command, '12345'], { home });
    expect([ran.exit, ran.requests.length]).toEqual([11, 0]);
    expect(ran.err).toContain(`error: ${command} is not possible now: ${reason}; nothing was sent`);
    expect(ran.err).toContain('next:  `paycli order 12345` lists what is available');
    expect(ran.err).not.toContain('--all');
  });

  test('in a script has the command with an amount as its next step', async () => {
    const ran = await paycli(['return', ...named], { home: homeWithProfile() });
    expect(ran.err).toMatch(/^next: {2}nothing was sent; `paycli return 12345 --amount AMOUNT`$/m);
  });

  test('in a script with --all says how much is left, and is sent without an amount', async () => {
    const ran = await paycli(['return', ...named, '--all', '--json'], {
      home: homeWithProfile(),
      network: [() => sold({ 'total-reversal-amount': '3.42' }), () => reply(200, taken)],
    });
    expect([ran.exit, whole(ran).map((body) => [body.has('amount'), body.has('currency')])]).toEqual([
      0,
      [[false, false]],
    ]);
    expect(ran.err).toBe('return of 7.00 EUR: the full remaining amount of order 12345 according to the gateway\n');
    expect(JSON.parse(ran.out).wholeAmount).toEqual({ minor: '700', digits: 2, currency: 'EUR', text: '7.00' });
  });

  test('in a script with --all says how much the journal knows to be left, with no query', async () => {
    const home = homeWithProfile();
    const status = () => sold({ currency: 'USD' });
    expect((await paycli([...saleFlags, '--wait'], { home, network: [() => reply(200, taken), status] })).exit).toBe(0);
    const all = ['return', '902B4FF5', '--all', '--json'];
    const ran = await paycli(all, { home, network: [() => reply(200, taken)] });
    expect([ran.exit, whole(ran).length, ran.requests.length]).toEqual([0, 1, 1]);
    expect(ran.err).toContain(
      'return of at most 10.42 USD: the full remaining amount of order 12345 according to the journal\n',
    );
    expect(JSON.parse(ran.out).wholeAmount).toMatchObject({ text: '10.42', currency: 'USD' });
    const done = { 'transaction-type': 'reversal', amount: '10.42', currency: 'USD', 'total-reversal-amount': '10.42' };
    const again = await paycli(all, { home, network: [() => reply(200, statusReply('approved', done))] });
    expect([again.exit, whole(again)], again.err).toEqual([0, []]);
    expect(again.err).not.toContain('the full remaining amount of order');
  });

  test('in a script with --all says so where nobody tells how much is left', async () => {
    const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
    const ran = await paycli(['return', ...named, '--all'], {
      home: homeWithProfile(),
      network: [lost, lost, lost, () => reply(200, taken)],
    });
    expect([ran.exit, whole(ran).length]).toEqual([0, 1]);
    expect(ran.err).toBe('return of the full remaining amount of order 12345; the amount is not known here\n');
  });

  test('on a terminal says how much is left, and is sent after a yes', async () => {
    const left = () => sold({ 'total-reversal-amount': '3.42' });
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      answers: [['all', 'yes']],
      // Queried again after the answer.
      network: [left, left, () => reply(200, taken)],
    });
    expect(ran.questions.map(({ message, initial }) => [message, initial])).toEqual([
      ['Return 7.00 EUR, the remaining amount of order 12345 (client order id 902B4FF5)?', 'no'],
    ]);
    expect([ran.exit, whole(ran).map((body) => body.has('amount'))]).toEqual([0, [false]]);
  });

  test.each([
    ['5.42', '5.00 EUR remains'],
    ['10.42', 'no remaining amount to return'],
  ])('on a terminal is not sent where %s was returned while the question was open', async (total, now) => {
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      answers: [['all', 'yes']],
      network: [() => sold({ 'total-reversal-amount': '3.42' }), () => sold({ 'total-reversal-amount': total })],
    });
    expect([ran.exit, whole(ran)]).toEqual([10, []]);
    const text = stripVTControlCharacters(ran.err).replace(/\s+/g, ' ');
    expect(text).toContain(`the remaining amount was 7.00 EUR when you were asked; now ${now}; nothing was sent`);
  });

  test('on a terminal is refused where nothing is left', async () => {
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      network: [() => sold({ 'total-reversal-amount': '10.42' })],
    });
    expect([ran.exit, ran.questions, whole(ran)]).toEqual([11, [], []]);
    expect(ran.err).toContain('return is not possible now: no remaining amount to return; nothing was sent');
  });

  test('on a terminal is refused where the sale is still processing, for that reason', async () => {
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      network: [
        () => reply(200, statusReply('processing', { 'transaction-type': 'sale', amount: '10.42', currency: 'EUR' })),
      ],
    });
    expect([ran.exit, ran.questions, whole(ran)]).toEqual([11, [], []]);
    const text = stripVTControlCharacters(ran.err).replace(/\s+/g, ' ');
    expect(text).toContain('the sale is processing, and a return needs a final successful status; nothing was sent');
  });

  test('on a terminal is not sent after a no', async () => {
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      answers: [['all', 'no']],
      network: [() => sold()],
    });
    expect([ran.exit, whole(ran)]).toEqual([10, []]);
    expect(stripVTControlCharacters(ran.err)).toBe(
      'cancelled: nothing was sent\nnext:  for a part of the amount, run it again with --amount\n',
    );
  });

  test('on a terminal says so where nobody tells how much is left', async () => {
    const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      answers: [['all', 'no']],
      network: [lost, lost, lost],
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'Return the full remaining amount of order 12345 (client order id 902B4FF5) (which is not known here)?',
    ]);
  });

  test('with both --all and an amount is wrong usage', async () => {
    const part = ['--amount', '1.00', '--currency', 'EUR'];
    const ran = await paycli(['return', ...named, ...part, '--all'], { home: homeWithProfile() });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--all and an amount cannot be combined')]);
  });

  test('with an amount asks nothing', async () => {
    const part = ['--amount', '1.00', '--currency', 'EUR'];
    const ran = await paycli(['return', ...named, ...part], {
      home: homeWithProfile(),
      tty: true,
      network: [() => reply(200, taken)],
    });
    expect([ran.exit, ran.questions]).toEqual([0, []]);
  });

  test('with its fields by hand asks nothing', async () => {
    const fields = ['orderid=12345', 'client_orderid=902B4FF5'].flatMap((field) => ['--field', field]);
    const ran = await paycli(['request', '/api/v2/return', ...fields], {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
    });
    expect(ran.exit, ran.err).toBe(0);
  });
});

describe('a live return without an amount', () => {
  const home = () => homeWithProfile({ class: 'live' });
  const network = [() => sold({ 'total-reversal-amount': '3.42' })];

  test('is one question on a terminal, which names the amount and that it is live', async () => {
    const ran = await paycli(['return', ...named, '--live'], {
      home: home(),
      tty: true,
      answers: [['login', 'my-shop']],
      network: [...network, () => reply(200, taken)],
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'LIVE return of 7.00 EUR, the full remaining amount: type the merchant login to continue',
    ]);
    expect(ran.err).toMatch(
      /amount +7\.00 EUR \(seven EUR, 700 in minor units\), the full remaining amount of the order\n/,
    );
    expect([ran.exit, whole(ran).map((body) => body.has('amount'))]).toEqual([0, [false]]);
  });

  test('is not sent after another login', async () => {
    const ran = await paycli(['return', ...named, '--live'], {
      home: home(),
      tty: true,
      answers: [['login', 'no']],
      network,
    });
    expect([ran.exit, whole(ran)]).toEqual([10, []]);
  });

  test('says so where nobody tells how much is left', async () => {
    const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
    const ran = await paycli(['return', ...named, '--live'], {
      home: home(),
      tty: true,
      answers: [['login', 'no']],
      network: [lost, lost, lost],
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'LIVE return of the whole amount: type the merchant login to continue',
    ]);
  });

  test('with the login given is the other question, which says that it is live', async () => {
    const ran = await paycli(['return', ...named, '--live', '--confirm-login', 'my-shop'], {
      home: home(),
      tty: true,
      answers: [['all', 'no']],
      network,
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'LIVE money: Return 7.00 EUR, the remaining amount of order 12345 (client order id 902B4FF5)?',
    ]);
    expect([ran.exit, whole(ran)]).toEqual([10, []]);
  });
});

describe('a capture without an amount', () => {
  test('in a script is refused, and nothing is sent', async () => {
    const ran = await paycli(['capture', ...named], { home: homeWithProfile() });
    expect([ran.exit, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).toContain(
      'no amount is given: give --amount for a part, or --all, which captures the full remaining amount',
    );
    expect(ran.err).toMatch(
      /which (?:returns|captures) the full remaining amount; `paycli order 12345` shows the amounts$/m,
    );
  });

  test('in a script with --all is sent without an amount', async () => {
    const held = { 'transaction-type': 'preauth', amount: '10.42', currency: 'EUR' };
    const ran = await paycli(['capture', ...named, '--all'], {
      home: homeWithProfile(),
      network: [() => reply(200, statusReply('approved', held)), () => reply(200, taken)],
    });
    expect(ran.err).toBe('capture of 10.42 EUR: the full remaining amount of order 12345 according to the gateway\n');
    expect([ran.exit, whole(ran).map((body) => [body.has('amount'), body.has('currency')])]).toEqual([
      0,
      [[false, false]],
    ]);
  });

  test('with --no-input on a terminal is refused as in a script', async () => {
    const ran = await paycli(['capture', ...named, '--no-input'], { home: homeWithProfile(), tty: true });
    expect([ran.exit, ran.requests.length, ran.questions]).toEqual([2, 0, []]);
  });

  test('by a dry run is shown as it would be sent', async () => {
    const ran = await paycli(['capture', ...named, '--dry-run'], { home: homeWithProfile() });
    expect([ran.exit, ran.requests.length]).toEqual([0, 0]);
  });

  test('on a terminal says how much is held', async () => {
    const home = temporaryHome();
    const hold = 'preauth --amount 25.00 --currency EUR --test-card approved --wait --client-order-id hold-1';
    expect((await paycli(hold.split(' '), { home })).exit).toBe(0);
    const part = 'return hold-1 --amount 5.00 --currency EUR --wait'.split(' ');
    expect((await paycli(part, { home })).exit).toBe(0);
    const ran = await paycli(['capture', 'hold-1'], { home, tty: true, answers: [['all', 'no']] });
    expect(ran.questions[0]?.message).toMatch(
      /^Capture 20\.00 EUR, the remaining amount of order \d+ \(client order id \S+\)\?$/,
    );
    expect(ran.exit).toBe(10);
  });
});

test('a capture without an amount is refused before anybody is asked, where the rest of the hold was released', async () => {
  const home = temporaryHome();
  const hold = 'preauth --amount 25.00 --currency EUR --test-card approved --wait --client-order-id hold-1';
  expect((await paycli(hold.split(' '), { home })).exit).toBe(0);
  const part = 'capture hold-1 --amount 5.00 --currency EUR --wait'.split(' ');
  expect((await paycli(part, { home })).exit).toBe(0);
  const ran = await paycli(['capture', 'hold-1'], { home, tty: true });
  expect([ran.exit, ran.questions]).toEqual([11, []]);
  expect(stripVTControlCharacters(ran.err).replace(/\s+/g, ' ')).toContain(
    'it was already captured; a hold is captured once, and the rest of it is released (A34)',
  );
});

describe('a script without an amount is told what is left according to the journal', () => {
  const holdOf = async (home: string, follow: readonly (readonly string[])[]) => {
    const hold = 'preauth --amount 25.00 --currency EUR --test-card approved --wait --client-order-id hold-1';
    expect((await paycli(hold.split(' '), { home })).exit).toBe(0);
    for (const argv of follow) expect((await paycli([...argv, '--wait'], { home })).exit).toBe(0);
  };
  const released = ['return', 'hold-1', '--amount', '5.00'];
  const captured = ['capture', 'hold-1', '--amount', '12.00'];

  test.each([
    [
      'capture',
      [],
      2,
      '--all, which captures the full remaining amount (at most 25.00 EUR according to the journal); `paycli order 10000004` shows',
    ],
    [
      'capture',
      [released],
      2,
      '--all, which captures the full remaining amount (at most 20.00 EUR according to the journal); `paycli order 10000004` shows',
    ],
    // The rest of a hold that was captured in part is released (A34).
    [
      'capture',
      [captured],
      11,
      'it was already captured; a hold is captured once, and the rest of it is released (A34)',
    ],
    [
      'return',
      [released],
      2,
      '--all, which returns the full remaining amount (at most 20.00 EUR according to the journal); `paycli order 10000004` shows',
    ],
    [
      'return',
      [captured],
      2,
      '--all, which returns the full remaining amount (at most 12.00 EUR according to the journal); `paycli order 10000004` shows',
    ],
  ])('%s after %j', async (verb, follow, exit, says) => {
    const home = temporaryHome();
    await holdOf(home, follow);
    const ran = await paycli([verb, 'hold-1'], { home });
    expect([ran.exit, ran.out]).toEqual([exit, '']);
    expect(stripVTControlCharacters(ran.err).replace(/\s+/g, ' ')).toContain(says);
  });
});

test('the journal shows what a return without an amount was for', async () => {
  const home = homeWithProfile();
  const send = (argv: readonly string[], network: readonly (() => ReturnType<typeof reply>)[]) =>
    paycli(argv, { home, network });
  const answer = (type: string, more: Readonly<Record<string, string>>) => () =>
    reply(200, statusReply('approved', { 'transaction-type': type, currency: 'USD', ...more }));
  const part = { amount: '3.00', 'by-request-sn': taken['serial-number'], 'total-reversal-amount': '3.00' };
  await send([...saleFlags, '--wait'], [() => reply(200, taken), answer('sale', { amount: '10.42' })]);
  await send(
    [...['return', '902B4FF5', '--amount', '3.00'], '--wait'],
    [() => reply(200, taken), answer('reversal', part)],
  );
  await send(['return', '902B4FF5', '--all'], [() => reply(200, taken)]);
  const listed = await paycli(['journal', 'list'], { home });
  expect(listed.out).toMatch(/return +12345 +902B4FF5 +all \(7\.42 USD\) +accepted/);
  const json = JSON.parse((await paycli(['journal', 'list', '--json'], { home })).out);
  expect(json.entries.map((each: Record<string, unknown>) => each['wholeAmount'])).toEqual([
    null,
    null,
    { minor: '742', digits: 2, currency: 'USD', text: '7.42' },
  ]);
  expect((await paycli(['journal', 'show', '3'], { home })).out).toContain('return all (7.42 USD): accepted');
  const timeline = (await paycli(['order', '902B4FF5', '--timeline'], { home })).out;
  expect(timeline).toContain('return all (7.42 USD) recorded\n');
  expect(timeline).toContain('return all (7.42 USD) sent\n');
  const elsewhere = homeWithProfile();
  const unknown = () => reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '3' });
  await paycli(['return', ...named, '--all'], { home: elsewhere, network: [unknown, () => reply(200, taken)] });
  expect((await paycli(['journal', 'list'], { home: elsewhere })).out).toMatch(
    /return +12345 +902B4FF5 +all +accepted/,
  );
});
