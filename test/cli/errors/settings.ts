import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlKey, rsaKey } from '../profiles.js';
import type { ErrorCase } from './error-case.js';

const ask = ['status', '12345', '--client-order-id', '902B4FF5'];

function config(home: string, text: string): void {
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config', 'config.yaml'), text);
}

const two = `profiles:
  shop-test: { class: test, base-url: https://gate.example, login: shop, endpoint-id: 1, control-key: { file: key } }
  shop-live: { class: live, base-url: https://live.example, login: shop, endpoint-id: 1, control-key: { file: key } }
`;

/** Files, variables, profiles and keys. */
export const settings: readonly ErrorCase[] = [
  {
    code: 'CONFIG_INVALID',
    argv: ['profile', 'show', '--origins'],
    before: (home) =>
      config(
        home,
        'output: jsn\nprofil: shop\nprofiles:\n  shop: { class: tset, base_url: gate, assume: { control-encodin: base64 } }\n',
      ),
  },
  {
    code: 'CONFIG_EXPOSED',
    given: 'a configuration file that everybody may write',
    argv: ['profile', 'show', '--origins'],
    before: (home) => {
      config(home, two);
      chmodSync(join(home, 'config/config.yaml'), 0o666);
    },
  },
  {
    code: 'ENVIRONMENT_INVALID',
    argv: ['profile', 'show', '--origins'],
    options: () => ({
      env: { PAYCLI_CLASS: 'tset', PAYCLI_ENDPOINT_ID: '0', PAYCLI_OUTPUT: 'jsn', PAYCLI_TIMEOUT: '1m' },
    }),
  },
  {
    code: 'PROFILE_UNKNOWN',
    argv: ['profile', 'show', '--origins', '--profile', 'shop-tset'],
    before: (home) => config(home, two),
  },
  { code: 'PROFILE_NOT_CHOSEN', argv: ['profile', 'show', '--origins'], before: (home) => config(home, two) },
  {
    code: 'PROFILE_INCOMPLETE',
    argv: ['profile', 'show', '--origins'],
    options: () => ({ env: { PAYCLI_BASE_URL: 'https://gate.example' } }),
  },
  {
    code: 'PROFILE_CLASS_MISMATCH',
    profile: {},
    argv: ['profile', 'show', '--origins', '--base-url', 'https://other.example'],
  },
  {
    code: 'SECRET_UNREADABLE',
    profile: { withoutControlKey: true, more: ['control-key: { file: ../missing }'] },
    argv: ask,
  },
  {
    code: 'KEY_UNUSABLE',
    given: 'a key of 1024 bits',
    profile: {},
    argv: ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', 'HOME/short.pem'],
    before: (home) => copyKey('test-rsa-1024.pkcs8.pem', join(home, 'short.pem')),
  },
  {
    code: 'STATUS_UNSIGNABLE',
    profile: { withoutControlKey: true, asksFirst: true },
    argv: ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', 'HOME/rsa.pem'],
    before: rsaKey,
  },
  {
    code: 'CONFIRMATION_NEEDED',
    argv: ['profile', 'remove', 'shop-test'],
    before: (home) => {
      config(home, two);
      writeFileSync(join(home, 'config', 'key'), controlKey, { mode: 0o600 });
    },
  },
  {
    code: 'CANCELLED',
    given: 'the answer is no',
    argv: ['profile', 'remove', 'shop-test', '--no-color'],
    before: (home) => {
      config(home, two);
      writeFileSync(join(home, 'config', 'key'), controlKey, { mode: 0o600 });
    },
    options: () => ({ tty: true, answers: [['remove', 'no']] }),
  },
];

function copyKey(name: string, path: string): void {
  writeFileSync(path, readFileSync(join('test/vectors/keys', name)), { mode: 0o600 });
}
