import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PostgresServer } from '../batch/postgres.js';
import { isEvery } from '../support/every.js';
import type { Program } from '../support/programs.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { Home, type Ran, type Variables } from './home.js';

const topics = 'src/cli/docs/topics';
const files = ['README.md', ...readdirSync(topics).map((name) => join(topics, name))];

interface Block {
  /** Its topic or README, the heading it stands under, and a number from 1. */
  readonly name: string;
  /** `sh` for commands, `console` for commands with what they print. */
  readonly kind: string;
  readonly text: string;
}

/** Blocks of commands in their order. */
function blocksOf(file: string): Block[] {
  const text = readFileSync(file, 'utf8');
  const page = basename(file, '.md');
  const counts = new Map<string, number>();
  let heading = '';
  const blocks: Block[] = [];
  for (const [, title, kind = '', body = ''] of text.matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title.startsWith(`${page}: `) ? 'Beginning' : title;
    else if (kind === 'sh' || kind === 'console') {
      const count = (counts.get(heading) ?? 0) + 1;
      counts.set(heading, count);
      blocks.push({ name: `${page}, ${heading} ${count}`, kind, text: body });
    }
  }
  return blocks;
}

interface Setting {
  /** Only paycli is called, which needs no shell: the lines run in this process, with these files at hand. */
  readonly withFiles?: Readonly<Record<string, string>>;
  /** Command lines that run before, in this process as well. */
  readonly first?: readonly string[];
  /** Of lines that are right to end with another code than 0. */
  readonly exits?: Readonly<Record<string, number>>;
  /** What a reader has at hand by then. */
  readonly before?: string;
  /** What cannot stand in a test as it is: a port, a program of the reader's own, a command that runs until Ctrl-C. */
  readonly instead?: readonly (readonly [shown: string, run: string])[];
  readonly exit?: number;
  /** `$DATABASE` is the address of a PostgreSQL server. */
  readonly needsDatabase?: boolean;
  readonly out?: readonly (string | RegExp)[];
  readonly err?: string;
}

const order = 'sale --amount 25.00 --currency EUR --test-card approved --wait -q';
const sale = (id: string) => `${order} --client-order-id ${id}`;
const lost = 'sale --amount 25.00 --currency EUR --test-card approved --client-order-id order-700';
const row = (id: string, amount: string) => `${id},${amount},EUR,DE02120300000000202051,DKB,Berlin`;
const file = [
  'client_orderid,amount,currency,account_number,bank_name,bank_branch',
  row('order-21', '12.50'),
  row('order-22', '23.00'),
];
const payouts = `printf '%s\\n' ${file.join(' ')} > payouts.csv`;
const forty = `{ echo ${file[0]}; for row in {1..40}; do echo row-$row,10.00,EUR,$((1100 + row)),DKB,Berlin; done; }`;
const planned =
  "plan=$(paycli batch plan payouts.csv --operation payout --expect-count 2 --expect-total EUR=35.50 --template '{{plan}}')";
/**
 * For a sandbox that was started in the background with `--ready-file ready`; bounded, so that no shell is left behind.
 */
const untilReady = 'for try in {1..300}; do test -s ready && break; sleep 0.1; done';
const stopSandbox = 'trap "paycli sandbox stop -q || true" EXIT';

/** What the bank of a payer answers to a CReq. */
const toCres = `node -e 'const { threeDSServerTransID, acsTransID } = JSON.parse(Buffer.from(require("fs").readFileSync(0, "utf8"), "base64url"));
  const ids = { threeDSServerTransID, acsTransID };
  const all = { messageType: "CRes", messageVersion: "2.2.0", ...ids, challengeCompletionInd: "Y", transStatus: "Y" };
  process.stdout.write(Buffer.from(JSON.stringify(all)).toString("base64url"))'`;

const someKey = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';

