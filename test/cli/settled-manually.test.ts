import { describe, expect, test } from 'vitest';
import type { Delivery, Runtime } from '../../src/runtime/ports.js';
import { interruptedAt, paycli, type Ran, reply } from '../support/runtime.js';
import {
  homeWithProfile,
  lost,
  noSuchOrder,
  partialReturn,
  returnedStatus,
  saleFlags,
  statusReply,
  taken,
} from './profiles.js';

const approved = reply(200, statusReply('approved', { 'transaction-type': 'sale' }));
const processing = reply(200, statusReply('processing', { 'transaction-type': 'sale' }));
const unknownStatus = reply(200, statusReply('unknown', { 'transaction-type': 'sale' }));
const run = (
  home: string,
  argv: string | readonly string[],
  replies: readonly Delivery[] = [],
  outside?: (usual: Runtime) => Runtime,
) => paycli(argv, { home, network: replies.map((one) => () => one), ...(outside === undefined ? {} : { outside }) });
const evidence = ['--evidence', 'the statement of today'];
const settle = (
  home: string,
  as: 'paid' | 'not-paid',
  order: readonly string[] = ['902B4FF5'],
  outside?: (usual: Runtime) => Runtime,
) => run(home, ['resolve', ...order, '--offline', '--settle-as', as, ...evidence], [], outside);

/** A sale whose reply was lost. */
async function unknownSale(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, [lost])).exit).toBe(8);
  return home;
}

async function entries(home: string): Promise<readonly { entry: number; state: string; reason: string }[]> {
  return JSON.parse((await run(home, 'journal --json')).out).entries;
}
const states = async (home: string) => (await entries(home)).map(({ state }) => state);

/** Where both processes run: without it nobody can tell whether the other one still does. */
const place = 'b n';

/** Runs a command of another process while a request of this one is on its way. */
function meanwhile(work: () => Promise<unknown>): (usual: Runtime) => Runtime {
  return (usual) => ({
    ...usual,
    processes: { ...usual.processes, place },
    async transport(options) {
      const transport = await usual.transport(options);
      return {
        ...transport,
        async post(...request) {
          await work();
          return transport.post(...request);
        },
      };
    },
  });
}

/** Another process, to which the sender of everything in the journal lives or does not. */
const elsewhere =
  (isAlive: boolean) =>
  (usual: Runtime): Runtime => ({
    ...usual,
    processes: { ...usual.processes, place, pid: 5555, isAlive: () => isAlive },
  });

const settleBeside = (home: string, isAlive: boolean): Promise<Ran> =>
  settle(home, 'not-paid', ['902B4FF5'], elsewhere(isAlive));

describe('settling by hand while the sender lives', () => {
  test('is refused for a while where its container cannot be seen into', async () => {
    const home = homeWithProfile();
    let beside: Ran | undefined;
    const sending = meanwhile(async () => {
      beside ??= await settle(home, 'not-paid', ['902B4FF5'], (usual) => ({
        ...usual,
        processes: { ...usual.processes, pid: 7, place: 'b pid:[1]' },
      }));
    });
    const sale = await run(home, [...saleFlags, '--wait'], [reply(200, taken), approved], sending);
    expect([beside?.exit, beside?.err]).toEqual([
      13,
      expect.stringContaining('another paycli is sending this right now'),
    ]);
    expect([sale.exit, await states(home)]).toEqual([0, ['done']]);
  });

  test('is refused, and what the sender hears is kept', async () => {
    const home = homeWithProfile();
    let beside: Ran | undefined;
    const sending = meanwhile(async () => {
      beside ??= await settleBeside(home, true);
    });
    const sale = await run(home, [...saleFlags, '--wait'], [reply(200, taken), approved], sending);
    expect(beside?.exit).toBe(13);
    expect(beside?.err).toContain(
      'another paycli is sending this right now, or has just changed it: sale of 10.42 USD on order 902B4FF5',
    );
    expect([sale.exit, await states(home)]).toEqual([0, ['done']]);
  });
});

