import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import type { Delivery, HttpRequest, Runtime } from '../../src/runtime/ports.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { openSandboxState } from '../../src/sandbox/state.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { reply, paycli as runs, type TestOptions } from '../support/runtime.js';
import { controlKey, homeWithProfile, rsaKey } from './profiles.js';

interface Check {
  readonly check: string;
  readonly result: string;
  readonly text: string;
  readonly next?: string;
}

const wrongKey = 'C0FFEE00-A7DC-41B4-8FF9-37D986B43D21';

async function doctor(options: TestOptions, ...flags: readonly string[]) {
  const ran = await runs(['doctor', '--online', '--json', ...flags], options);
  for (const secret of [controlKey, wrongKey, 'PRIVATE']) expect(ran.out).not.toContain(secret);
  const document: { readonly ok: boolean; readonly checks: readonly Check[] } = JSON.parse(ran.out);
  expect(ran.exit).toBe(document.ok ? 0 : 11);
  if (document.ok) expect(ran.err).toBe('');
  else expect(JSON.parse(ran.err)).toMatchObject({ code: 'CHECK_FAILED', exit: 11 });
  const asked = document.checks.filter(({ check }) => check.endsWith(' online'));
  const found = (name: string) =>
    document.checks.find(({ check }) => check === name) ?? { check: name, result: 'missing', text: '' };
  return {
    ...document,
    found,
    results: asked.map(({ check, result }) => `${check}: ${result}`),
    requests: ran.requests,
  };
}

/** A home with both keys, and the path of the RSA key. */
function homeWithKeys(more: Parameters<typeof homeWithProfile>[0] = {}): {
  readonly home: string;
  readonly key: string;
} {
  const home = homeWithProfile(more);
  const key = rsaKey(home);
  chmodSync(key, 0o600);
  writeFileSync(join(home, 'config', 'config.yaml'), `    private-key: { file: ${key} }\n`, { flag: 'a' });
  return { home, key };
}

/** The sandbox behind an address of this machine, which knows the control key of tests and this public key. */
function sandboxWith(publicKeyPem: string): (usual: Runtime) => Runtime {
  return (usual) => {
    const sandboxState = openSandboxState({
      database: sqlite.open(':memory:'),
      clock: usual.clock,
      random: usual.random,
    });
    sandboxState.addMerchant({ login: 'my-shop', endpointId: '1144', controlKey, publicKeyPem });
    const sandbox = createSandbox(sandboxState, { assume: assumeDefaults, pagesBase: 'http://127.0.0.1:8484' });
    const post = async (request: HttpRequest): Promise<Delivery> => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const asked = { method: request.method ?? 'POST', url: request.url, headers, body: Buffer.from(request.body) };
      const date = new Date(usual.clock.now()).toUTCString();
      if (!new URL(request.url).pathname.startsWith('/gateway'))
        return { kind: 'reply', reply: { status: 200, headers: { date }, body: Buffer.from('') } };
      const { status, headers: got, body } = sandbox.handle(asked);
      return { kind: 'reply', reply: { status, headers: { ...got, date }, body: Buffer.from(body) } };
    };
    return { ...usual, transport: async () => ({ post, close: async () => undefined }) };
  };
}

const publicHalf = (path: string) => execFileSync('openssl', ['pkey', '-in', path, '-pubout'], { encoding: 'utf8' });
const local = { class: 'sandbox', baseUrl: 'http://127.0.0.1:8484/gateway' } as const;

describe('doctor --online asks the gateway a question signed with each key of the profile', () => {
  test('keys the gateway knows pass in every scheme', async () => {
    const { home, key } = homeWithKeys(local);
    const { ok, results } = await doctor({ home, outside: sandboxWith(publicHalf(key)) });
    expect(results).toEqual(['control online: pass', 'hmac online: pass', 'rsa online: pass']);
    expect(ok).toBe(true);
  });

  test('a wrong control key fails, in both schemes that sign with it', async () => {
    const { home, key } = homeWithKeys(local);
    writeFileSync(join(home, 'control.key'), `${wrongKey}\n`, { mode: 0o600 });
    const { results, found } = await doctor({ home, outside: sandboxWith(publicHalf(key)) });
    expect(results).toEqual(['control online: fail', 'hmac online: fail', 'rsa online: pass']);
    expect(found('control online').text).toMatch(/control checksum.*control key fingerprint [0-9a-f]{8}/);
    expect(found('control online').next).toMatch(/control key.*login.*endpoint/);
    expect(found('hmac online').text).toMatch(/HMAC-SHA1.*control key fingerprint [0-9a-f]{8}/);
  });

  test('without --online nothing signed is sent', async () => {
    const { home } = homeWithKeys();
    const ran = await runs(['doctor', '--json'], { home });
    expect(ran.requests).toEqual([]);
    expect(ran.out).not.toContain(' online"');
  });

  test('no key, no question', async () => {
    const { results } = await doctor({ home: homeWithProfile({ withoutControlKey: true }), network: [dated] });
    expect(results).toEqual(['signed online: skip']);
  });
});

