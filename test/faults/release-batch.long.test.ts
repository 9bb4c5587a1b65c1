// @module-tag openssl
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Home, type Ran } from '../e2e/home.js';
import { type Gateway, profileText, startGateway } from '../e2e/shop.js';
import { expectSound } from '../support/user-journal.js';
import { type Conduct, type FaultyProxy, faultyProxy, pass } from './faulty-proxy.js';
import { answer, type Exchange, type Fault, faults, raw, redirect } from './server.js';

// 100,000 rows before a release.
const rows = Number(process.env['RELEASE_ROWS'] ?? 60);
const seed = Number(process.env['RELEASE_SEED'] ?? 1);
const killsAt = [0.25, 0.5, 0.75];
/** A file with cards is read again at every start, which is most of the time of a large one. */
const hasCards = rows <= 1000;

const card = '4444333322221111';
const idOf = (number: number) => `release-${number}`;
// No two alike, and no ending that means something to the sandbox.
const minorOf = (number: number) => number * 100 + (number % 50);
const euros = (minor: number) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
const numbers = Array.from({ length: rows }, (_, at) => at + 1);
const planned = numbers.reduce((sum, number) => sum + minorOf(number), 0);

let gateway: Gateway;
let home: Home;
let proxy: FaultyProxy;
/** Requests that followed a redirect. */
let strayed = 0;
const elsewhere = createServer((socket: Socket) => {
  strayed += 1;
  socket.destroy();
});

beforeAll(async () => {
  gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  proxy = await faultyProxy(gateway.url, choose);
  const profile = profileText('shop', proxy.url, gateway.keys).replace('class: test', 'class: sandbox');
  home = new Home(`default-profile: shop\nprofiles:\n${profile}`);
}, 60_000);

afterAll(async () => {
  home.remove();
  elsewhere.close();
  await proxy.close();
  await gateway.close();
});

/** Answers as a gateway that did what it was asked to, or did not, and says something else. */
function lie(what: 'paid' | 'not paid', fault: Fault): Conduct {
  return async ({ forward, socket, exchange }) => {
    if (what === 'paid') await forward();
    fault.received?.(socket, exchange);
  };
}

/** Changes the true answer. */
function bend(change: (reply: string) => Fault): Conduct {
  return async ({ forward, socket, exchange }) => {
    change(await forward()).received?.(socket, exchange);
  };
}

const bodyIn = (reply: string) => reply.slice(reply.indexOf('\r\n\r\n') + 4);
let isBusyFor = 0;
/** One in twenty holds up the whole batch for a second, or the test would mostly wait. */
function busy(status: number): Fault {
  isBusyFor += 1;
  return answer('', { status, headers: [`retry-after: ${isBusyFor % 20 === 1 ? 1 : 0}`] });
}

const redirecting: Conduct = (turn) => {
  const address = elsewhere.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return lie('not paid', redirect(307, `http://127.0.0.1:${port}/api/v2/payout/5001`))(turn);
};

const conducts = {
  'nobody listens for a moment': (turn) => {
    turn.leave();
    return pass(turn);
  },
  'a reset before the next request': (turn) => {
    turn.resetNext();
    return pass(turn);
  },
  'a reset, not paid': lie('not paid', faults.resetAfterBody),
  'a reset, paid': lie('paid', faults.resetAfterBody),
  'closed, paid': lie('paid', faults.closeAfterBody),
  'cut in the body': async ({ forwardHalf, socket }) => {
    await forwardHalf();
    socket.resetAndDestroy();
  },
  'half of a reply': bend((reply) => raw(reply.slice(0, -20))),
  'a page': lie('paid', faults.html),
  'an empty reply': lie('paid', faults.empty),
  'plain text': bend((reply) => answer(bodyIn(reply), { headers: ['content-type: text/plain'] })),
  'broken JSON': bend((reply) => answer(bodyIn(reply).slice(0, -5))),
  'an encoding': bend((reply) =>
    answer(bodyIn(reply), { headers: ['content-type: application/vnd.pay+json', 'content-encoding: gzip'] }),
  ),
  'no HTTP': lie('paid', faults.notHttp),
  'another order': lie('paid', faults.otherOrder),
  '500, paid': lie('paid', answer('', { status: 500 })),
  '500, not paid': lie('not paid', answer('', { status: 500 })),
  '503, not paid': (turn) => lie('not paid', busy(503))(turn),
  '429, paid': (turn) => lie('paid', busy(429))(turn),
  'a redirect': redirecting,
  silence: lie('paid', faults.silence),
} as const satisfies Record<string, Conduct>;

type Name = keyof typeof conducts;

const names = Object.keys(conducts) as Name[];
// These hold up the whole batch, so questions do without them.
const slow: readonly Name[] = ['503, not paid', '429, paid', 'silence'];
const forQuestions = names.filter((name) => !slow.includes(name));