describe('evidence of a payment that a person wrote down as not paid', () => {
  test('the reply of a sender that was taken for dead: exit 8 and a conflict, never a payment that vanished', async () => {
    const home = homeWithProfile();
    let isSettled = false;
    const sending = meanwhile(async () => {
      if (!isSettled) expect((await settleBeside(home, false)).exit).toBe(0);
      isSettled = true;
    });
    const sale = await run(home, [...saleFlags, '--wait', '--json'], [reply(200, taken), approved], sending);
    expect(sale.exit).toBe(8);
    expect(JSON.parse(sale.out)).toMatchObject({
      ok: false,
      exit: 8,
      next: expect.stringContaining('paycli resolve --entry 1'),
      meaning: expect.stringContaining('in conflict: declined (marked by hand), but HTTP 200'),
    });
    expect(await states(home)).toEqual(['conflict']);
  });

  test.each([
    ['approved', approved],
    ['processing', processing],
  ])('a status answer of %s raises a conflict that stays until a person closes it', async (word, answer) => {
    const home = await unknownSale();
    expect((await settle(home, 'not-paid')).exit).toBe(0);
    const asked = await run(home, 'status --client-order-id 902B4FF5', [answer]);
    const words = `is in conflict: declined (marked by hand), but status: ${word}`;
    expect([asked.exit, asked.err]).toEqual([8, expect.stringContaining(words)]);
    expect(await states(home)).toEqual(['conflict']);
    const later = await run(home, 'status --client-order-id 902B4FF5 --json', [answer]);
    const warnings = [expect.stringContaining(words)];
    expect([later.exit, JSON.parse(later.out)]).toEqual([8, expect.objectContaining({ ok: false, exit: 8, warnings })]);
    // Of an order that goes on, the end of the wait is another question.
    const waited = await run(
      home,
      'status --wait --client-order-id 902B4FF5 --wait-timeout 1',
      word === 'approved' ? [answer] : [answer, answer],
    );
    expect([waited.exit, waited.err]).toEqual([8, expect.stringContaining(words)]);

    const all = await run(home, 'resolve');
    expect(all.exit).toBe(8);
    expect(all.err).toContain('`paycli resolve --entry 1 --settle-as paid --evidence TEXT` or `paycli resolve');
    const again = await run(home, saleFlags);
    expect([again.exit, again.requests]).toEqual([8, []]);
    const doctor = await run(home, 'doctor');
    expect([doctor.exit, doctor.out]).toEqual([
      11,
      expect.stringMatching(/^fail +outcomes +1 request in doubt or in conflict/m),
    ]);
    expect(doctor.out).not.toContain('every payment has a known outcome');

    expect((await settle(home, 'paid', ['--entry', '1'])).exit).toBe(0);
    expect(await states(home)).toEqual(['done']);
    expect((await run(home, 'resolve')).exit).toBe(0);
    expect((await run(home, 'status --client-order-id 902B4FF5', [answer])).exit).toBe(0);
    expect(await states(home)).toEqual(['done']);
  });

  test('a payment that was refused, and that status knows all the same, is in conflict and is not sent again', async () => {
    const home = homeWithProfile();
    const no = reply(400, { type: 'validation-error', 'error-message': 'no' });
    const refused = await run(home, saleFlags, [no, noSuchOrder]);
    expect(refused.exit).toBe(4);
    await run(home, 'status --client-order-id 902B4FF5', [approved]);
    expect(await states(home)).toEqual(['conflict']);
    const again = await run(home, saleFlags);
    expect([again.exit, again.requests]).toEqual([8, []]);
  });
});

describe('the same command after a person settled it', () => {
  test.each([
    ['paid', 0, 'marked as paid by hand at '],
    ['not-paid', 5, 'marked as not paid by hand at '],
  ] as const)('as %s: exit %i, says so, and not what the gateway said last', async (as, exit, says) => {
    const home = await unknownSale();
    await run(home, 'status --client-order-id 902B4FF5', [processing]);
    await settle(home, as);
    const again = await run(home, saleFlags);
    expect([again.exit, again.requests]).toEqual([exit, []]);
    expect(again.out).toContain(says);
    expect(again.out).not.toContain('processing');
    const shown = await run(home, 'journal 902B4FF5');
    expect(shown.out).toContain(`marked as ${as.replace('-', ' ')} by hand, recorded by `);
    expect(shown.out).toContain('the statement of today');
  });
});

describe('one client order id at two endpoints', () => {
  const there = [...saleFlags, '--endpoint-id', '1145'];

  test('is not sent at the second while it is in doubt at the first', async () => {
    const home = await unknownSale();
    const second = await run(home, there);
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain(
      'order 902B4FF5 has the same amount and the same card or account, and its state is unknown at endpoint 1144',
    );
  });

  test('nor after it was taken at the first: the same payment under the same id is one payment', async () => {
    const home = homeWithProfile();
    await run(home, saleFlags, [reply(200, taken)]);
    const second = await run(home, there);
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain('the same payment was already sent: order 12345 is accepted at endpoint 1144');
  });
});

