import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery, Runtime } from '../../src/runtime/ports.js';
import { paycli, reply, type TestOptions, temporaryHome } from '../support/runtime.js';
import { controlKey, homeWithProfile, rsaKey, saleFlags, taken } from './profiles.js';

interface Check {
  readonly check: string;
  readonly result: string;
  readonly text: string;
  readonly next?: string;
}

async function doctor(options: TestOptions, ...flags: readonly string[]) {
  const ran = await paycli(['doctor', '--json', ...flags], options);
  const document: { readonly ok: boolean; readonly profile: string | null; readonly checks: readonly Check[] } =
    JSON.parse(ran.out);
  expect(ran.exit).toBe(document.ok ? 0 : 11);
  if (document.ok) expect(ran.err).toBe('');
  else expect(JSON.parse(ran.err)).toMatchObject({ code: 'CHECK_FAILED', exit: 11 });
  const found = (name: string) =>
    document.checks.find(({ check }) => check === name) ?? { check: name, result: 'missing', text: '' };
  return { ...document, found, out: ran.out, requests: ran.requests };
}

const under =
  (nodeVersion: string) =>
  (usual: Runtime): Runtime => ({ ...usual, processes: { ...usual.processes, nodeVersion } });

test('with nothing configured everything passes', async () => {
  const ran = await paycli(['doctor']);
  expect(ran.exit, ran.out).toBe(0);
  expect(ran.out).toMatch(/^pass {2}configuration {2}the built-in sandbox is used/m);
});

describe('payments of unknown outcome', () => {
  const lost = (): Delivery => ({ kind: 'lost', reason: 'the connection was reset' });

  test('are counted, with the command that queries the gateway', async () => {
    const home = homeWithProfile();
    expect((await doctor({ home })).found('outcomes').result).toBe('pass');
    expect((await paycli(saleFlags, { home, network: [lost] })).exit).toBe(8);
    expect((await doctor({ home })).found('outcomes')).toEqual({
      check: 'outcomes',
      result: 'warn',
      text: '1 request in doubt: money may have moved',
      next: 'send nothing again; query the gateway: `paycli resolve --profile shop`',
    });
  });
});

describe('the runtime', () => {
  test.each([
    ['20.19.0', 'pass'],
    ['23.1.0', 'fail'],
  ] as const)('Node %s: %s', async (version, result) => {
    const outside = under(version);
    const { found } = await doctor({ outside });
    expect(found('runtime').result).toBe(result);
    const sale = await paycli(saleFlags, {
      home: homeWithProfile(),
      outside,
      network: result === 'pass' ? [() => reply(200, taken)] : [],
    });
    if (result === 'pass') return expect(sale.exit, sale.err).toBe(0);
    expect([sale.exit, sale.requests.length]).toEqual([3, 0]);
    expect(sale.err).toContain(version);
    expect(sale.err).toContain('20.19');
  });
});

describe('the configuration', () => {
  test('that cannot be read fails, and what rests on it is left out', async () => {
    const home = homeWithProfile({ more: ['no-such-key: 4444333322221111'] });
    const { ok, profile, found, out } = await doctor({ home });
    expect([ok, profile, found('configuration').result, found('runtime').result]).toEqual([
      false,
      null,
      'fail',
      'pass',
    ]);
    expect(found('control key').result).toBe('missing');
    expect(out).not.toContain('4444333322221111');
  });
});

