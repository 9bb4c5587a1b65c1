import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { controlKey, homeWithProfile } from './profiles.js';
import { digestOf, hmacOf, put } from './signing-files.js';

const accept = 'Accept: application/vnd.pay+json';
const address = 'https://gate.example/prefix/api/v2/payout/1144';
const protocol = [
  ['oauth_consumer_key', 'my-shop'],
  ['oauth_nonce', 'n1'],
  ['oauth_signature_method', 'HMAC-SHA1'],
  ['oauth_timestamp', '1894017500'],
  ['oauth_version', '1.0'],
] as const;

/** A base string by the RFC, written down here a second time; `encode` is that of the values. */
function baseString(
  fields: readonly (readonly [string, string])[],
  encode: (value: string) => string = encodeURIComponent,
): string {
  const pairs = [
    ...fields.map(([name, value]) => `${name}=${encode(value)}`),
    ...protocol.map((pair) => pair.join('=')),
  ];
  return `POST&${encodeURIComponent(address)}&${encodeURIComponent(pairs.sort().join('&'))}`;
}

function request(fields: readonly (readonly [string, string])[], signature: string): string {
  const header = [...protocol, ['oauth_signature', signature] as const]
    .map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
    .join(', ');
  const body = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `POST ${address} HTTP/1.1\nAuthorization: OAuth ${header}\n${accept}\n\n${body}`;
}

const payout = [
  ['client_orderid', 'a b'],
  ['amount', '50.00'],
  ['currency', 'EUR'],
  ['receiver_phone', '+4930123456'],
] as const;

async function explained(text: string, more: readonly string[] = []) {
  const home = homeWithProfile();
  const argv = ['sign', 'verify', '--request-file', put(home, 'r', text), '--explain', ...more];
  const ran = await paycli(argv, { home });
  return { ...ran, home };
}

interface Row {
  readonly name: string;
  readonly status: string;
  readonly ours?: { readonly value: string; readonly signed: string; readonly at: number };
  readonly theirs?: { readonly value: string; readonly signed: string; readonly at: number };
}

async function rowsOf(text: string): Promise<readonly Row[]> {
  const { out } = await explained(text, ['--json']);
  return JSON.parse(out).explanation.parameters;
}

describe('their parameters beside ours', () => {
  test('a right request: every one is equal, and stands at its byte', async () => {
    const base = baseString(payout);
    const rows = await rowsOf(request(payout, hmacOf(base, `${controlKey}&`)));
    expect(rows.map(({ status }) => status)).toEqual(Array(9).fill('equal'));
    for (const { ours, theirs } of rows) {
      expect(theirs).toEqual(ours);
      expect(base.slice(ours?.at).startsWith(ours?.signed ?? '?')).toBe(true);
    }
    const own = rows.filter(({ name }) => name.startsWith('oauth_')).map(({ name, ours }) => [name, ours?.value]);
    expect(own).toEqual(protocol.map((pair) => [...pair]));
  });

  test('a blank signed as a plus sign: one is different, as they signed it', async () => {
    const plus = (value: string) => encodeURIComponent(value).replaceAll('%20', '+');
    const base = baseString(payout, plus);
    const ran = await explained(request(payout, hmacOf(base, `${controlKey}&`)));
    expect(ran.exit).toBe(11);
    expect(ran.out).toContain('Parameters, theirs next to ours');
    expect(ran.out).toMatch(/different: ours +client_orderid +a b +client_orderid%3Da%2520b +byte \d+\n/);
    expect(ran.out).toMatch(/different: theirs +client_orderid +a\+b +client_orderid%3Da%2Bb +byte \d+\n/);
    expect(ran.out).toMatch(/equal +oauth_nonce +n1 /);
    expect(ran.out).toContain('5 Base string');
  });

  test('an unsigned field is missing, and says so', async () => {
    const rows = await rowsOf(request(payout, hmacOf(baseString(payout.slice(0, 3)), `${controlKey}&`)));
    expect(rows.filter(({ status }) => status !== 'equal')).toMatchObject([
      { name: 'receiver_phone', status: 'missing', ours: { value: '+4930123456' } },
    ]);
  });

  test('a checksum: the value they joined beside ours', async () => {
    const wrong = digestOf(`1144902B4FF510.42jane@example.com${controlKey}`);
    const body = `client_orderid=902B4FF5&amount=10.42&currency=USD&email=jane%40example.com&control=${wrong}`;
    const ran = await explained(`POST https://gate.example/prefix/api/v2/sale/1144 HTTP/1.1\n${accept}\n\n${body}`);
    expect(ran.out).toMatch(/different: ours +amount +1042 +1042 +byte 12\n/);
    expect(ran.out).toMatch(/different: theirs +amount +10\.42 +10\.42 +byte 12\n/);
    expect(ran.out).toMatch(/equal +email +jane@example\.com +jane@example\.com +byte 16\n/);
    expect(ran.out).not.toContain(controlKey);
  });

  test('outside the sandbox card data is masked, and no stage that holds it is written', async () => {
    const fields = [...payout, ['credit_card_number', '4444333322221111']] as const;
    const text = request(fields, hmacOf(baseString(fields), `${controlKey}&`));
    const ran = await explained(text);
    expect(ran.exit).toBe(0);
    expect(ran.out + ran.err).not.toMatch(/4444|3333|2222|\*\*\*/);
    expect(ran.out).toMatch(/equal +credit_card_number +•••• 1111 +credit_card_number%3D•••• 1111 +byte 112\n/);
    // Whoever has the digest of a text with a card number in it finds the number by trying.
    const json = JSON.parse((await explained(text, ['--json'])).out).explanation;
    expect(Object.keys(json.sha256)).toEqual(['address', 'signature', 'authorization']);
    expect(json.stages.baseString).toContain('%26credit_card_number%3D•••• 1111%26currency%3DEUR');
    expect(ran.out).not.toContain(createHash('sha256').update(baseString(fields)).digest('hex'));
    const stage = await explained(text, ['--stage', 'base-string']);
    expect([stage.exit, stage.out]).toEqual([2, '']);
    expect(stage.err).toContain('base-string holds card data');
  });
});

