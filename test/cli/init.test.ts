import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { pem } from '../signing/support.js';
import { fakeKeyring, interruptedAt, reply, temporaryHome } from '../support/runtime.js';
import { canaryKey as canary, canaryFingerprint as fingerprint, neverPrinting } from './never-printed.js';

const paycli = neverPrinting(['BEGIN PRIVATE KEY'], { NO_COLOR: '1' });

function homeWithKey(): string {
  const home = temporaryHome();
  writeFileSync(join(home, 'control.key'), `${canary}\n`, { mode: 0o600 });
  return home;
}

type Answer = readonly [name: string, answer: string];
const toTest: readonly Answer[] = [
  ['class', 'a test gateway'],
  ['name', 'shop-test'],
];
const connection: readonly Answer[] = [
  ['base-url', 'https://gate.example/prefix'],
  ['login', 'my-shop'],
  ['endpoint-id', '4001'],
];
const key: Answer = ['control-key', canary];
const testAnswers = [...toTest, ...connection, key];

const flags = ['init', '--name', 'shop-test', '--class', 'test', '--base-url', 'https://gate.example/prefix'];
const whole = [...flags, '--login', 'my-shop', '--endpoint-id', '4001', '--control-key-file', 'control.key'];

/** The same with these flags in place of those it has. */
const wholeWith = (...more: string[]) => [
  ...whole.filter(
    (word, at) => ![word, whole[at - 1] ?? ''].some((each) => each.startsWith('--') && more.includes(each)),
  ),
  ...more,
];

const unknownOrder = (): Delivery =>
  reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });
const wrongControl = (): Delivery =>
  reply(400, { type: 'validation-error', 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '2' });

const config = (home: string) => readFileSync(join(home, 'config/config.yaml'), 'utf8');
const written = (home: string) => existsSync(join(home, 'config'));

describe('on a terminal', () => {
  test('a test profile from the first question to the answer of the gateway', async () => {
    const home = temporaryHome();
    const ran = await paycli(['init'], { home, tty: true, answers: testAnswers, network: [unknownOrder] });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.questions.filter(({ hidden }) => hidden === true).map(({ name }) => name)).toEqual(['control-key']);
    expect(config(home)).toBe(
      [
        'default-profile: shop-test',
        'profiles:',
        '  shop-test:',
        '    class: test',
        '    base-url: https://gate.example/prefix',
        '    login: my-shop',
        '    endpoint-id: 4001',
        '    control-key: { file: keys/shop-test.control-key }',
        '',
      ].join('\n'),
    );
    expect(readFileSync(join(home, 'config/keys/shop-test.control-key'), 'utf8')).toBe(`${canary}\n`);
    const paths = ['config/keys/shop-test.control-key', 'config/keys', 'config/config.yaml'];
    expect(paths.map((path) => statSync(join(home, path)).mode & 0o777)).toEqual([0o600, 0o700, 0o600]);
    // The check is one status question with the control that the interface describes.
    const [request] = ran.requests;
    expect(request?.url).toBe('https://gate.example/prefix/api/v2/status/4001');
    const body = new URLSearchParams(request?.body);
    const order = body.get('client_orderid') ?? '';
    expect(order).not.toBe('');
    expect(body.get('control')).toBe(createHash('sha1').update(`my-shop${order}${canary}`).digest('hex'));
  });

  test('a live gateway: caps are offered, it is never the default, and it is checked only with --live', async () => {
    const home = temporaryHome();
    const live: readonly Answer[] = [
      ['class', 'a live gateway: real money'],
      ['name', 'shop-live'],
      ...connection,
      ['max-amount', '500.00 EUR, 600.00 USD'],
      key,
    ];
    const without = await paycli(['init'], { home, tty: true, answers: live });
    expect([without.exit, without.requests]).toEqual([0, []]);
    expect(without.err).toContain('real money');
    expect(without.out).toContain('checked only with --live');
    expect(config(home)).not.toContain('default-profile');
    const asked = await paycli(['init', '--live', '--replace'], {
      home,
      tty: true,
      answers: live,
      network: [unknownOrder],
    });
    expect([asked.exit, asked.requests.length]).toEqual([0, 1]);
    expect(config(home)).toContain('      - 500.00 EUR\n      - 600.00 USD\n');
  });

  test('--replace fills in what is there; an empty key and Enter change nothing', async () => {
    const home = homeWithKey();
    const limits = ['--endpoint', 'EUR=4002', '--max-amount', '500.00 EUR'];
    expect((await paycli([...whole, ...limits, '--no-check'], { home })).exit).toBe(0);
    const before = config(home);
    const key = readFileSync(join(home, 'config/keys/shop-test.control-key'), 'utf8');
    const kept = [
      ['class', 'a test gateway'],
      ['name', 'shop-test'],
      ['base-url', 'https://gate.example/prefix'],
      ['login', 'my-shop'],
      ['endpoint-id', '4001'],
    ] as const;
    const answers: readonly Answer[] = [...kept, ['control-key', '']];
    const ran = await paycli(['init', '--replace'], { home, tty: true, answers, network: [unknownOrder] });
    expect(ran.exit, ran.err).toBe(0);
    const shown = ran.questions.map(({ name, initial }) => [name, initial]);
    expect(shown.slice(0, kept.length)).toEqual(kept);
    expect(ran.questions.find(({ name }) => name === 'control-key')?.message).toContain('keep the current one');
    expect([config(home), readFileSync(join(home, 'config/keys/shop-test.control-key'), 'utf8')]).toEqual([
      before,
      key,
    ]);
    // The check is signed with the key that stays.
    expect(ran.requests).toHaveLength(1);
  });

  test('Ctrl-C at a question writes nothing', async () => {
    const home = temporaryHome();
    const outside = interruptedAt('control-key');
    const ran = await paycli(['init'], { home, tty: true, answers: testAnswers.slice(0, -1), outside });
    expect([ran.exit, ran.out, ran.requests, written(home)]).toEqual([130, '', [], false]);
  });
});

