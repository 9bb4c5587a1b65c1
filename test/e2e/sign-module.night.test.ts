import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { vectors } from '../../src/cli/commands/sign/code/module/plan.js';
import { allOperations, assumeDefaults } from '../../src/spec/index.js';
import { protectionOf } from '../../src/wire/check-request.js';
import { baseString, type Order } from '../signing/diagnose/signer.js';
import type { Program } from '../support/programs.js';
import { Home, type Ran } from './home.js';
import { type Gateway, profileText, startGateway } from './shop.js';

interface Language {
  readonly language: string;
  readonly file: string;
  readonly compile?: readonly [string, ...string[]];
  /** What must say nothing on standard output about the file. */
  readonly check?: readonly [string, ...string[]];
  readonly run: readonly [string, ...string[]];
  readonly tags: readonly Program[];
}

const byDay: readonly Language[] = [
  {
    language: 'php',
    file: 'signer.php',
    run: ['php', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr', 'signer.php'],
    tags: ['php'],
  },
  { language: 'python', file: 'signer.py', run: ['python3', '-W', 'error', 'signer.py'], tags: ['python3', 'openssl'] },
  { language: 'node', file: 'signer.mjs', run: ['node', 'signer.mjs'], tags: [] },
];

// Their compilers are large, so .ci/nightly installs them.
const byNight: readonly Language[] = [
  { language: 'ruby', file: 'signer.rb', run: ['ruby', '-w', 'signer.rb'], tags: [] },
  {
    language: 'go',
    file: 'signer.go',
    compile: ['go', 'build', '-o', 'signer.bin'],
    check: ['gofmt', '-l'],
    run: ['./signer.bin'],
    tags: [],
  },
  {
    language: 'java',
    file: 'GatewaySigner.java',
    compile: ['javac', '-Xlint:all', '-Werror'],
    run: ['java', '-cp', '.', 'GatewaySigner'],
    tags: [],
  },
  {
    language: 'csharp',
    file: 'signer.cs',
    compile: ['mcs', '-warnaserror'],
    run: ['mono', 'signer.exe'],
    tags: [],
  },
];
/** By day the other assumptions are tried in one language. */
const isNight = process.env['SIGN_LANGUAGES'] !== undefined;

/** Other choices than the usual ones, for everything a signature depends on. */
const assume = { 'control-encoding': 'base64', 'oauth-in-body': 'hmac', 'hmac-key-encoding': 'raw' };

let gateway: Gateway;
let other: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  const wishes = Object.entries(assume).flatMap(([name, value]) => ['--assume', `${name}=${value}`]);
  other = await startGateway(['--settle-ms', '0', ...wishes]);
}, 60_000);
afterAll(async () => {
  await Promise.all([gateway.close(), other.close()]);
});

const surroundings = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LC_ALL: 'C.UTF-8' };

/** A home with the signer of a profile, compiled, gone after the test. */
async function written({ language, file, compile, check }: Language, { url, keys }: Gateway, more = ''): Promise<Home> {
  const home = new Home(`default-profile: shop\nprofiles:\n${profileText('shop', url, keys)}${more}`);
  onTestFinished(() => home.remove());
  const { exit, out, err } = await home.call(['sign', language, '--module']);
  expect(exit, err).toBe(0);
  expect(out).not.toContain(readFileSync(keys.control, 'utf8').trim());
  home.write(file, out);
  for (const command of [compile, check])
    if (command !== undefined) {
      const [program, ...flags] = command;
      expect(execFileSync(program, [...flags, file], { cwd: home.path, env: surroundings, encoding: 'utf8' })).toBe('');
    }
  return home;
}

function run(
  home: Home,
  { run: [command, ...words] }: Language,
  flags: readonly string[],
  fields = '',
  keys = {},
): Ran {
  const env = { ...surroundings, ...keys };
  const ran = spawnSync(command, [...words, ...flags], { cwd: home.path, env, input: fields, encoding: 'utf8' });
  return { exit: ran.status, out: ran.stdout, err: ran.stderr };
}

const awkward = 'a+b & c=d !*\'()~ %2B "q" $x \\ 漢字 é 😀';

