import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { controlKey, homeWithProfile } from './profiles.js';
import { hmacOf, put } from './signing-files.js';

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
    const { sha256, openssl } = JSON.parse((await paycli([...argv, '--json'], { home })).out);
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
    ['a key that has to be encoded', "sh'p & Co/ü~"],
    ['a key of more than 64 bytes', 'k'.repeat(70)],
  ])('HMAC-SHA1 with %s', async (_, key) => {
    const home = homeWithProfile();
    put(home, 'control.key', `${key}\n`);
    const argv = ['sign', 'payout', '--client-order-id', 'a', '--amount', '5', '--currency', 'EUR'];
    const open = [...argv, '--receiver-phone', '+4930123456', '--bank-id', '1', '--nonce', 'n', '--timestamp', '1'];
    const { texts, results } = await madeAgain(open, home, { name: 'control.key', text: `${key}\n` });
    const encoded = encodeURIComponent(key).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
    expect(results['signature']).toBe(hmacOf(texts['base-string'] ?? '', `${encoded}&`));
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
