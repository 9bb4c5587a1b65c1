// @module-tag curl
// @module-tag openssl
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from './shop.js';

const script = fileURLToPath(new URL('curl-flow.sh', import.meta.url));
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);

afterAll(async () => {
  await gateway.close();
});

test('sh, curl and openssl alone go through 3-D Secure, a capture, a partial return and a payout', {
  timeout: 60_000,
}, () => {
  const { PATH = '' } = process.env;
  const ran = spawnSync('sh', [script, gateway.url, 'shop', '5001', gateway.keys.control], {
    encoding: 'utf8',
    env: { PATH },
  });
  expect(ran.stderr).toBe('');
  expect(ran.stdout.trim().split('\n')).toEqual([
    '3-D Secure sale CReqForm approved',
    'hold approved',
    'capture approved',
    'return approved reversal 5.50',
    'payout approved',
  ]);
  expect(ran.status).toBe(0);
});