describe('several requests on one order that are open', () => {
  test('a sum that the returns of both explain settles neither, until one is named', async () => {
    const home = homeWithProfile();
    await twoReturns(home);
    const asked = await run(home, 'resolve 12345', Array(3).fill(returned('8.00')));
    expect([asked.exit, await states(home)]).toEqual([8, ['accepted', 'unknown']]);
  });

  const returned = (sum: string) => reply(200, returnedStatus(sum));

  /** A return that the gateway took and works on, and one whose reply was lost. */
  async function twoReturns(home: string): Promise<void> {
    await run(home, [...partialReturn('5.00'), '--profile', 'shop'], [reply(200, { ...taken, 'serial-number': '' })]);
    expect((await run(home, [...partialReturn('3.00'), '--profile', 'shop'], [lost])).exit).toBe(8);
  }

  test.each([
    [
      'a return that is approved',
      partialReturn('5.00'),
      { 'transaction-type': 'reversal', 'total-reversal-amount': '5.00' },
    ],
    [
      'a return of everything',
      ['return', '12345', '--client-order-id', '902B4FF5', '--all'],
      { 'transaction-type': 'reversal', 'total-reversal-amount': '10.42' },
    ],
  ])('a sale whose reply was lost, and that status called processing, is settled by %s', async (_, argv, answer) => {
    const home = await unknownSale();
    await run(home, 'status --client-order-id 902B4FF5', [processing]);
    await run(home, [...argv, '--profile', 'shop'], [reply(200, taken)]);
    expect(await states(home)).toEqual(['accepted', 'accepted']);
    const now = reply(200, statusReply('approved', { currency: 'USD', amount: '5.00', ...answer }));
    expect((await run(home, 'resolve', [now, now, now])).exit).toBe(0);
    expect(await states(home)).toEqual(['done', 'done']);
  });

  test('an answer that settles one raises the conflict it proves of another: exit 8', async () => {
    const home = homeWithProfile();
    await run(home, [...partialReturn('1.00'), '--profile', 'shop'], [lost]);
    await settle(home, 'not-paid', ['12345']);
    await run(home, [...partialReturn('2.00'), '--profile', 'shop'], [reply(200, taken)]);
    const own = reply(200, {
      ...statusReply('approved', { 'transaction-type': 'reversal', currency: 'USD', 'total-reversal-amount': '3.00' }),
      'by-request-sn': taken['serial-number'],
    });
    const resolved = await run(home, 'resolve 12345', [own]);
    expect([resolved.exit, await states(home)]).toEqual([8, ['conflict', 'done']]);
    expect(resolved.err).toContain('paycli resolve --entry 1 --settle-as paid');
  });

  test('a person names one by the number of its entry', async () => {
    const home = homeWithProfile();
    await twoReturns(home);
    const both = await settle(home, 'paid', ['12345']);
    expect(both.exit).toBe(2);
    expect(both.err).toMatch(/entry 1, return of 5\.00 USD.*; entry 2, return of 3\.00 USD.*Name one with --entry/);
    const mistyped = await settle(home, 'not-paid', ['2']);
    expect([mistyped.exit, await states(home)]).toEqual([2, ['accepted', 'unknown']]);
    expect((await settle(home, 'not-paid', ['--entry', '2'])).exit).toBe(0);
    expect((await settle(home, 'paid', ['--entry', '1'])).exit).toBe(0);
    expect(await states(home)).toEqual(['done', 'declined']);
    expect((await settle(home, 'paid', ['--entry', '3'])).exit).toBe(2);
  });
});