describe('by flags and files', () => {
  test('everything on one line; the result says all of it', async () => {
    const home = homeWithKey();
    const more = ['--endpoint', 'EUR=4002', '--endpoint', 'payout=5001', '--max-amount', '500.00 EUR', '--json'];
    const ran = await paycli([...whole, ...more], { home, network: [unknownOrder] });
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(JSON.parse(ran.out)).toMatchObject({
      ...{ profile: 'shop-test', class: 'test', file: join(home, 'config/config.yaml'), isDefault: true },
      controlKey: { store: 'file', place: `file ${join(home, 'config/keys/shop-test.control-key')}`, fingerprint },
      ...{ privateKey: null, check: { verdict: 'good', gatewayMessage: 'order not found' }, exit: 0 },
    });
    expect(config(home)).toContain('    endpoints:\n      EUR: 4002\n      payout-send: 5001\n');
  });

  const checks: readonly (readonly [string, string, number, readonly (() => Delivery)[]])[] = [
    ['an unknown order', 'good', 0, [unknownOrder]],
    ['a wrong control', 'refused', 4, [wrongControl]],
    ['no connection', 'not-sent', 6, Array(3).fill(() => ({ kind: 'never-sent', reason: 'connection refused' }))],
    ['silence', 'no-answer', 9, Array(3).fill(() => ({ kind: 'lost', reason: 'the connection ended before a reply' }))],
  ];
  test.each(checks)('after %s the verdict is %s, exit %d, and the profile stays', async (_, verdict, exit, network) => {
    const home = homeWithKey();
    const ran = await paycli([...whole, '--json'], { home, network });
    expect(ran.exit, ran.err).toBe(exit);
    expect(JSON.parse(ran.out)).toMatchObject({ ok: exit === 0, exit, check: { verdict } });
    expect((await paycli(['profile', 'show'], { home })).out).toContain('shop-test');
    if (exit === 0) return;
    // It was written, so it is not said that nothing was, and `init` again would be refused.
    const { next } = JSON.parse(ran.err);
    expect(next).toMatch(/^profile shop-test was saved; `paycli init --replace --name shop-test` corrects it, and `/);
  });

  test('what is missing is named in one error', async () => {
    const { exit, err } = await paycli(['init', '--login', 'my-shop']);
    expect(exit).toBe(2);
    expect(err).toContain('missing: --class, --name, --base-url, --endpoint-id, --control-key-file');
    expect((await paycli(['init', '--no-input'], { tty: true })).exit).toBe(2);
  });

  const wrong: readonly (readonly [more: readonly string[], exit: number, said: string])[] = [
    [['--base-url', 'http://gate.example'], 2, '--base-url: address'],
    [['--live'], 10, 'is of class test'],
    [['--class', 'live', '--base-url', 'http://127.0.0.1:8484'], 3, 'is this machine'],
  ];
  test.each(wrong)('%j is refused and writes nothing', async (more, exit, said) => {
    const home = homeWithKey();
    const ran = await paycli(wholeWith(...more), { home, keyring: fakeKeyring(new Map(), 'refuses') });
    expect(ran.exit, ran.err).toBe(exit);
    expect(ran.err).toContain(said);
    expect(written(home)).toBe(false);
  });

  test('a full disk leaves nothing half-written', async () => {
    const home = homeWithKey();
    const failing = (path: string) => path.endsWith('config.yaml');
    const { exit, err } = await paycli(whole, { home, failing });
    expect(exit).toBe(13);
    expect(err).toContain('it was not changed');
    expect(readdirSync(join(home, 'config/keys'))).toEqual([]);
    // With an older key, that one comes back.
    expect((await paycli([...whole, '--no-check', '--replace'], { home })).exit).toBe(0);
    const before = config(home);
    writeFileSync(join(home, 'control.key'), 'another CANARY\n');
    const again = await paycli([...wholeWith('--endpoint-id', '4002'), '--replace'], { home, failing });
    expect([again.exit, config(home)]).toEqual([13, before]);
    expect(readFileSync(join(home, 'config/keys/shop-test.control-key'), 'utf8')).toBe(`${canary}\n`);
  });

  test('a taken name needs --replace, which changes what is given and keeps the rest, the key too', async () => {
    const home = homeWithKey();
    await paycli([...whole, '--max-amount', '500.00 EUR', '--no-check'], { home });
    writeFileSync(
      join(home, 'config/config.yaml'),
      config(home).replace('    login:', '    redirect-url: https://shop.example/r # ours\n    login:'),
    );
    const before = config(home);
    const again = await paycli([...whole, '--no-check'], { home });
    expect([again.exit, again.err, config(home)]).toEqual([2, expect.stringContaining('--replace'), before]);
    rmSync(join(home, 'control.key'));
    const argv = ['init', '--name', 'shop-test', '--replace', '--endpoint-id', '9223372036854775807', '--no-check'];
    const ran = await paycli([...argv, '--json'], { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(config(home)).toBe(before.replace('endpoint-id: 4001', 'endpoint-id: "9223372036854775807"'));
    expect(JSON.parse(ran.out).controlKey).toMatchObject({ store: null, fingerprint });
  });

  test('--replace moves the key into the keyring, and the file goes', async () => {
    const home = homeWithKey();
    await paycli([...whole, '--no-check'], { home });
    const entries = new Map<string, string>();
    const argv = ['init', '--name', 'shop-test', '--replace', '--store', 'keyring', '--no-check'];
    const ran = await paycli(argv, { home, keyring: fakeKeyring(entries) });
    expect([ran.exit, [...entries]], ran.err).toEqual([0, [['shop-test/control-key', canary]]]);
    expect(existsSync(join(home, 'config/keys/shop-test.control-key'))).toBe(false);
  });

  test('a key that another configuration left is never overwritten', async () => {
    const home = homeWithKey();
    const entries = new Map([['shop-test/control-key', 'of somebody else']]);
    const ran = await paycli([...whole, '--store', 'keyring'], { home, keyring: fakeKeyring(entries) });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('already holds a key')]);
    expect(entries.get('shop-test/control-key')).toBe('of somebody else');
  });

  test('a private key stays where it is, and must serve', async () => {
    const home = homeWithKey();
    writeFileSync(join(home, 'rsa.pem'), pem('test-rsa-2048.pkcs8'));
    chmodSync(join(home, 'rsa.pem'), 0o644);
    const argv = [...whole, '--no-check', '--private-key-file', 'rsa.pem'];
    const open = await paycli(argv, { home });
    expect([open.exit, open.err]).toEqual([3, expect.stringContaining(`chmod 600 ${join(home, 'rsa.pem')}`)]);
    chmodSync(join(home, 'rsa.pem'), 0o600);
    expect((await paycli(argv, { home })).exit).toBe(0);
    expect(config(home)).toContain(`private-key: { file: ${join(home, 'rsa.pem')} }`);
  });
});