function lines(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const card = {
  credit_card_number: '4444333322221111',
  card_printed_name: 'JANE DOE',
  expire_month: '12',
  expire_year: '2039',
  cvv2: '123',
};
const person = { order_desc: awkward, first_name: 'Zoë', last_name: "O'Neill", email: "o'n+x@example.com" };
const address = { address1: 'A & B', city: 'Köln', zip_code: '50667', country: 'DE', phone: '+4930123456' };
const payer = { ...person, ...address, ipaddress: '192.0.2.1' };

const requests = [
  {
    operation: 'SALE',
    fields: {
      client_orderid: `né ${awkward.slice(0, 8)}`,
      ...card,
      ...payer,
      amount: '10.42',
      currency: 'USD',
      redirect_url: 'https://a.example/?x=1',
    },
  },
  { operation: 'STATUS', fields: { client_orderid: `né ${awkward.slice(0, 8)}` } },
  {
    operation: 'PAYOUT',
    fields: {
      client_orderid: 'p 1~*',
      order_desc: awkward,
      amount: '50.00',
      currency: 'EUR',
      credit_card_number: '4444333322221111',
    },
  },
  {
    operation: 'PAYOUT_V4_CHECK',
    fields: {
      client_orderid: 'p 2~*',
      credit_card_number: '4444333322221111',
      order_desc: awkward,
      amount: '50.00',
      currency: 'EUR',
    },
  },
] as const;

/** Sends what a signer printed, and nothing else, on a connection of its own: a compiler may run in between. */
async function send(printed: string): Promise<string> {
  const at = printed.indexOf('\n\n');
  const [first = '', ...headers] = printed.slice(0, at).split('\n');
  const [, url = ''] = /^POST (\S+) HTTP\/1\.1$/.exec(first) ?? [];
  const pairs = headers.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 2),
  ]);
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: Object.fromEntries(pairs), agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (piece) => {
        text += String(piece);
      });
      reply.on('end', () => resolve(text));
    });
    sent.once('error', reject).end(printed.slice(at + 2));
  });
}

for (const language of isNight ? byNight : byDay)
  describe(`sign ${language.language} --module`, { tags: [...language.tags] }, () => {
    test.each([
      { name: 'the usual assumptions', gate: () => gateway, more: '' },
      ...(isNight || language.language === 'node'
        ? [{ name: 'others', gate: () => other, more: `    assume: ${JSON.stringify(assume)}\n` }]
        : []),
    ])('under $name tests itself, and the sandbox takes its requests', async ({ gate, more }) => {
      const { keys } = gate();
      const home = await written(language, gate(), more);
      expect(run(home, language, ['--self-test'])).toEqual({ exit: 0, out: 'passed\n', err: '' });
      const files = { CONTROL_KEY_FILE: keys.control, PRIVATE_KEY_FILE: keys.pkcs8 };
      for (const { operation, fields } of requests) {
        const given = { ...fields, client_orderid: `${fields.client_orderid} ${language.language}` };
        const { exit, out, err } = run(home, language, ['--request', operation, '5001', 'shop'], lines(given), files);
        expect([exit, err]).toEqual([0, '']);
        const text = await send(out);
        // What is wrong with the fields is said after the signature was found right.
        expect({ operation, text }).not.toMatchObject({ text: expect.stringMatching(/CONTROL|signature|oauth/i) });
        expect({ operation, text }).toMatchObject({ text: expect.stringMatching(/async-response|status-response/) });
      }
    });

    test('prints the base string, and says what it lacks', async () => {
      const home = await written(language, gateway);
      const control = run(
        home,
        language,
        ['--base-string', 'SALE', '17', 'shop'],
        'client_orderid=né\namount=10.42\nemail=a\n',
      );
      expect(control).toEqual({ exit: 0, out: '17né1042a', err: '' });
      const flags = ['--base-string', 'PAYOUT', '17', 'shop', 'n+1', '1700000000'];
      const { out } = run(home, language, flags, `b=${awkward}\nb=1=2\na=\n`);
      const [, host = '', path = ''] = /^http:\/\/([^/]+)(.*)$/.exec(gateway.url) ?? [];
      const order: Order = {
        ...{ method: 'POST', scheme: 'http', host, path: `${path}/api/v2/payout/17`, query: '', queryPairs: [] },
        ...{
          body: [
            ['b', awkward],
            ['b', '1=2'],
            ['a', ''],
          ],
          consumerKey: 'shop',
          nonce: 'n+1',
        },
        ...{ timestamp: '1700000000', signatureMethod: 'HMAC-SHA1', version: true, secret: '', tokenSecret: '' },
      };
      expect(out).toBe(baseString(order));
      const unsigned = run(home, language, ['--request', 'PAYOUT_V4_CHECK', '17', 'shop'], 'a=1\n');
      expect(unsigned.exit).not.toBe(0);
      expect([unsigned.out, unsigned.err]).toEqual(['', expect.stringContaining('PRIVATE_KEY_FILE must name')]);
      expect(run(home, language, ['--request', 'SALE', '17', 'shop'], 'a=1\n').err).toContain(
        'CONTROL_KEY_FILE must name',
      );
      expect(run(home, language, ['--request', 'NO', '17', 'shop']).exit).not.toBe(0);
    });

    test('fails its own test when it is changed', async () => {
      const home = await written(
        { language: language.language, file: language.file, run: language.run, tags: [] },
        gateway,
      );
      const text = readFileSync(`${home.path}/${language.file}`, 'utf8');
      const changed = text.replace(vectors.control['hex-lower'], vectors.control['hex-lower'].replace('c', 'd'));
      expect(changed).not.toBe(text);
      home.write(language.file, changed);
      if (language.compile !== undefined)
        execFileSync(language.compile[0], [...language.compile.slice(1), language.file], {
          cwd: home.path,
          env: surroundings,
        });
      const { exit, out, err } = run(home, language, ['--self-test']);
      expect([exit, out + err]).toEqual([1, 'FAILED\n']);
    });
  });