let dice = seed;

/** Chance by a seed (mulberry32), from 0 to 1. */
function chance(): number {
  dice = (dice + 0x6d2b79f5) | 0;
  let mixed = Math.imul(dice ^ (dice >>> 15), 1 | dice);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
const share = Math.ceil(rows / 100);
/** Each fault at one row in a hundred; only an answer about another order, which ends a run, at one in ten thousand. */
const shareOf = (name: Name) => (name === 'another order' ? Math.ceil(share / 100) : share);

/** The faults by the order in which rows arrive. The last fifth has none: a row that a kill kept back never arrives. */
function allot(): Map<number, Name> {
  const left = numbers.slice(0, Math.floor(rows * 0.8));
  for (let at = left.length - 1; at > 0; at -= 1) {
    const swapped = Math.floor(chance() * (at + 1));
    [left[at], left[swapped]] = [left[swapped] ?? 0, left[at] ?? 0];
  }
  const wanted = names.flatMap((name) => Array<Name>(shareOf(name)).fill(name));
  const allotted = new Map<number, Name>();
  for (const arrival of left) {
    const name = wanted.at(-1);
    if (name === undefined) break;
    if (!isCrowded(arrival, allotted)) allotted.set(arrival, wanted.pop() ?? name);
  }
  return allotted;
}

/**
 * Of five rows one after another three at most have a fault: five lost ones end a run, and it would do nothing but
 * begin again.
 */
function isCrowded(arrival: number, known: ReadonlyMap<number, Name>): boolean {
  return [0, 1, 2, 3, 4].some((back) => [0, 1, 2, 3, 4].filter((on) => known.has(arrival - back + on)).length > 2);
}

const allotted = allot();
/** How many bodies came of each row. */
const bodies = new Map<string, number>();
const met = new Map<Name, number>();
let isWell = false;
let watch = { rows: Number.POSITIVE_INFINITY, reached: () => {} };

function choose({ head, body }: Exchange): Conduct {
  const isPayout = head.split('\r\n', 1)[0]?.includes('/payout/') === true;
  const name = isPayout ? arrived(new URLSearchParams(body.toString()).get('client_orderid') ?? '') : questionFault();
  return name === undefined || isWell ? pass : conducts[name];
}

/** Counts the row; its fault, if it has one. */
function arrived(id: string): Name | undefined {
  bodies.set(id, (bodies.get(id) ?? 0) + 1);
  if (bodies.size >= watch.rows) watch.reached();
  const name = bodies.get(id) === 1 ? allotted.get(bodies.size) : undefined;
  if (name !== undefined) met.set(name, (met.get(name) ?? 0) + 1);
  return name;
}

/** At about one question in ten. */
function questionFault(): Name | undefined {
  return forQuestions[Math.floor(chance() * 10 * forQuestions.length)];
}

interface End {
  readonly state: string;
  readonly count: number;
  readonly totals: readonly { readonly minor: string; readonly currency: string }[];
}

/**
 * The totals a run ended with: all rows and all the money of the plan, each once. Undefined when it never came to its
 * rows.
 */
function totalsIn({ out, err }: Ran): ReadonlyMap<string, number> | undefined {
  if (out === '') return undefined;
  const { planned: count, states: ends }: { planned: number; states: readonly End[] } = JSON.parse(out);
  expect(count, err).toBe(rows);
  expect(
    ends.reduce((sum, end) => sum + end.count, 0),
    out,
  ).toBe(rows);
  const money = ends.flatMap(({ totals }) => totals);
  expect(new Set(money.map(({ currency }) => currency))).toEqual(new Set(['EUR']));
  expect(
    money.reduce((sum, { minor }) => sum + Number(minor), 0),
    out,
  ).toBe(planned);
  return new Map(ends.map(({ state, count: rows }) => [state, rows]));
}

/** What was carried out, by the sandbox's own ledger: every payout with its money, however often. */
function ledger(): readonly { readonly id: string; readonly minor: number; readonly status: string }[] {
  const database = new DatabaseSync(join(gateway.home.state, 'data/sandbox/default.db'), { readOnly: true });
  try {
    const all: readonly Readonly<Record<string, unknown>>[] = database
      .prepare("SELECT client_order_id AS id, amount, status FROM transactions WHERE kind = 'payout'")
      .all();
    return all.map(({ id, amount, status }) => ({ id: String(id), minor: Number(amount), status: String(status) }));
  } finally {
    database.close();
  }
}

const printed: string[] = [];
/** What three kills keep back at most is less than the fifth of the rows that has no faults. */
const atOnce = String(Math.min(16, Math.floor(rows / 16)));
const flags = ['--rate', '10000/s', '--concurrency', atOnce, '--max-unknown', '100%', '--timeout', '1', '--json'];
let kills = 0;

/** One run, killed once so many rows were sent as the next kill wants. Whatever comes of it, no row is sent twice. */
async function runOnce(id: string): Promise<Ran> {
  const running = await home.start(['batch', 'run', id, ...flags]);
  watch = { rows: rows * (killsAt[kills] ?? Number.POSITIVE_INFINITY), reached: () => running.signal('SIGKILL') };
  const ran = await running.done;
  if (ran.exit === null) kills += 1;
  printed.push(ran.out, ran.err);
  expect(
    [...bodies].filter(([, count]) => count !== 1),
    'sent twice',
  ).toEqual([]);
  return ran;
}

async function makePlan(): Promise<string> {
  const header = `client_orderid,amount,currency,${hasCards ? 'credit_card_number' : 'account_number,bank_name,bank_branch'}`;
  const to = hasCards ? card : 'DE02120300000000202051,Bank,Main';
  const lines = numbers.map((number) => `${idOf(number)},${euros(minorOf(number))},EUR,${to}`);
  const file = home.write('payouts.csv', `${[header, ...lines].join('\n')}\n`);
  const words = [
    '--operation',
    'payout',
    '--expect-count',
    String(rows),
    '--expect-total',
    `EUR=${euros(planned)}`,
    ...(hasCards ? ['--allow-pan-file'] : []),
  ];
  const { exit, out, err } = await home.call(['batch', 'plan', file, ...words, '--json']);
  expect(exit, err).toBe(0);
  printed.push(out, err);
  return String(JSON.parse(out).plan);
}

/** Runs it until no row is left; the exit codes of the runs that came to their totals. */
async function sendAll(id: string): Promise<number[]> {
  const exits: number[] = [];
  for (let runs = 0; ; runs += 1) {
    expect(runs).toBeLessThan(200);
    const ran = await runOnce(id);
    // 6 and 9: the first question found nobody, or went without an answer.
    expect([null, 6, 8, 9, 12], ran.err).toContain(ran.exit);
    const totals = ran.exit === null ? undefined : totalsIn(ran);
    if (ran.exit === null || totals === undefined) continue;
    exits.push(ran.exit);
    if (!totals.has('planned') && !totals.has('not_sent')) return exits;
  }
}

interface ReportedRow {
  readonly clientOrderId: string;
  readonly amount: string;
  readonly state: string;
}

async function report(id: string): Promise<readonly ReportedRow[]> {
  const { exit, out, err } = await home.call(['batch', 'show', id, '--out', 'report', '--json']);
  expect(exit, err).toBe(0);
  const folder = join(home.path, 'report');
  printed.push(out, err, ...readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')));
  const lines = readFileSync(join(folder, 'results.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

test(`F70 ${rows} payouts through every fault at 1 % each and three kills: the totals are exact, and nothing is sent twice`, {
  timeout: 120_000 + rows * 120,
}, async () => {
  const id = await makePlan();
  const exits = await sendAll(id);
  expect(exits[0]).toBe(8);
  expect(kills).toBe(killsAt.length);
  expect([...met].sort()).toEqual(names.map((name) => [name, shareOf(name)]).sort());

  // The gateway is well again: what it did is settled, and what it did not do stays in doubt.
  isWell = true;
  const last = await runOnce(id);
  const totals = totalsIn(last);
  const paid = ledger();
  const ids = new Set(paid.map((payout) => payout.id));
  expect(ids.size, 'a row was paid twice').toBe(paid.length);
  for (const payout of paid)
    expect(payout).toMatchObject({ minor: minorOf(Number(payout.id.slice('release-'.length))), status: 'approved' });
  expect(last.exit, last.err).toBe(paid.length === rows ? 0 : 8);
  expect([totals?.get('done'), totals?.get('unknown')]).toEqual([paid.length, rows - paid.length]);
  const done = JSON.parse(last.out).states.find(({ state }: End) => state === 'done');
  expect(done.totals).toMatchObject([
    { minor: String(paid.reduce((sum, { minor }) => sum + minor, 0)), currency: 'EUR' },
  ]);

  expect((await report(id)).map(({ clientOrderId, amount, state }) => [clientOrderId, amount, state])).toEqual(
    numbers.map((number) => [idOf(number), euros(minorOf(number)), ids.has(idOf(number)) ? 'done' : 'unknown']),
  );
  await expectSound(home.path);
  expect(strayed, 'a redirect was followed').toBe(0);
  expect(proxy.problems).toEqual([]);
  const key = readFileSync(gateway.keys.control, 'utf8').trim();
  expect(printed.filter((text) => text.includes(card) || text.includes(key))).toEqual([]);
  if (process.env['RELEASE_ROWS'] !== undefined)
    process.stdout.write(
      `${JSON.stringify({ rows, seed, kills, exits, paid: paid.length, unknown: rows - paid.length })}\n`,
    );
});
