// @module-tag openssl
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Program } from '../support/programs.js';
import { testSale } from '../support/test-sale.js';
import { Home, type Ran, type Variables } from './home.js';
import { type Gateway, profileText, startGateway } from './shop.js';

const byDay = [
  { language: 'curl', run: ['dash'], file: 'request.sh', tags: ['curl', 'dash', 'perl'] },
  {
    language: 'php',
    run: ['php', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr'],
    file: 'request.php',
    tags: ['php'],
  },
  { language: 'python', run: ['python3', '-W', 'error'], file: 'request.py', tags: ['python3'] },
  { language: 'node', run: ['node'], file: 'request.mjs', tags: [] },
] as const satisfies readonly Language[];
const [shell] = byDay;

// Their compilers are large, so .ci/nightly installs them.
const byNight: readonly Language[] = [
  { language: 'java', run: ['java'], file: 'Request.java', tags: [] },
  {
    language: 'csharp',
    compile: ['mcs', '-warnaserror', '-r:System.Net.Http.dll'],
    run: ['mono'],
    file: 'request.cs',
    runs: 'request.exe',
    tags: [],
  },
];
const languages: readonly Language[] = process.env['SIGN_LANGUAGES'] === undefined ? byDay : byNight;

interface Language {
  readonly language: string;
  readonly compile?: readonly [string, ...string[]];
  readonly run: readonly [string, ...string[]];
  readonly file: string;
  /** What is run, where that is another file. */
  readonly runs?: string;
  readonly tags: readonly Program[];
}

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);

afterAll(async () => {
  await gateway.close();
});

/** A merchant with one profile, gone after the test. */
function merchant(profile: string, more: readonly string[] = []): Home {
  const home = new Home(`default-profile: shop\nprofiles:\n${profile}${more.map((line) => `    ${line}\n`).join('')}`);
  onTestFinished(() => home.remove());
  return home;
}

/** Writes the program for a command line into a file, and gives its text. */
async function generate(home: Home, { language, file }: Language, argv: readonly string[]): Promise<string> {
  const ran = await home.call(['sign', ...argv, '--code', language, '--no-input']);
  expect(ran.exit, ran.err).toBe(0);
  home.write(file, ran.out);
  return ran.out;
}

/** Java reads variables in the locale's character set. */
const surroundings = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LC_ALL: 'C.UTF-8' };

function start(home: Home, language: Language, env: Variables): Promise<Ran> {
  const { compile, run, file, runs = file } = language;
  if (compile !== undefined) {
    const [compiler, ...flags] = compile;
    execFileSync(compiler, [...flags, file], { cwd: home.path, env: surroundings });
  }
  const [command, ...words] = run;
  const child = spawn(command, [...words, runs], {
    cwd: home.path,
    env: { ...(byNight.includes(language) ? surroundings : { PATH: surroundings.PATH }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    written.out += String(piece);
  });
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    written.err += String(piece);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit) => resolve({ exit, ...written }));
  });
}

const awkward = 'a+b & c=d !*\'()~ %2B "$HOME" `id` \\ \\n $(id) 漢字 é 😀 שלום #?/:;';
const number = '4444333322221111';
const orders = [
  {
    scheme: 'control',
    argv: testSale('--order-desc', awkward, '--email', "o'n+x@example.com"),
  },
  {
    scheme: 'HMAC-SHA1',
    argv: ['payout', '--amount', '50.00', '--currency', 'EUR', '--card-number', number, '--order-desc', awkward],
  },
  {
    scheme: 'RSA-SHA256',
    argv: [
      ...['transfer', '--amount', '12.00', '--currency', 'USD', '--deposit2card', 'true'],
      ...['--destination-card-number', '5555666644441111', '--order-desc', awkward],
    ],
  },
];

for (const language of languages)
  describe(`sign --code ${language.language}, at a sandbox that listens`, { tags: [...language.tags] }, () => {
    // That of a checksum is checked with every byte, below.
    test.each(orders.slice(1))('$scheme: the program for $argv.0 is taken', async ({ argv }) => {
      const home = merchant(profileText('shop', gateway.url, gateway.keys));
      const program = await generate(home, language, argv);
      expect(program).not.toContain(readFileSync(gateway.keys.control, 'utf8').trim());
      const ran = await start(home, language, {
        CONTROL_KEY_FILE: gateway.keys.control,
        PRIVATE_KEY_FILE: gateway.keys.pkcs8,
      });
      expect(ran).toMatchObject({ exit: 0, err: 'HTTP 200\n' });
      expect(JSON.parse(ran.out)).toMatchObject({ type: 'async-response' });
    });
  });