const operation = ['sign', 'payout', '--client-order-id', 'a b', '--amount', '50', '--currency', 'EUR'];
const flags = [...operation, '--card-number', '4444333322221111', '--nonce', 'n1', '--timestamp', '1894017500'];

describe('one stage', () => {
  test('its bytes and nothing else; nonce and timestamp are those of the flags', async () => {
    const home = temporaryHome();
    const { signature } = JSON.parse((await paycli([...flags, '--json'], { home })).out);
    expect(signature.header).toMatch(/oauth_nonce="n1".*oauth_timestamp="1894017500"/);
    for (const [stage, text] of [
      ['base-string', signature.baseString],
      ['parameters', signature.parts.parameters],
      ['address', signature.parts.url],
      ['signature', signature.signature],
      ['authorization', signature.header],
    ])
      expect((await paycli([...flags, '--stage', stage], { home })).out).toBe(text);
    const other = await paycli([...flags, '--stage', 'control'], { home });
    expect(other.exit).toBe(2);
    expect(other.err).toContain(
      'control is not a stage of this signature; its stages are parameters, address, base-string',
    );
  });
});

describe('the openssl commands, run by a shell', () => {
  /** Writes the stages and the keys into a folder and runs the commands for each stage there. */
  async function madeAgain(
    argv: readonly string[],
    home: string,
    key: { readonly name: string; readonly text: string },
  ) {
    const folder = mkdtempSync(join(tmpdir(), 'paycli-openssl-'));
    const { sha256, openssl } = JSON.parse((await paycli([...argv, '--explain', '--json'], { home })).out);
    put(folder, key.name, key.text);
    const texts: Record<string, string> = {};
    for (const stage of Object.keys(sha256)) {
      texts[stage] = (await paycli([...argv, '--stage', stage], { home })).out;
      put(folder, `${stage}.txt`, texts[stage] ?? '');
    }
    const results = openssl.map(({ stage, lines }: { stage: string; lines: string[] }) => {
      expect(lines.join('\n')).not.toContain(controlKey);
      return [stage, String(execFileSync('sh', ['-eu'], { cwd: folder, input: lines.join('\n'), stdio: 'pipe' }))];
    });
    return { texts, sha256, results: Object.fromEntries(results) as Record<string, string> };
  }

  test.each([
    ['', controlKey],
    ['a key that has to be encoded', "sh'p & Co/ü~"],
    ['a key of more than 64 bytes', 'k'.repeat(70)],
  ])('HMAC-SHA1 %s', async (_, key) => {
    const home = homeWithProfile();
    const argv = ['sign', 'raw', '--url', address, '--signature-method', 'HMAC-SHA1', '--consumer-key', 'me'];
    const given = [...argv, '--nonce', 'n', '--timestamp', '1', '--key-file', put(home, 'k', key)];
    const base = (await paycli([...given, '--stage', 'base-string'], { home })).out;
    const folder = mkdtempSync(join(tmpdir(), 'paycli-openssl-'));
    put(folder, 'base-string.txt', base);
    put(folder, 'control.key', `${key}\n`);
    const { hmacCommand } = await import('../../src/signing/diagnose/openssl-commands.js');
    const script = hmacCommand(key).lines.join('\n');
    const made = String(execFileSync('sh', ['-eu'], { cwd: folder, input: script, stdio: 'pipe' }));
    expect(made).toBe((await paycli([...given, '--stage', 'signature'], { home })).out);
    const encoded = encodeURIComponent(key).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
    expect(made).toBe(hmacOf(base, `${encoded}&`));
  });

  test('every stage of a payout', async () => {
    const home = homeWithProfile();
    const argv = [
      ...operation,
      '--receiver-phone',
      '+4930123456',
      '--bank-id',
      '1',
      '--nonce',
      'n1',
      '--timestamp',
      '1894017500',
    ];
    const { texts, sha256, results } = await madeAgain(argv, home, { name: 'control.key', text: `${controlKey}\n` });
    expect(results['signature']).toBe(texts['signature']);
    for (const stage of ['parameters', 'address', 'base-string', 'authorization']) {
      expect(results[stage]).toContain(sha256[stage]);
      expect(
        createHash('sha256')
          .update(texts[stage] ?? '')
          .digest('hex'),
      ).toBe(sha256[stage]);
    }
  });

  test('the control of a sale', async () => {
    const home = homeWithProfile();
    const argv = ['sign', 'status', '--client-order-id', '902B4FF5', '--order-id', '17'];
    const { texts, results } = await madeAgain(argv, home, { name: 'control.key', text: `${controlKey}\r\n` });
    expect(results['control']?.trim()).toBe(texts['control']);
    expect(results['control']?.trim()).toMatch(/^[0-9a-f]{40}$/);
  });
});