test('the vectors are what openssl and the rules say', { tags: ['openssl'] }, () => {
  const { key, url, pairs, controlText, control, hmac } = vectors;
  const digest = (flags: readonly string[], input: string) =>
    execFileSync('openssl', ['dgst', '-sha1', '-binary', ...flags], { input });
  const sha1 = digest([], controlText + key);
  expect(control).toEqual({
    'hex-lower': sha1.toString('hex'),
    'hex-upper': sha1.toString('hex').toUpperCase(),
    base64: sha1.toString('base64'),
  });
  const [, host = '', path = ''] = /^https:\/\/([^/]+)(.*)$/.exec(url) ?? [];
  const values = new Map<string, string>(pairs);
  const order: Order = {
    ...{
      method: 'POST',
      scheme: 'https',
      host,
      path,
      query: '',
      queryPairs: [],
      version: true,
      secret: '',
      tokenSecret: '',
    },
    body: pairs.filter(([name]) => !name.startsWith('oauth_')),
    consumerKey: values.get('oauth_consumer_key') ?? '',
    nonce: values.get('oauth_nonce') ?? '',
    timestamp: values.get('oauth_timestamp') ?? '',
    signatureMethod: values.get('oauth_signature_method') ?? '',
  };
  const text = vectors.baseString.join('');
  expect(text).toBe(baseString(order));
  const mac = (secret: string) =>
    digest(['-mac', 'HMAC', '-macopt', `hexkey:${Buffer.from(secret).toString('hex')}`], text).toString('base64');
  // RFC 3986 by hand.
  expect(hmac).toEqual({ raw: mac(`${key}&`), encoded: mac('k%2B%2F%20%C3%A9%26%3D&') });
});

test('every operation is in a signer, with its path and scheme', async () => {
  const home = new Home();
  onTestFinished(() => home.remove());
  const { out } = await home.call(['sign', 'python', '--module']);
  for (const row of allOperations) {
    const { scheme } = protectionOf(row, assumeDefaults);
    const word = { control: 'control', 'hmac-sha1': 'HMAC-SHA1', 'rsa-sha256': 'RSA-SHA256', none: 'none' }[scheme];
    expect(out).toContain(`"${row.id}": ("${word}", "${row.path}/", `);
  }
});
