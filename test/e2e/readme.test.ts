import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PostgresServer } from '../batch/postgres.js';
import type { Program } from '../support/programs.js';
import { Home, type Ran, type Variables } from './home.js';

const readme = readFileSync('README.md', 'utf8');

interface Block {
  /** The heading it stands under, with a number from 1. */
  readonly name: string;
  /** `sh` for commands, `console` for commands with what they print. */
  readonly kind: string;
  readonly text: string;
}

/** Blocks of commands in their order. */
function blocksOf(text: string): Block[] {
  const counts = new Map<string, number>();
  let heading = '';
  const blocks: Block[] = [];
  for (const [, title, kind = '', body = ''] of text.matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    else if (kind === 'sh' || kind === 'console') {
      const count = (counts.get(heading) ?? 0) + 1;
      counts.set(heading, count);
      blocks.push({ name: `${heading} ${count}`, kind, text: body });
    }
  }
  return blocks;
}

interface Setting {
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

const orders = 'paycli sale --amount 25.00 --currency EUR --test-card approved --wait -q';
const row = (id: string, amount: string) => `${id},${amount},EUR,DE02120300000000202051,DKB,Berlin`;
const file = ['client_orderid,amount,currency,account_number,bank_name,bank_branch', row('order-21', '12.50'), row('order-22', '23.00')];
const payouts = `printf '%s\\n' ${file.join(' ')} > payouts.csv`;
const planned = "plan=$(paycli batch plan payouts.csv --operation payout --expect-count 2 --expect-total EUR=35.50 --template '{{plan}}')";
/** For a sandbox that was started in the background with `--ready-file ready`; bounded, so that no shell is left behind. */
const untilReady = 'for try in {1..300}; do test -s ready && break; sleep 0.1; done';
const stopSandbox = 'trap "paycli sandbox stop -q || true" EXIT';

/** What the bank of a payer answers to a CReq. */
const toCres = `node -e 'const { threeDSServerTransID, acsTransID } = JSON.parse(Buffer.from(require("fs").readFileSync(0, "utf8"), "base64url"));
  const ids = { threeDSServerTransID, acsTransID };
  const all = { messageType: "CRes", messageVersion: "2.2.0", ...ids, challengeCompletionInd: "Y", transStatus: "Y" };
  process.stdout.write(Buffer.from(JSON.stringify(all)).toString("base64url"))'`;

const settings: Readonly<Record<string, Setting>> = {
  'Five minutes 1': { instead: [['npm ci && node bin/paycli.js', 'paycli']], out: ['✓ approved'] },
  'Five minutes 3': {},
  'Five minutes 4': { exit: 4, out: ['reversal'], err: 'it was captured' },
  'Output 1': { before: `${orders} --client-order-id order-1 >/dev/null` },
  'Signing 1': { out: ['[4001][order-2][1042][payer@example.com][control key]', '5 Base string'] },
  'Signing 2': { exit: 11, out: ['decimal-amount'] },
  'Money safety 1': { before: `${orders} --client-order-id order-1 >/dev/null`, out: ['done', /whole: \d+ lines/] },
  'Callbacks and waiting 1': {
    before: `${orders} --client-order-id order-1 >/dev/null; export -f paycli
      paycli callback listen --port 0 --run -- bash -c 'paycli callback send --client-order-id order-1 --to $PAYCLI_CALLBACK_URL'`,
    instead: [
      ['--port 8585', '--port 0 --exit-after 1 --timeout 1 || test $? = 7 #'],
      ['callback replay 1', `callback listen --port 0 --run -- bash -c 'paycli callback replay 1 --to $PAYCLI_CALLBACK_URL'`],
    ],
    out: ['approved'],
  },
  'Batches 1': { before: payouts },
  'Batches 2': { before: `${payouts}; ${planned}`, out: ['2 planned = 2 done', 'unknown.csv'] },
  'Batches 3': { before: `${payouts}; ${planned}`, out: ['2 planned = 2 done'], needsDatabase: true },
  'Sandbox 1': {
    before: stopSandbox,
    instead: [
      ['--port 8484 &', `--port 0 --ready-file ready & ${untilReady}`],
      ['12345678', '$(paycli sale --amount 1.00 --currency EUR --test-card approved -q --json | jq -r .order.orderId)'],
    ],
  },
  'In a test suite 1': { instead: [['npm test', 'sh -c "test -n $PAYCLI_BASE_URL"']] },
  'In a test suite 2': { instead: [['npm test', 'sh -c "test -n $PAYCLI_CALLBACK_URL"']] },
  'Clock and callbacks 1': { before: `${orders} --client-order-id order-9 >/dev/null` },
  'Seeing what happened 1': {
    before: `${orders} --client-order-id order-1 >/dev/null`,
    instead: [[' --follow', '']],
    out: ['SALE'],
  },
  'Pages and 3-D Secure 1': {
    before: `${stopSandbox}; paycli sandbox start --port 0 --ready-file ready >/dev/null & ${untilReady}
      order8=$(paycli sale --amount 10.42 --currency EUR --test-card 3ds-challenge --client-order-id order-8 --wait --json || test $? = 7)
      cres=$(jq -r '.result["tds-creq-form-creq"]' <<<"$order8" | ${toCres})`,
    instead: [
      ['paycli form sale', "url=$(paycli form sale --json --template '{{redirect-url}}'"],
      ['--open ', ') # '],
      ['http://127.0.0.1:8484/gateway/pages/form/TOKEN', '$url'],
      ['lint CRES', 'lint $cres'],
    ],
    out: ['approved'],
  },
  'Keys of your own 1': {
    before: stopSandbox,
    instead: [
      ['--public-key-file rsa.pub', `--public-key-file rsa.pub --port 0 --ready-file ready & ${untilReady}; paycli sandbox status`],
    ],
    out: ['shop'],
  },
  'Refund a customer 1': { before: `${orders} --client-order-id order-100 >/dev/null`, out: ['reversal', '✓'] },
  'Check a stuck payment 1': {
    before: 'paycli sale --amount 7.00 --currency EUR --test-card slow --client-order-id order-101 >/dev/null',
    instead: [['--once ', '--once || test $? = 7 ']],
    out: ['order-101', 'accepted', 'paycli-support-'],
  },
  'Rotate keys 1': {
    before: `${stopSandbox}; openssl rand -hex 16 > control.key; chmod 600 control.key; merchant='--login shop --endpoint-id 5001'
      paycli sandbox start --port 0 --ready-file ready $merchant --control-key-file control.key >/dev/null & ${untilReady}; URL=$(cat ready)`,
    // What the support of the gateway does meanwhile.
    instead: [
      [
        'paycli doctor --online',
        `paycli sandbox stop -q; rm -f ready; port=\${URL##*:}
          paycli sandbox start --port \${port%%/*} --ready-file ready --login shop --endpoint-id 5001 --control-key-file control.key \\
            --public-key-file next-rsa.pub.pem >/dev/null & ${untilReady}; paycli doctor --online`,
      ],
    ],
    out: ['Please register this public key', 'shop-next is the default profile now'],
  },
  'A nightly payout file 1': { before: payouts, out: ['2 planned = 2 done', 'unknown.csv'] },
  'A 403, or any refused signature 1': { out: ['sandbox', 'login', 'SHA-1'] },
};

describe('the README', () => {
  const blocks = blocksOf(readme);
  let home: Home;
  beforeEach(() => {
    home = new Home();
  });
  afterEach(() => home.remove());

  const run = ({ text }: Block, { before = ':', instead = [] }: Setting, env: Variables = {}): Promise<Ran> => {
    const line = instead.reduce((all, [shown, meant]) => {
      expect(all, 'what is run instead').toContain(shown);
      return all.replace(shown, meant);
    }, text);
    return home.shell(`${before}\nset -e\n${line}`, env);
  };

  test('begins with one line that installs and makes a sale, then one that installs and tests', () => {
    expect(blocks[0]?.text).toMatch(/^npm ci && node bin\/paycli\.js sale .*--wait\n$/);
    expect(blocks[1]?.text).toBe('npm ci && npm test\n');
    // What that one runs is this.
    expect(readFileSync('.ci/run', 'utf8')).toMatch(/npm ci[\s\S]*npm test/);
  });

  test('has no block of commands that is not run here', () => {
    expect(blocks.map(({ name }) => name).filter((name) => name !== 'Five minutes 2')).toEqual(Object.keys(settings));
  });

  for (const block of blocks.filter(({ kind, name }) => kind === 'sh' && name !== 'Five minutes 2')) {
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

  test.each(blocks.filter(({ kind }) => kind === 'console'))('$name prints what is shown', { timeout: 60_000 }, async ({ name, text }) => {
    const before = settings[name]?.before ?? ':';
    const commands = [...text.matchAll(/^\$ (.+)\n((?:(?!\$ ).*\n)*)/gm)];
    expect(commands.length).toBeGreaterThan(0);
    const script = commands.map(([, command]) => `printf '\\036'; { ${command}\n} 2>&1 || true`).join('\n');
    const { out } = await home.shell(`${before}\n${script}`, { PAYCLI_PROFILE: 'sandbox' });
    const printed = out.split('\u001e').slice(1);
    expect(printed.map(withoutChance)).toEqual(commands.map(([, , shown = '']) => withoutChance(shown)));
  });

  test('the nightly payouts may be started again: the file is known, and nothing is paid twice', {
    timeout: 60_000,
    tags: 'jq',
  }, async () => {
    const block = blocks.find(({ name }) => name === 'A nightly payout file 1');
    const setting = settings['A nightly payout file 1'] ?? {};
    if (block === undefined) throw new Error('there is no such block');
    expect((await run(block, setting)).exit).toBe(0);
    const again = await run(block, setting);
    expect([again.exit, again.err]).toEqual([10, expect.stringContaining('it would be sent a second time: 2 rows')]);
    const paid = await home.shell("paycli sandbox log --json | jq -r '.. | .operation? // empty' | grep -c PAYOUT");
    expect(paid.out).toBe('2\n');
  });
});

test('the nightly script of `paycli help batches` runs as shown', { timeout: 60_000 }, async () => {
  const home = new Home();
  const help = await home.run(['help', 'batches']);
  const script = /#!\/bin\/sh\n(?: {2}.*\n)+/.exec(help.out)?.[0] ?? 'false';
  const ran = await home.shell(`${payouts.replace('payouts.csv', 'today.csv')}; COUNT=2 TOTAL=35.50; ${script}`);
  expect([ran.exit, ran.out], ran.err).toEqual([0, expect.stringContaining('unknown.csv')]);
  home.remove();
});

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

/** Ids and times, which differ from run to run, are left out of the comparison; everything else counts, blanks included. */
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
