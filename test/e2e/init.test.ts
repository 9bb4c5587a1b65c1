// @module-tag openssl
import { createHash, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Home, type Ran } from './home.js';
import { type Gateway, payerFlags, startGateway } from './shop.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);

const homes: Home[] = [];
afterAll(async () => {
  for (const home of homes) home.remove();
  const { exit, err } = await gateway.close();
  expect(exit, err).toBe(0);
});

function newHome(): Home {
  const home = new Home();
  homes.push(home);
  return home;
}

/** `init` for the merchant of the gateway, with `changed` of its settings. */
function init(
  home: Home,
  control: string,
  more: readonly string[] = [],
  changed: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const connection = {
    'base-url': gateway.url,
    login: 'shop',
    'endpoint-id': '5001',
    'control-key-file': control,
    ...changed,
  };
  const flags = Object.entries(connection).flatMap(([name, value]) => [`--${name}`, value]);
  return home.run(['init', '--name', 'mine', '--class', 'test', ...flags, ...more]);
}

test('a profile made by init is recognised, and pays', async () => {
  const home = newHome();
  const { control, pkcs8 } = gateway.keys;
  const made = await init(home, control, ['--private-key-file', pkcs8, '--json']);
  expect(made.exit, made.err).toBe(0);
  const document = JSON.parse(made.out);
  expect(document).toMatchObject({
    schema: 'paycli.init/1',
    ok: true,
    profile: 'mine',
    isDefault: true,
    check: { verdict: 'good' },
  });
  const der = createPublicKey(readFileSync(gateway.keys.publicKey, 'utf8')).export({ type: 'spki', format: 'der' });
  expect(document.privateKey.fingerprint).toBe(`SHA256:${createHash('sha256').update(der).digest('hex')}`);
  const card = ['--test-card', 'approved', '--redirect-url', 'https://shop.example/return'];
  const sale = await home.run([
    'sale',
    '--amount',
    '10.42',
    '--currency',
    'USD',
    ...card,
    ...payerFlags,
    '--wait',
    '--json',
  ]);
  expect(sale.exit, sale.err).toBe(0);
  expect(JSON.parse(sale.out)).toMatchObject({ profile: 'mine', result: { status: 'approved' } });
});