interface Seen {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A gateway that notes every request and answers all alike. */
async function recorder(status = 200): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (piece) => {
      body += String(piece);
    });
    incoming.on('end', () => {
      seen.push({ url: incoming.url ?? '', headers: incoming.headers, body });
      response.writeHead(status, { Location: '/elsewhere' }).end('{"type":"async-response"}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/pre/fix`, seen };
}

const card = {
  ...{ credit_card_number: '5454545454545454', card_printed_name: 'JANE DOE' },
  ...{ expire_month: '9', expire_year: '2041', cvv2: '987' },
};

/** RFC 3986, byte by byte. */
function encoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

for (const language of languages)
  describe(`sign --code ${language.language}, every byte`, { tags: [...language.tags] }, () => {
    const odd = [
      ['blanks', '  at both ends  '],
      ['quotes', `''"'\\''"\\"`],
      ['lines', 'one\ntwo\n\n\tthree\r\n\n'],
      ['twice', 'b'],
      ['twice', 'a'],
      ['twice%', 'B'],
      ['__proto__', `$HOME \${x} {$y} $key`],
      ["it's; `id`", '-e -n %s \\0041'],
      ['-', '--help'],
    ] as const;
    const extra = ['--allow-unknown-field', ...odd.flatMap(([name, value]) => ['--field', `${name}=${value}`])];

    test('a body of odd names and values arrives as it was given, and its control is right', async () => {
      const { url, seen } = await recorder();
      const home = merchant(profileText('shop', url, gateway.keys), ['assume: { control-encoding: hex-upper }']);
      await generate(home, language, [...(orders[0]?.argv ?? []), '--client-order-id', 'x $y `z`', ...extra]);
      const key = `k'"\\$ é`;
      expect(await start(home, language, { CONTROL_KEY: key })).toMatchObject({ exit: 0, err: 'HTTP 200\n' });
      const [request] = seen;
      const tail = odd.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
      const control = createHash('sha1')
        .update(`5001x $y \`z\`1042o'n+x@example.com${key}`)
        .digest('hex')
        .toUpperCase();
      expect(request?.url).toBe('/pre/fix/api/v2/sale/5001');
      expect(request?.headers).toMatchObject({
        accept: 'application/vnd.pay+json',
        'content-type': 'application/x-www-form-urlencoded',
      });
      expect(request?.body).toContain(`order_desc=${encoded(awkward)}&`);
      expect(request?.body.slice(request.body.indexOf('blanks='))).toBe(`${tail}&control=${control}`);
    });

    test('the card is read from the environment, and a redirect is no success and not followed', async () => {
      const { url, seen } = await recorder(307);
      const home = merchant(profileText('shop', url, gateway.keys));
      const input = ['--input', home.write('card.json', JSON.stringify(card))];
      const sale = ['sale', '--amount', '10.42', '--currency', 'USD', '--client-order-id', 'a', ...input];
      const program = await generate(home, language, sale);
      expect(program).toContain('JANE DOE');
      // As a word: a port, or an id that was made up, may hold the same digits.
      for (const secret of [card.credit_card_number, card.cvv2, card.expire_year])
        expect(program).not.toMatch(new RegExp(`(?<!\\w)${secret}(?!\\w)`));
      const env = { CONTROL_KEY: 'k', CARD_NUMBER: card.credit_card_number, CVV: card.cvv2 };
      const expiry = { EXPIRE_MONTH: card.expire_month, EXPIRE_YEAR: card.expire_year };
      const ran = await start(home, language, { ...env, ...expiry });
      expect(ran).toMatchObject({ exit: 1, err: 'HTTP 307\n' });
      expect(seen).toHaveLength(1);
      const sent = new URLSearchParams(card).toString().replaceAll('+', '%20');
      expect(seen[0]?.body).toContain(`${sent}&`);
    });
  });

test('no program that the shell script calls gets the key or the card as an argument', {
  tags: ['curl', 'dash', 'perl'],
}, async () => {
  const { url, seen } = await recorder();
  const home = merchant(profileText('shop', url, gateway.keys));
  await generate(home, shell, orders[0]?.argv ?? []);
  const bin = join(home.path, 'bin');
  mkdirSync(bin);
  for (const name of ['awk', 'curl', 'cut', 'date', 'od', 'openssl', 'perl', 'sort', 'tr']) {
    const real = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$0 $*" >>"${home.path}/arguments"\nexec ${real} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    CONTROL_KEY: 'VerySecretKey6',
    PRIVATE_KEY_FILE: gateway.keys.pkcs8,
  };
  expect(await start(home, shell, env)).toMatchObject({ exit: 0 });
  expect(seen).toHaveLength(1);
  const called = readFileSync(join(home.path, 'arguments'), 'utf8');
  expect(called).toContain('/curl --silent');
  expect(called).not.toMatch(/VerySecretKey6|4444333322221111|5555666644441111/);
});
