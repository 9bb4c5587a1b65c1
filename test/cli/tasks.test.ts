import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { expectGolden, expectNoOthers } from '../support/golden.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile } from './profiles.js';

/** What an operator has to do at night, with at most two commands. */
interface Task {
  readonly name: string;
  readonly does: string;
  /** In the topic runbooks. */
  readonly heading: string;
  readonly home?: () => string;
  /** What happened before; not part of the session. */
  readonly before?: readonly string[];
  readonly session: readonly Step[];
}

interface Step {
  readonly line: string;
  /** Run in the same command line once the first has succeeded, with what it printed in place of PLAN. */
  readonly andThen?: string;
  readonly exit: number;
  /** Words without which the task is not done. */
  readonly says: readonly string[];
  readonly network?: readonly Delivery[];
  /** Done by the operator in an editor before this command. */
  readonly edit?: (home: string) => void;
}

const paid = (id: string, more = '--test-card approved') =>
  `sale --amount 25.00 --currency EUR --client-order-id ${id} ${more} --wait --no-input`;

const unknownOrder = reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });
const forbidden = reply(403, { type: 'error', 'error-message': 'Access denied', 'error-code': '403' });

const rowWith = (row: number, amount: string) => `row-${row},${amount},EUR,DE8937040044053201${100 + row},Bank,Main`;

function payoutFile(home: string, amountOfRow37: string): void {
  const rows = Array.from({ length: 40 }, (_, at) => rowWith(at + 1, at + 1 === 37 ? amountOfRow37 : '10.00'));
  const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';
  writeFileSync(join(home, 'payouts.csv'), `${[header, ...rows].join('\n')}\n`, { mode: 0o600 });
}

function homeWithPayouts(): string {
  const home = temporaryHome();
  payoutFile(home, '"10,00"');
  return home;
}

function homeWithNewKey(): string {
  const home = homeWithProfile();
  writeFileSync(join(home, 'next.key'), 'AF4B9B1A-7E21-NEXT\n', { mode: 0o600 });
  return home;
}

function homeWithTwoKeys(): string {
  const home = temporaryHome();
  for (const name of ['shop', 'shop-live'])
    writeFileSync(join(home, `${name}.key`), `AF4B9B1A-7E21-${name}\n`, { mode: 0o600 });
  return home;
}

const added = (name: string, kind: string, address: string) =>
  `profile add ${name} --class ${kind} --login my-shop --endpoint-id 4001 --base-url ${address} --control-key-file ${name}.key`;

const plan =
  "batch plan payouts.csv --operation payout --expect-count 40 --expect-total EUR=400.00 --template '{{plan}}'";

const tasks: readonly Task[] = [
  {
    name: 'refund-a-part',
    does: 'refund part of an order known by your own id',
    heading: 'Refund part of an order',
    before: [paid('order-100')],
    session: [{ line: 'return order-100 --amount 5.00 --wait', exit: 0, says: ['approved', 'from the journal'] }],
  },
  {
    name: 'a-payment-hangs',
    does: 'find why a payment hangs',
    heading: 'A payment hangs',
    before: [paid('order-101', '--test-card 3ds-challenge')],
    session: [{ line: 'order order-101', exit: 0, says: ['waiting for the payer', '3-D Secure', 'upload-3ds cres'] }],
  },
  {
    name: 'rotate-the-control-key',
    does: 'rotate the control key',
    heading: 'Rotate the control key',
    home: homeWithNewKey,
    session: [
      {
        line: 'profile set-key shop control --file next.key',
        exit: 0,
        says: ['control key'],
        network: [unknownOrder],
      },
    ],
  },
  {
    name: 'a-mistake-in-row-37',
    does: 'a payout file with a mistake in row 37',
    heading: 'A mistake in row 37 of a payout file',
    home: homeWithPayouts,
    session: [
      { line: plan, andThen: 'batch run PLAN', exit: 2, says: ['line 38', 'amount'] },
      {
        line: plan,
        andThen: 'batch run PLAN',
        exit: 0,
        says: ['40 planned = 40 done'],
        edit: (home) => payoutFile(home, '10.00'),
      },
    ],
  },
  {
    name: 'charged-twice',
    does: 'the payer says that the card was charged twice',
    heading: 'The payer was charged twice',
    before: [paid('order-200'), paid('order-201')],
    session: [
      { line: 'orders --card 1111 --amount "25.00 EUR"', exit: 0, says: ['order-200', 'order-201', 'approved'] },
      { line: 'return order-201 --all --wait', exit: 0, says: ['approved'] },
    ],
  },
  {
    name: 'the-gateway-answers-403',
    does: 'the gateway answers 403',
    heading: 'The gateway answers 403',
    home: homeWithProfile,
    session: [
      { line: 'status 12345', exit: 4, says: ['403', 'Access denied'], network: [forbidden] },
      {
        line: 'sign status order-1 --explain',
        exit: 0,
        says: ['my-shop', 'SHA-1', 'key fingerprint'],
      },
    ],
  },
  {
    name: 'capture-the-rest',
    does: 'capture after a partial capture',
    heading: 'Capture the rest of a hold',
    before: [
      'preauth --amount 20.00 --currency EUR --client-order-id order-300 --test-card approved --wait --no-input',
      'capture order-300 --amount 5.00 --wait --no-input',
    ],
    session: [{ line: 'order order-300', exit: 0, says: ['captured 5.00', 'Available', 'Not available', 'capture'] }],
  },
  {
    name: 'test-and-live',
    does: 'a test and a live profile',
    heading: 'A test and a live profile',
    home: homeWithTwoKeys,
    session: [
      { line: added('shop', 'test', 'https://gate.example/prefix'), exit: 0, says: ['class test', 'default yes'] },
      { line: added('shop-live', 'live', 'https://live.example'), exit: 0, says: ['class live', 'default no'] },
    ],
  },
  {
    name: 'copy-paste-reproduction',
    does: 'a reproduction to paste into a ticket',
    heading: 'A reproduction for a ticket',
    before: [paid('order-400')],
    session: [
      { line: 'support bundle order-400 --out case.zip', exit: 0, says: ['case.zip'] },
      {
        line: 'sign curl status order-400',
        exit: 0,
        says: ['#!/bin/sh', "client_order_id='order-400'", 'CONTROL_KEY_FILE', 'curl --silent'],
      },
    ],
  },
  {
    name: 'a-callback-that-never-came',
    does: 'a callback that never arrived',
    heading: 'A callback that never arrived',
    before: [
      'sandbox callbacks script never --client-order-id order-500',
      paid('order-500', '--test-card approved --server-callback-url http://127.0.0.1:3000/callback'),
    ],
    session: [
      { line: 'order order-500', exit: 0, says: ['approved', 'none received here'] },
      {
        line: 'sandbox callbacks list --order order-500',
        exit: 0,
        says: ['withheld, script never', 'is withheld; `paycli callback send'],
      },
    ],
  },
  {
    name: 'declined-today',
    does: 'what was declined today, and why',
    heading: 'Declined today, and why',
    before: [paid('order-600', '--test-card funds'), paid('order-601')],
    session: [{ line: 'orders --status declined --since today', exit: 0, says: ['order-600', 'Insufficient funds'] }],
  },
  {
    name: 'unknown-outcome',
    does: 'an unknown outcome',
    heading: 'The outcome is unknown',
    before: [
      'sandbox outcomes next no-answer-done',
      paid('order-700').replace(' --wait', ''),
      'sandbox clock advance 1m',
    ],
    session: [
      {
        line: 'journal list --state sending --state unknown --state accepted',
        exit: 0,
        says: ['order-700', 'unknown'],
      },
      { line: 'resolve order-700', exit: 0, says: ['approved'] },
    ],
  },
];