describe('what is said beside a payment does not make it another one', () => {
  const give = 'return 12345 --client-order-id 902B4FF5 --amount 5.00 --currency USD --profile shop'.split(' ');

  test('a return with another comment is the same return; --again says it is meant', async () => {
    const home = homeWithProfile();
    expect((await run(home, [...give, '--comment', 'damaged'], [reply(200, taken)])).exit).toBe(0);
    const other = await run(home, [...give, '--comment', 'damaged goods'], [processing]);
    expect([other.requests.map(({ url }) => url.includes('/status/')), await states(home)]).toEqual([
      [true],
      ['accepted'],
    ]);
    expect(other.err).toContain('--again');
    const again = await run(home, [...give, '--comment', 'damaged goods', '--again'], [reply(200, taken)]);
    expect([again.exit, await states(home)]).toEqual([0, ['accepted', 'accepted']]);
  });

  test.each([['--order-desc', 'Two other tickets']])(
    'a sale in doubt with another %s is still in doubt, under its own id and under one that is made up',
    async (flag, value) => {
      const home = homeWithProfile();
      const at = saleFlags.indexOf(flag);
      const others =
        at === -1 ? [...saleFlags, flag, value] : saleFlags.map((word, index) => (index === at + 1 ? value : word));
      await run(home, saleFlags, [lost]);
      const same = await run(home, others, [processing]);
      expect(same.requests.map(({ url }) => url.includes('/status/'))).toEqual([true]);
      const home2 = homeWithProfile();
      await run(home2, saleFlags, [lost]);
      const made = others.filter(
        (word, index) => word !== '--client-order-id' && others[index - 1] !== '--client-order-id',
      );
      const twin = await run(home2, made);
      expect([twin.exit, twin.requests]).toEqual([10, []]);
    },
  );

  test('another amount, card or payer is another payment', async () => {
    const home = await unknownSale();
    for (const [flag, value] of [
      ['--amount', '10.43'],
      ['--card-number', '4012888888881881'],
      ['--email', 'john@example.com'],
    ] as const) {
      const other = saleFlags.map((word, index) => (saleFlags[index - 1] === flag ? value : word));
      const ran = await run(home, other);
      expect([ran.exit, ran.requests], flag).toEqual([2, []]);
    }
  });
});

describe('before a person settles an entry, the gateway is asked', () => {
  const flags = ['--settle-as', 'not-paid', ...evidence];

  test('what it resolves is not settled manually', async () => {
    const home = await unknownSale();
    const ran = await run(home, ['resolve', '902B4FF5', ...flags], [approved]);
    expect([ran.exit, ran.requests.length], ran.err).toEqual([0, 1]);
    expect(ran.err).toContain('the gateway resolved it, so it is not marked by hand');
    expect((await entries(home)).map(({ state, reason }) => [state, reason.includes('hand')])).toEqual([
      ['done', false],
    ]);
  });

  test.each([
    ['does not know the outcome', [unknownStatus], 'the gateway itself does not know the outcome'],
    ['does not answer, asked three times', [lost, lost, lost], 'the connection was reset'],
  ])('where it %s, the evidence decides', async (_, answers, why) => {
    const home = await unknownSale();
    const ran = await run(home, ['resolve', '902B4FF5', ...flags], answers);
    expect([ran.exit, ran.requests.length], ran.err).toEqual([0, answers.length]);
    expect(ran.err).toMatch(new RegExp(`its status does not resolve it: ${why}.*; the evidence alone decides`));
    expect(await states(home)).toEqual(['declined']);
  });

  test('while it is processing the request nothing is settled, but with --offline', async () => {
    const home = await unknownSale();
    const ran = await run(home, ['resolve', '902B4FF5', ...flags], [processing]);
    expect([ran.exit, ran.requests.length], ran.err).toEqual([7, 1]);
    expect(ran.err).toContain('the gateway is processing it, so its outcome is open and nothing was settled');
    expect(ran.err).toContain('--offline settles it anyway');
    expect(await states(home)).toEqual(['accepted']);
    expect((await run(home, ['resolve', '902B4FF5', '--offline', ...flags])).exit).toBe(0);
    expect(await states(home)).toEqual(['declined']);
  });
});

describe('on a terminal, a person confirms what is recorded', () => {
  const argv = ['resolve', '902B4FF5', '--offline', '--settle-as', 'not-paid', '--evidence', 'statement of 31 January'];
  const onTerminal = (home: string, more: readonly string[], answers: readonly (readonly [string, string])[]) =>
    paycli([...argv, ...more], { home, tty: true, answers });

  test('who sees the order, the money, the profile, the outcome and the evidence first', async () => {
    const home = await unknownSale();
    const ran = await onTerminal(home, ['--quiet'], [['record it', 'yes']]);
    expect([ran.exit, await states(home)], ran.err).toEqual([0, ['declined']]);
    expect(ran.questions[0]).toMatchObject({
      initial: 'no',
      message:
        'Record as not paid: sale of 10.42 USD on order 902B4FF5, profile shop (test), now unknown; evidence: statement of 31 January?',
    });
  });

  test('an interruption there records nothing, which is said', async () => {
    const home = await unknownSale();
    const ran = await paycli(argv, { home, tty: true, outside: interruptedAt('record it') });
    expect([ran.exit, await states(home)]).toEqual([130, ['unknown']]);
    expect(ran.err).toContain(' interrupted; nothing was recorded\n');
  });
});