const dated = (): Delivery => ({
  kind: 'reply',
  reply: { status: 404, headers: { date: 'Mon, 07 Jan 2030 12:00:00 GMT' }, body: new Uint8Array() },
});
const no = (status: number, message: string) => (): Delivery =>
  reply(status, { type: 'error', 'error-message': message, 'error-code': '6' });
const unknownOrder = no(400, 'order not found');

async function answered(
  rsa: readonly (() => Delivery)[],
  hmac: readonly (() => Delivery)[] = [no(400, 'card reference not found')],
) {
  const { home } = homeWithKeys();
  return doctor({ home, network: [dated, unknownOrder, ...hmac, ...rsa] });
}

describe('what the questions are, and what an answer proves', () => {
  test('each is about an order or a card reference that nobody has, so nothing is changed', async () => {
    const { requests } = await answered([unknownOrder]);
    const asked = requests
      .slice(1)
      .map(({ url, body }) => [new URL(url).pathname, Object.fromEntries(new URLSearchParams(body))] as const);
    expect(asked.map(([path]) => path)).toEqual([
      '/prefix/api/v2/status/1144',
      '/prefix/api/v2/pan-eligibility/send/1144',
      '/prefix/api/v4/create-card-ref/1144',
    ]);
    for (const [, fields] of asked) expect(fields['client_orderid'] ?? fields['client-order-id']).toMatch(/^check-/);
    expect(asked[1]?.[1]).toMatchObject({ 'sending-card-ref-id': '999999999999999999' });
    expect(asked[2]?.[1]).toMatchObject({ orderid: '999999999999999999' });
    const authorization = requests.slice(1).map(({ headers }) => headers['Authorization'] ?? '');
    expect(authorization[1]).toContain('oauth_signature_method="HMAC-SHA1"');
    expect(authorization[2]).toContain('oauth_signature_method="RSA-SHA256"');
  });

  test.each<readonly [string, () => Delivery, string]>([
    ['there is no such order', unknownOrder, 'pass'],
    [
      'that it is done, though there is nothing it could be done to',
      () => reply(200, { type: 'async-response', 'card-ref-id': '5' }),
      'warn',
    ],
    ['a wrong signature', no(400, 'OAuth signature is invalid'), 'fail'],
    ['HTTP 403', no(403, 'order not found'), 'fail'],
    ['that the endpoint does not take this operation', no(400, 'operation is not supported by this endpoint'), 'warn'],
    [
      'HTTP 404 without a record',
      () => ({ kind: 'reply', reply: { status: 404, headers: {}, body: new Uint8Array() } }),
      'warn',
    ],
  ])('the RSA key, told of %s', async (_, answer, result) => {
    const isRepeated = result === 'warn' && JSON.stringify(answer()).includes('"status":404');
    const { found } = await answered(isRepeated ? [answer, answer, answer] : [answer]);
    expect(found('rsa online').result, found('rsa online').text).toBe(result);
  });

  test.each([
    [
      'end point with id 1144 not found',
      /check base-url and endpoint 1144: `paycli profile show --origins --profile shop`/,
    ],
    ['merchant is blocked', /the key may be correct: first fix what the gateway complains about/],
    ['OAuth signature is invalid', /the gateway must have the public key that matches this one/],
  ])('"%s": the key is to blame only where the gateway says so', async (words, next) => {
    const { found } = await answered([no(400, words)]);
    expect(found('rsa online').next).toMatch(next);
  });

  test('where a card reference takes the card itself, no RSA question is safe, which is said', async () => {
    const { home } = homeWithKeys({ more: ['assume: { card-ref-source: card-data }'] });
    const { found } = await doctor({ home, network: [dated, unknownOrder, no(400, 'card reference not found')] });
    expect(found('rsa online')).toMatchObject({ result: 'skip', text: expect.stringContaining('card-ref-source') });
  });

  test('a key that cannot be read is not asked about', async () => {
    const { home } = homeWithKeys();
    chmodSync(join(home, 'control.key'), 0o644);
    const { results } = await doctor({ home, network: [dated, unknownOrder] });
    expect(results).toEqual(['control online: skip', 'hmac online: skip', 'rsa online: pass']);
  });
});