/** The words of a line, as a shell would take them apart. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? '');
}

/** What differs from run to run: sizes in a bundle follow the version of Node and paths, and so does a plan's digest. */
function steady(text: string): string {
  return text
    .replace(/\d+ bytes$/gm, 'N bytes')
    .replace(/^( {2}\w+\.(?:txt|json) +)\d+/gm, '$1N')
    .replace(/^( {2}digest +)[0-9a-f]{64}$/gm, '$1DIGEST');
}

describe('twelve tasks of an operator', () => {
  test('are all here, with at most two commands each', () => {
    expect(tasks).toHaveLength(12);
    expect(tasks.filter(({ session }) => session.length > 2)).toEqual([]);
    expectNoOthers(
      'tasks',
      tasks.map(({ name }) => `${name}.txt`),
    );
  });

  test('each has a heading in the topic runbooks, with at most two commands, and a line in the list at its top', () => {
    const [top = '', ...sections] = readFileSync('src/cli/docs/topics/runbooks.md', 'utf8').split(/^## /m);
    const headings = sections.map((section) => section.split('\n')[0]);
    expect([...headings].sort()).toEqual(tasks.map(({ heading }) => heading).sort());
    expect([...top.matchAll(/^\d+\. (.*)$/gm)].map(([, title]) => title)).toEqual(headings);
    for (const section of sections) {
      const lines = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
        block
          .replace(/ \\\n\s+/g, ' ')
          .trimEnd()
          .split('\n'),
      );
      expect([section, lines.length]).toEqual([section, 1]);
      expect([1, 2], section).toContain(lines[0]?.length);
    }
  });

  test.each(tasks)('$does', async ({ name, does, home: made = temporaryHome, before = [], session }) => {
    const home = made();
    for (const line of before) await paycli(wordsOf(line), { home });
    const shown = [`# ${does}: ${session.length === 1 ? 'one command' : 'two commands'}\n`];
    for (const { line, andThen, exit, says, network = [], edit } of session) {
      edit?.(home);
      const first = await paycli(wordsOf(line), { home, network: network.map((each) => () => each) });
      const isOver = andThen === undefined || first.exit !== 0;
      const ran = isOver ? first : await paycli(wordsOf(andThen.replace('PLAN', first.out.trim())), { home });
      const printed = steady(`${isOver ? '' : first.err}${ran.err}${ran.out}`.replaceAll(home, 'HOME'));
      expect(ran.exit, `${line}\n${printed}`).toBe(exit);
      for (const words of says) expect(printed.replace(/\s+/g, ' '), line).toContain(words);
      const typed = andThen === undefined ? `paycli ${line}` : `plan=$(paycli ${line}) && paycli ${andThen}`;
      shown.push(`$ ${typed.replace('PLAN', '"$plan"')}\n${printed}${exit === 0 ? '' : `[exit ${exit}]\n`}`);
    }
    expectGolden(`tasks/${name}.txt`, shown.join('\n'));
  });
});