describe('keys', () => {
  const withKey = (path: string) => homeWithProfile({ more: [`private-key: { file: ${path} }`] });

  test('in good order pass; neither is shown', async () => {
    const home = homeWithProfile();
    const path = rsaKey(home);
    chmodSync(path, 0o600);
    const { found, out } = await doctor({ home }, '--private-key-file', path);
    expect(found('control key')).toMatchObject({ result: 'pass', text: `file ${join(home, 'control.key')}` });
    expect(found('private key')).toMatchObject({
      result: 'pass',
      text: expect.stringMatching(/^RSA 2048 bits, PKCS#8, fingerprint /),
    });
    expect(out).not.toContain(controlKey);
    expect(out).not.toContain('PRIVATE');
  });

  test('too short fail', async () => {
    const { found } = await doctor({ home: withKey(rsaKey(temporaryHome(), 1024)) });
    expect(found('private key')).toMatchObject({ result: 'fail', text: expect.stringContaining('1024') });
  });

  test('with blanks around, or none at all, are warned about', async () => {
    const home = homeWithProfile();
    writeFileSync(join(home, 'control.key'), ` ${controlKey}\n`);
    expect((await doctor({ home })).found('control key').result).toBe('warn');
    expect((await doctor({ home: homeWithProfile({ withoutControlKey: true }) })).found('control key').result).toBe(
      'warn',
    );
  });
});

describe('the clock', () => {
  // Nothing signed is asked beside it.
  const keyless = () => homeWithProfile({ withoutControlKey: true });
  // The clock of tests stands at Monday, 2030-01-07 12:00:00 UTC.
  const dated = (date: string | undefined): Delivery => ({
    kind: 'reply',
    reply: { status: 404, headers: date === undefined ? {} : { date }, body: new Uint8Array() },
  });

  test.each([
    ['Mon, 07 Jan 2030 12:00:00 GMT', 'pass', 'gate.example'],
    ['Mon, 07 Jan 2030 12:02:00 GMT', 'warn', 'behind'],
    [undefined, 'skip', 'without a Date'],
  ])('against %s: %s', async (date, result, text) => {
    const { found } = await doctor({ home: keyless(), network: [() => dated(date)] }, '--online');
    expect(found('clock')).toMatchObject({ result, text: expect.stringContaining(text) });
  });

  test('is not asked for without --online, but at a loopback address', async () => {
    expect((await doctor({ home: homeWithProfile() })).found('clock').result).toBe('skip');
    const home = homeWithProfile({ baseUrl: 'http://127.0.0.1:8484/gateway' });
    const { found } = await doctor({ home, network: [() => dated('Mon, 07 Jan 2030 12:00:00 GMT')] });
    expect(found('clock').result).toBe('pass');
  });
});

describe('the disk', () => {
  test('with a state folder that others can write to it fails', async () => {
    const home = temporaryHome();
    mkdirSync(join(home, 'state'));
    chmodSync(join(home, 'state'), 0o777);
    expect((await doctor({ home })).found('state folder').result).toBe('fail');
  });

  test('that cannot be written to fails', async () => {
    const refuse = (): never => {
      throw Object.assign(new Error('no'), { code: 'ENOSPC' });
    };
    const { found } = await doctor({
      outside: (usual) => ({ ...usual, files: { ...usual.files, writeText: refuse } }),
    });
    expect(found('state folder')).toMatchObject({ result: 'fail', text: expect.stringContaining('ENOSPC') });
  });
});

describe('the journal', () => {
  test('fails when it is damaged, or is no journal', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    expect((await doctor({ home })).found('journal').result).toBe('pass');
    const file = join(home, 'state', 'requests.db');
    const bytes = readFileSync(file);
    // Beyond the head of the file, so that it opens.
    writeFileSync(file, bytes.fill('x', bytes.length - 4096), { mode: 0o600 });
    expect((await doctor({ home })).found('journal')).toMatchObject({
      result: 'fail',
      text: expect.stringContaining('is damaged'),
    });
    writeFileSync(file, 'x'.repeat(8192), { mode: 0o600 });
    expect((await doctor({ home })).found('journal').result).toBe('fail');
    expect((await doctor({ home })).found('outcomes').result).toBe('skip');
  });
});

describe('the surroundings', () => {
  test.each([
    ['tls', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'fail'],
    ['tls', { SSLKEYLOGFILE: '/tmp/keys' }, 'warn'],
  ])('%s with %j: %s', async (check, env, result) => {
    expect((await doctor({ env })).found(check).result).toBe(result);
  });
});

