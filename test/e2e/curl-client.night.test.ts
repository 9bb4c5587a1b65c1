// @module-tag curl
// @module-tag openssl
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from './shop.js';

const script = fileURLToPath(new URL('curl-client.sh', import.meta.url));
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);

afterAll(async () => {
  await gateway.close();
});

function client(login: string, keyFile: string) {
  const { PATH = '' } = process.env;
  return spawnSync('sh', [script, gateway.url, login, '5001', keyFile], { encoding: 'utf8', env: { PATH } });
}

test('a client of sh, curl and openssl makes a sale and a payout', () => {
  const { status, stdout, stderr } = client('shop', gateway.keys.control);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^sale \d+ approved\npayout \d+ approved\n$/);
  expect(status).toBe(0);
});

test('and is refused with another key', () => {
  const { status, stdout, stderr } = client('shop', gateway.keys.otherControl);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^\/api\/v2\/sale: .*INVALID_CONTROL_CODE.*\n400\n$/);
});
