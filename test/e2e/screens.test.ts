// @module-tag openssl
// @module-tag tmux
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/runtime/ports.js';
import { isEvery, oneIn } from '../support/every.js';
import { expectGolden } from '../support/golden.js';
import { Home, type Variables } from './home.js';
import { type Gateway, startGateway } from './shop.js';
import { Screen } from './terminal.js';

/** What somebody does at a terminal, and the screens they see. */
interface Session {
  readonly name: string;
  /** Typed into a shell. */
  readonly line: string;
  readonly before?: string;
  /** Commands run three hours before, so that neither ages nor the order of what happened depend on how busy the machine is. */
  readonly hoursBefore?: readonly string[];
  /** Waits for a text, then presses keys, by their names in tmux. */
  readonly steps?: readonly (readonly [seen: RegExp, ...keys: string[]])[];
  readonly exit: number;
  readonly env?: Variables;
  /** Without colours: how a terminal draws them depends on lines that come and go. */
  readonly plain?: boolean;
}

const sale = 'sale --amount 25.00 --currency EUR --test-card approved --client-order-id order-1 --wait -q';
const sold = `paycli ${sale} >/dev/null`;

const sessions: readonly Session[] = [
  {
    name: 'sale-by-prompts',
    line: 'paycli sale --client-order-id order-1 --wait',
    steps: [
      [/\? the amount/, '10.42', 'Enter'],
      [/\? the currency/, 'USD', 'Enter'],
      [/▸ approved +approved\n/, 'Enter'],
    ],
    exit: 0,
  },
  {
    name: 'mistake-and-correction',
    line: 'paycli sael; paycli sale --test-card approved --client-order-id order-1 --wait',
    steps: [
      [/\? the amount/, '10,42', 'Enter'],
      [/use a point/, 'BSpace', 'BSpace', 'BSpace', '.42', 'Enter'],
      [/\? the currency/, 'EURO', 'Enter'],
      [/use a three/, 'BSpace', 'Enter'],
    ],
    exit: 0,
  },
  { name: 'wait', before: sold, line: 'paycli status --client-order-id order-1 --wait', exit: 0 },
  { name: 'timeline', hoursBefore: [sale], line: 'paycli order order-1 --timeline', exit: 0, plain: true },
  {
    name: 'journal-list',
    hoursBefore: [sale, 'sale --amount 7 --currency EUR --test-card approved --no-input -q'],
    line: 'paycli journal list',
    exit: 0,
  },
  { name: 'nothing-yet', line: 'paycli journal list; paycli callback list; paycli profile show', exit: 0 },
  { name: 'piped-into-head', before: sold, line: 'paycli journal show order-1 | head -3', exit: 0 },
  { name: 'input-closed', line: 'paycli sale <&-', exit: 2 },
  { name: 'no-colour', hoursBefore: [sale], line: 'paycli journal list', env: { NO_COLOR: '1' }, exit: 0 },
  { name: 'dumb-terminal', before: sold, line: 'TERM=dumb paycli status --wait --client-order-id order-1', exit: 0 },
];

describe.concurrent.each(isEvery ? [80, 120] : [80])('at %d columns', (columns) => {
  test.each(oneIn(3, sessions, 2))('$name', { timeout: 60_000 }, async (session) => {
    const home = new Home();
    expectGolden(`screens/${session.name}-${columns}.txt`, await screenAfter(session, columns, home));
    home.remove();
  });
});

describe('init at a terminal', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  }, 60_000);
  afterAll(async () => {
    await gateway.close();
  });

  test.each(isEvery ? [80, 120] : [80])(
    '%d columns wide: from the first question to a checked profile',
    { timeout: 60_000 },
    async (columns) => {
      const home = new Home();
      const key = readFileSync(gateway.keys.control, 'utf8').trim();
      const steps: Session['steps'] = [
        [/\? which gateway/, 'Down', 'Enter'],
        [/\? name of the profile/, 'Enter'],
        [/\? base address/, gateway.url, 'Enter'],
        [/\? merchant login/, 'shop', 'Enter'],
        [/\? endpoint id/, '5001', 'Enter'],
        [/\? other endpoints/, 'Enter'],
        [/\? merchant control key/, key, 'Enter'],
        [/\? where to keep the control key[\s\S]*▸/, 'Enter'],
        [/\? RSA key[\s\S]*▸/, 'Enter'],
        [/\? save this/, 'Enter'],
      ];
      const text = await screenAfter({ name: 'init', line: 'paycli init', steps, exit: 0 }, columns, home);
      expect(text).not.toContain(key);
      expectGolden(`screens/init-${columns}.txt`, text);
      expect((await home.run(['profile', 'show', '--origins', '--json=profile,class'])).out).toMatch(
        /"profile": "test",\s+"class": "test"/,
      );
      home.remove();
    },
  );
});

/** A clock by which nothing is late: a millisecond passes whenever it is read, and a sleep is over at once. */
function clockAt(start: number): Clock {
  let at = start;
  const read = () => ++at;
  const sleep = async (ms: number) => {
    at += ms;
  };
  return { now: read, monotonic: read, sleep };
}

/** Goes through a session and gives its last screen. */
async function screenAfter(
  { line, before, hoursBefore = [], steps = [], env, exit, plain = false }: Session,
  columns: number,
  home: Home,
): Promise<string> {
  if (before !== undefined) await home.shell(before);
  const clock = clockAt(Date.now() - 3.5 * 3_600_000);
  for (const command of hoursBefore) await home.call(command.split(' '), {}, clock);
  const screen = await Screen.run(home, line, { columns, ...(env === undefined ? {} : { env }) });
  try {
    for (const [seen, ...keys] of steps) {
      await screen.until(seen);
      await screen.type(...keys);
    }
    expect(await screen.exit()).toBe(exit);
    return withoutChance(await screen.text(plain ? 'plain' : 'coloured'), home);
  } finally {
    await screen.close();
  }
}

/**
 * Times, ids and how often something was asked differ from run to run; what stands for them is as wide, so that the
 * picture stays.
 */
function withoutChance(text: string, home: Home): string {
  return `${text
    .replaceAll(home.path, '~')
    .replace(/^.*answered: processing.*\n(?: +│ │ │ .*\n)?/gm, '')
    .replace(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, (id) => id.replace(/[\da-f]/g, '#'))
    .replace(/\d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\d/g, (time) => time.replace(/\d/g, '#'))
    .replace(/fingerprint [\da-f]{8}/g, 'fingerprint ########')
    .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:#####')
    .replace(/(card-exp-year\S* +)\d{4}/g, '$1####')
    .replace(/(pc-\d{8}-\d{6}-)\w{6}/g, '$1######')
    .replace(/\d{6,}/g, (id) => '#'.repeat(id.length))
    .replace(/\((?:just now|\d+ s ago)\)/g, '(just now)')
    .replace(/(?:just now|\d+ s ago) +/g, 'just now  ')
    .trimEnd()}\n`;
}