/** With the signed requests, whose results are told. */
async function online(options: TestOptions, ...flags: readonly string[]) {
  const ran = await doctor(options, '--online', ...flags);
  for (const secret of [controlKey, 'PRIVATE']) expect(ran.out).not.toContain(secret);
  const asked = ran.checks.filter(({ check }) => check.endsWith(' online'));
  return { ...ran, results: asked.map(({ check, result }) => `${check}: ${result}`) };
}

/** A home with both keys. */
function homeWithKeys(more: Parameters<typeof homeWithProfile>[0] = {}): { readonly home: string } {
  const home = homeWithProfile(more);
  const key = rsaKey(home);
  chmodSync(key, 0o600);
  writeFileSync(join(home, 'config', 'config.yaml'), `    private-key: { file: ${key} }\n`, { flag: 'a' });
  return { home };
}

const timed = (): Delivery => ({
  kind: 'reply',
  reply: { status: 404, headers: { date: 'Mon, 07 Jan 2030 12:00:00 GMT' }, body: new Uint8Array() },
});
const no = (status: number, message: string) => (): Delivery =>
  reply(status, { type: 'error', 'error-message': message, 'error-code': '6' });
const unknownOrder = no(400, 'order not found');

describe('online, the gateway is asked a question signed with each key of the profile', () => {
  test('keys the gateway knows pass, a wrong control key fails', async () => {
    const { home } = homeWithKeys();
    const known = await online({ home, network: [timed, unknownOrder, unknownOrder] });
    expect(known.results).toEqual(['control online: pass', 'rsa online: pass']);
    const refused = no(400, 'INVALID_CONTROL_CODE');
    const wrong = await online({ home, network: [timed, refused, unknownOrder] });
    expect(wrong.results).toEqual(['control online: fail', 'rsa online: pass']);
  });

  test('without --online nothing signed is sent', async () => {
    const { home } = homeWithKeys();
    const ran = await paycli(['doctor', '--json'], { home });
    expect(ran.requests).toEqual([]);
    expect(ran.out).not.toContain(' online"');
  });
});

async function answered(rsa: readonly (() => Delivery)[]) {
  const { home } = homeWithKeys();
  return online({ home, network: [timed, unknownOrder, ...rsa] });
}

describe('what the questions are, and what an answer proves', () => {
  test('each is about an order that nobody has, so nothing is changed', async () => {
    const { requests } = await answered([unknownOrder]);
    const asked = requests
      .slice(1)
      .map(({ url, body }) => [new URL(url).pathname, Object.fromEntries(new URLSearchParams(body))] as const);
    expect(asked.map(([path]) => path)).toEqual(['/prefix/api/v2/status/1144', '/prefix/api/v4/create-card-ref/1144']);
    for (const [, fields] of asked) expect(fields['client_orderid']).toMatch(/^check-/);
    expect(asked[1]?.[1]).toMatchObject({ orderid: '999999999999999999' });
    expect(requests[2]?.headers['Authorization']).toContain('oauth_signature_method="RSA-SHA256"');
  });

  test.each<readonly [string, () => Delivery, string]>([
    ['there is no such order', unknownOrder, 'pass'],
    [
      'that it is done, though there is nothing it could be done to',
      () => reply(200, { type: 'async-response', 'card-ref-id': '5' }),
      'warn',
    ],
    ['a wrong signature', no(400, 'OAuth signature is invalid'), 'fail'],
    ['that the endpoint does not take this operation', no(400, 'operation is not supported by this endpoint'), 'warn'],
  ])('the RSA key, told of %s', async (_, answer, result) => {
    const { found } = await answered([answer]);
    expect(found('rsa online').result, found('rsa online').text).toBe(result);
  });

  test('where a card reference takes the card itself, no RSA question is safe, which is said', async () => {
    const { home } = homeWithKeys({ more: ['assume: { card-ref-source: card-data }'] });
    const { found } = await online({ home, network: [timed, unknownOrder] });
    expect(found('rsa online')).toMatchObject({ result: 'skip', text: expect.stringContaining('card-ref-source') });
  });
});