/** A driver that does nothing and says refused. */
const refusingDriver = `echo 'print(chr(123) + chr(34) + "outcome" + chr(34) + ": " + chr(34) + "refused" + chr(34) + chr(125))' > driver.py`;
const settings: Readonly<Record<string, Setting>> = {
  'README, Five minutes 1': { instead: [['npm ci && node bin/paycli.js', 'paycli']], out: ['✓ approved'] },
  'README, Five minutes 2': {},
  'README, Five minutes 3': { exit: 11, out: ['reversal'], err: 'it was already captured' },
  '3ds, An order through all steps, without a browser 1': { withFiles: {}, out: [/status +approved/] },
  'batches, Beginning 1': { before: payouts },
  'batches, Beginning 2': { before: payouts, out: ['2 planned = 2 done', 'unknown.csv'] },
  'batches, Several machines 1': { before: `${payouts}; ${planned}`, out: ['2 planned = 2 done'], needsDatabase: true },
  'batches, Setting up three machines 1': {
    before: `${payouts}; ${planned}`,
    instead: [
      ['export DATABASE="postgres://$server/batches?sslrootcert=ca.crt"', ':'],
      ['--engine-password-file db.pw', ''],
    ],
    exit: 12,
    out: ['1 done', '1 left'],
    needsDatabase: true,
  },
  'batches, On a schedule 1': {
    before: `${payouts.replace('payouts.csv', 'today.csv')}; COUNT=2 TOTAL=35.50`,
    out: ['unknown.csv'],
  },
  'callbacks, Beginning 1': {
    first: [sale('order-1')],
    before: `export -f paycli
      paycli callback listen --port 0 --run -- bash -c 'paycli callback send --client-order-id order-1 --to $PAYCLI_CALLBACK_URL'`,
    instead: [
      ['--port 8585', '--port 0 --exit-after 1 --timeout 1'],
      ['# until Ctrl-C', '|| test $? = 7'],
      [
        'callback replay 1',
        `callback listen --port 0 --run -- bash -c 'paycli callback replay 1 --to $PAYCLI_CALLBACK_URL'`,
      ],
    ],
    out: ['approved'],
  },
  'callbacks, In a build 1': { instead: [['--timeout 120', '--timeout 1 --port 0']], exit: 7 },
  'certify, Beginning 1': {
    before: refusingDriver,
    // Of this driver, which does nothing, only scenarios in which nothing may be done are run.
    instead: [
      ['--tag money,outage', '--only return-beyond-rest,void-too-late'],
      ['--only reply-lost', '--only void-too-late'],
    ],
    out: ['reply-lost', 'all 2 scenarios passed', 'all 1 scenarios passed'],
  },
  'certify, Kills, and clients that no command starts 1': {
    before: refusingDriver,
    instead: [['--restart', '--only void-too-late --restart']],
    out: ['all 1 scenarios passed'],
  },
  'money-safety, When the outcome is unknown (exit 8) 1': {
    withFiles: {},
    first: [sale('order-1')],
    out: ['done', /intact: \d+ lines/],
  },
  'output, Beginning 1': { withFiles: {} },
  'output, Selecting and redirecting 1': { withFiles: {} },
  'output, Selecting and redirecting 2': { first: [sale('order-1')] },
  'output, For programs 1': { out: [/^DECLINED: not approved: declined/m] },
  'runbooks, A test and a live profile 1': {
    withFiles: { 'test.key': someKey, 'live.key': someKey },
    out: [/profile +shop \(class test\)/, /default +yes/, /profile +shop-live \(class live\)/, /default +no/],
  },
  'runbooks, The gateway answers 403 1': { withFiles: {}, out: ['clock', 'login', 'SHA-1', 'key fingerprint'] },
  'runbooks, Declined today, and why 1': {
    withFiles: {},
    first: ['sale --amount 7.00 --currency EUR --test-card funds --client-order-id order-99 --expect declined'],
    out: ['order-99', 'Insufficient funds'],
  },
  'runbooks, Refund part of an order 1': {
    withFiles: {},
    first: [sale('order-100')],
    out: ['refundable 25.00', 'reversal', '✓ approved'],
  },
  'runbooks, Capture the rest of a hold 1': {
    withFiles: {},
    first: [
      'preauth --amount 20.00 --currency EUR --test-card approved --wait --client-order-id order-300',
      'capture order-300 --amount 5.00 --wait',
    ],
    out: ['captured 5.00', /Not available\n {2}capture +it was already captured.*\(A34\); for more, make a new sale/],
  },
  'runbooks, A payment hangs 1': {
    withFiles: {},
    first: ['sale --amount 7.00 --currency EUR --test-card 3ds-challenge --client-order-id order-101'],
    exits: { 'status order-101 --wait': 7 },
    out: [/status +waiting for the payer: 3-D Secure challenge \(since /, /Available\n.*\n {2}paycli upload-3ds cres/],
  },
  'runbooks, A callback that never arrived 1': {
    withFiles: {},
    first: ['sandbox callbacks script never --client-order-id order-500', sale('order-500')],
    out: [/status +approved/, /callbacks +none received here; the request named no address for them/],
  },
  'runbooks, The outcome is unknown 1': {
    withFiles: {},
    first: ['sandbox outcomes next no-answer-done', lost, 'sandbox clock advance 1m'],
    exits: { [lost]: 8 },
    out: [/order-700 .*unknown/, /order-700 .*done +status: approved/],
  },
  'runbooks, The payer was charged twice 1': {
    withFiles: {},
    first: [sale('order-200'), sale('order-201')],
    out: ['order-200', 'order-201', 'left'],
  },
  'runbooks, A mistake in row 37 of a payout file 1': {
    before: `${forty} > payouts.csv; sed -i 's/^\\(row-37\\),10\\.00/\\1,"10,00"/' payouts.csv
      paycli batch plan payouts.csv --operation payout; test $? = 2 || exit 99
      sed -i 's/"10,00"/10.00/' payouts.csv`,
    err: 'line 38 (row-37): amount "10,00": use a point instead of the comma: write 10.00',
    out: ['40 planned = 40 done'],
  },
  'runbooks, A reproduction for a ticket 1': {
    first: [sale('order-400')],
    instead: [['> request.sh', '> request.sh; sh -n request.sh; cat request.sh']],
    out: ['case.zip', "client_order_id='order-400'", 'CONTROL_KEY_FILE'],
  },
  'runbooks, Rotate the control key 1': {
    before: `${stopSandbox}; for key in control next-control; do openssl rand -hex 16 > $key.key; chmod 600 $key.key; done
      merchant='--login shop --endpoint-id 5001'
      paycli sandbox start --port 0 --ready-file ready $merchant --control-key-file control.key >/dev/null & ${untilReady}; URL=$(cat ready)
      paycli profile add shop --class test --base-url $URL $merchant --control-key-file control.key >/dev/null
      paycli keys generate --out next-rsa.pem --bits 2048
      paycli sandbox stop -q; rm -f ready; port=\${URL##*:}
      paycli sandbox start --port \${port%%/*} --ready-file ready $merchant --control-key-file next-control.key         --public-key-file next-rsa.pub.pem >/dev/null & ${untilReady}
      paycli profile set-key shop private --file next-rsa.pem`,
    out: [
      'Please register this public key',
      'now has a private key',
      'the control key of profile shop was replaced',
      'rsa online',
    ],
  },
  'sandbox, Beginning 1': {
    before: stopSandbox,
    instead: [
      ['--port 8484 &', `--port 0 --ready-file ready & ${untilReady}`],
      ['12345678', '$(paycli sale --amount 1.00 --currency EUR --test-card approved -q --json | jq -r .order.orderId)'],
    ],
  },
  'sandbox, Callbacks 1': { withFiles: {}, first: [sale('order-9')] },
  'sandbox, Pages 1': {
    before: `${stopSandbox}; paycli sandbox start --port 0 --ready-file ready >/dev/null & ${untilReady}
      order8=$(paycli sale --amount 10.42 --currency EUR --test-card 3ds-challenge --client-order-id order-8 --wait --json || test $? = 7)
      cres=$(jq -r '.result["tds-creq-form-creq"]' <<<"$order8" | ${toCres})`,
    instead: [
      ['paycli form sale', "url=$(paycli form sale --json --template '{{redirect-url}}'"],
      ['--open', ')'],
      ['http://127.0.0.1:8484/gateway/pages/form/TOKEN', '$url'],
      ['lint CRES', 'lint $cres'],
    ],
    out: ['approved'],
  },
  'sandbox, Seeing what happened 1': {
    withFiles: {},
    first: [sale('order-1')],
    instead: [
      [' --follow', ''],
      [' > audit.xml', ''],
    ],
    out: ['sale', '<testsuite'],
  },
  'signing, Beginning 1': {
    withFiles: {},
    out: ['[4001] [order-2] [1042] [payer@example.com] [control key]', '5 Base string'],
  },
  'signing, Beginning 2': { exit: 11, out: ['decimal-amount'] },
  'signing-steps, The control, step by step 1': { withFiles: {} },
  'signing-steps, The control, step by step 2': {
    withFiles: { 'control.key': someKey, 'values.json': '["4001","order-2","1042"]' },
  },
  'signing-steps, When a signature was refused 1': {},
  'signing-steps, When a signature was refused 2': {},
  'signing-steps, OAuth 1.0a, step by step (RFC 5849) 1': { withFiles: {} },
  'signing-steps, OAuth 1.0a, step by step (RFC 5849) 2': {
    withFiles: { 'control.key': someKey, 'fields.json': '[["client_orderid","order-3"]]' },
  },
  'test-suites, Beginning 1': { instead: [['npm test', 'sh -c "test -n $PAYCLI_BASE_URL"']] },
  'test-suites, With callbacks 1': { instead: [['npm test', 'sh -c "test -n $PAYCLI_CALLBACK_URL"']] },
  'test-suites, Your own keys 1': {
    before: stopSandbox,
    instead: [
      [
        '--public-key-file rsa.pub',
        `--public-key-file rsa.pub --port 0 --ready-file ready & ${untilReady}; paycli sandbox status`,
      ],
    ],
    out: ['shop'],
  },
};

/** Run by a test of its own, twice. */
const nightly = 'batches, On a schedule 1';
/** Run by the steps of `.ci/run`. */
const byContinuousIntegration = 'README, Development 1';

describe('README and help topics', () => {
  const blocks = files.flatMap(blocksOf);
  let home: Home;
  beforeEach(() => {
    home = new Home();
  });
  afterEach(() => home.remove());

  /** What is run of a block. */
  const lineOf = ({ text }: Block, { instead = [] }: Setting): string =>
    instead.reduce((all, [shown, meant]) => {
      expect(all, 'what is run instead').toContain(shown);
      return all.replace(shown, meant);
    }, text);
  const prepare = async ({ first = [] }: Setting): Promise<void> => {
    for (const line of first) expect(await home.call(words(line))).toMatchObject({ exit: 0 });
  };
  const run = async (block: Block, setting: Setting, env: Variables = {}): Promise<Ran> => {
    await prepare(setting);
    return home.shell(`${setting.before ?? ':'}\nset -e\n${lineOf(block, setting)}`, env);
  };

  test('begin with one line that installs and makes a sale; what tests is what continuous integration runs', () => {
    expect(blocks[0]?.text).toMatch(/^npm ci && node bin\/paycli\.js sale .*--wait\n$/);
    expect(blocks.find(({ name }) => name === byContinuousIntegration)?.text).toBe('npm ci && npm test\n');
    expect(readFileSync('.ci/run', 'utf8')).toMatch(/npm ci[\s\S]*npm test/);
  });

  test('have no block of commands that is not run here', () => {
    const shown = blocks.map(({ name }) => name).filter((name) => name !== byContinuousIntegration);
    expect(shown.sort()).toEqual(Object.keys(settings).sort());
  });

  test('a README has at most 10 KiB', () => {
    expect(readFileSync('README.md').length).toBeLessThanOrEqual(10_000);
  });

  const inProcess = blocks.filter(({ name }) => settings[name]?.withFiles !== undefined);
  test.each(inProcess)('$name runs as shown', async (block) => {
    const home = temporaryHome();
    const { withFiles = {}, first = [], exits = {}, out: parts = [], ...setting } = settings[block.name] ?? {};
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    for (const [file, content] of Object.entries(withFiles)) writeFileSync(join(home, file), content, { mode: 0o600 });
    for (const line of first) expect(await paycli(words(line), { home })).toMatchObject({ exit: exits[line] ?? 0 });
    const lines = lineOf(block, setting)
      .replace(/ \\\n\s+/g, ' ')
      .replace(/ +# .*$/gm, '')
      .trimEnd()
      .split('\n');
    let printed = '';
    for (const whole of lines) {
      const line = /^paycli (.*)$/.exec(whole)?.[1] ?? expect.unreachable(`${whole} needs a shell`);
      const { exit, out, err } = await paycli(words(line), { home });
      expect([line, exit]).toEqual([line, exits[line] ?? 0]);
      if (exit === 0) expect(err, line).not.toContain('error:');
      printed += out;
    }
    for (const part of parts) expect(printed).toMatch(typeof part === 'string' ? escaped(part) : part);
  });

  // By day those of the front page and one other, since each starts several processes.
  const isFront = ({ name }: Pick<Block, 'name'>) => name.startsWith('README, ');
  const inShell = blocks.filter(
    (block) =>
      block.kind === 'sh' && ![byContinuousIntegration, nightly].includes(block.name) && !inProcess.includes(block),
  );
  const others = inShell.filter((block) => !isFront(block));
  for (const block of [...inShell.filter(isFront), ...(isEvery ? others : others.slice(0, 1))]) {
    const setting = settings[block.name] ?? {};
    test(`${block.name} runs as shown`, { timeout: 60_000, tags: programsIn(block, setting) }, async () => {
      const { exit, out, err } = await (setting.needsDatabase === true
        ? withDatabase((env) => run(block, setting, env))
        : run(block, setting));
      expect(exit, `${err}${out}`).toBe(setting.exit ?? 0);
      for (const text of setting.out ?? []) expect(out).toMatch(typeof text === 'string' ? escaped(text) : text);
      if (setting.err !== undefined) expect(err).toContain(setting.err);
    });
  }

  test.each(blocks.filter(({ kind }) => kind === 'console'))(
    '$name prints what is shown',
    { timeout: 60_000 },
    async ({ name, text }) => {
      const setting = settings[name] ?? {};
      await prepare(setting);
      const before = setting.before ?? ':';
      const commands = [...text.matchAll(/^\$ ((?:.*\\\n)*.+)\n((?:(?!\$ ).*\n)*)/gm)];
      expect(commands.length).toBeGreaterThan(0);
      const script = commands.map(([, command]) => `printf '\\036'; { ${command}\n} 2>&1 || true`).join('\n');
      const { out } = await home.shell(`${before}\n${script}`, isFront({ name }) ? {} : { PAYCLI_PROFILE: 'sandbox' });
      // Shown is what a reader sees on a terminal, where the result says it all.
      const printed = out
        .split('\u001e')
        .slice(1)
        .map((each) => each.replace(/^error: a check failed: .*\n(?:next: .*\n)?(?:note: .*\n)?(?:help: .*\n)?/m, ''));
      expect(printed.map(withoutChance)).toEqual(commands.map(([, , shown = '']) => withoutChance(shown)));
    },
  );

  if (isEvery)
    test('the nightly payouts run as shown, and may be started again: the file is known, and nothing is paid twice', {
      timeout: 60_000,
      tags: 'jq',
    }, async () => {
      const block = blocks.find(({ name }) => name === nightly);
      const setting = settings[nightly] ?? {};
      if (block === undefined) throw new Error('there is no such block');
      const once = await run(block, setting);
      expect(once.exit, `${once.err}${once.out}`).toBe(0);
      for (const text of setting.out ?? []) expect(once.out).toContain(text);
      const again = await run(block, setting);
      expect([again.exit, again.err]).toEqual([10, expect.stringContaining('it would be sent a second time: 2 rows')]);
      const { out: log } = await home.call(['sandbox', 'log', '--json']);
      expect(log.match(/"operation": "PAYOUT"/g)).toHaveLength(2);
    });
});

/** The words a shell makes of a line with quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"$`]*)"|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? '');
}

/** The programs that a block calls besides paycli. */
function programsIn({ text }: Block, { before = '', instead = [], needsDatabase = false }: Setting): Program[] {
  const all = [before, text, ...instead.flat()].join('\n');
  const called = (['curl', 'jq', 'openssl'] as const).filter((name) => new RegExp(`\\b${name} `).test(all));
  return needsDatabase ? [...called, 'postgres'] : called;
}

/** With a PostgreSQL server of its own. */
async function withDatabase<T>(work: (env: Variables) => Promise<T>): Promise<T> {
  const server = await PostgresServer.start();
  try {
    return await work({ DATABASE: `postgres://postgres@127.0.0.1:${server.port}/postgres` });
  } finally {
    await server.stop();
  }
}

function escaped(text: string): RegExp {
  return new RegExp(text.replace(/[-[\]{}()*+?.,\\^$|#]/g, '\\$&'));
}

/**
 * Ids and times, which differ from run to run, are left out of the comparison; everything else counts, blanks included.
 */
function withoutChance(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/\b[\da-f]{64}\b/g, 'DIGEST')
    .replace(/b-\d{8}-\w{6}/g, 'PLAN')
    .replace(/\S+\/payouts\.csv/g, 'FILE')
    .replace(/by \S+ on \S+/g, 'by SOMEBODY')
    .replace(/\((?:just now|\d+ s ago)\)/g, '(AGO)')
    .replace(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, 'UUID')
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?/g, 'TIME')
    .replace(/\b\d\d:\d\d:\d\d(?:\.\d+)?/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
    .replace(/\b\d{6,}\b/g, 'NUMBER');
}
