import { expect, test } from 'vitest';
import { loadProfile } from '../../src/config/load-profile.js';
import type { Env } from '../../src/runtime/ports.js';
import { failure, makeFixture, userFile } from './support.js';

const connection = 'login: shop, endpoint-id: 1';

/** A file with one chosen profile, one known live gateway, one known test gateway and one live host. */
function fileWith(kind: string, baseUrl: string): string {
  return `
live-hosts: [Pay.Example.com, "other.example:8443"]
profiles:
  chosen: { class: ${kind}, base-url: "${baseUrl}", ${connection} }
  known-live: { class: live, base-url: https://gate.example/paynet, ${connection} }
  known-test: { class: test, base-url: https://try.example, ${connection} }
`;
}

const [known, other] = ['https://gate.example', 'https://else.example'];

type Case = readonly [kind: string, url: string, env: Env, result: string];
const cases: readonly Case[] = [
  ['test', 'https://new.example', {}, 'test'],
  ['test', 'http://127.0.0.1:8080', {}, 'test'],
  ['sandbox', 'http://localhost:1', {}, 'sandbox'],
  ['test', known, {}, 'gate.example is live'],
  ['test', 'https://pay.example.com', {}, 'pay.example.com is live'],
  ['sandbox', 'https://new.example', {}, 'new.example is not this machine'],
  ['live', 'http://127.0.0.1:8080', {}, '127.0.0.1 is this machine'],
  ['live', 'https://try.example:9443', {}, 'try.example is a test host'],
  // A variable may raise the class, never lower it.
  ['test', 'https://new.example', { PAYCLI_CLASS: 'live' }, 'new.example is a test host'],
  ['test', 'https://new.example', { PAYCLI_CLASS: 'live', PAYCLI_BASE_URL: other }, 'live'],
  ['sandbox', 'http://127.0.0.1:1', { PAYCLI_CLASS: 'test' }, 'test'],
  ['live', 'https://new.example', { PAYCLI_CLASS: 'test' }, 'PAYCLI_CLASS=test cannot lower that'],
  // An address put in from outside.
  ['test', 'https://new.example', { PAYCLI_BASE_URL: known }, 'gate.example is live'],
  ['test', 'https://new.example', { PAYCLI_BASE_URL: other }, 'else.example, which counts as live'],
  ['test', 'https://new.example', { PAYCLI_BASE_URL: other, PAYCLI_CLASS: 'test' }, 'test'],
  ['live', 'https://new.example', { PAYCLI_BASE_URL: 'https://try.example' }, 'try.example is a test host'],
];

async function expectClass(load: () => ReturnType<typeof loadProfile>, result: string): Promise<void> {
  if (['sandbox', 'test', 'live'].includes(result)) {
    expect((await load()).profile?.class).toBe(result);
    return;
  }
  const error = await failure(load);
  expect(error).toMatchObject({ code: 'PROFILE_CLASS_MISMATCH', exit: 3 });
  expect(error.message).toContain(result);
}

test.each(cases)('class %o at %s with %o: %s', async (kind, url, env, result) => {
  const fixture = makeFixture();
  fixture.write(userFile, fileWith(kind, url));
  await expectClass(() => loadProfile({ profile: 'chosen' }, fixture.ports(env)), result);
});

const alone: ReadonlyArray<{ readonly url: string; readonly stated?: string; readonly result: string }> = [
  { url: 'http://127.0.0.1:8080', result: 'test' },
  { url: 'http://localhost:8080', stated: 'sandbox', result: 'sandbox' },
  { url: 'https://new.example', result: 'live' },
  { url: 'https://new.example', stated: 'test', result: 'test' },
  { url: 'https://localhost.evil.example', result: 'live' },
];

test.each(alone)('the environment alone at $url, class $stated: $result', async ({ url, stated, result }) => {
  const fixture = makeFixture();
  fixture.write(userFile, `default-profile: chosen${fileWith('test', 'https://sandbox.example')}`);
  const env = {
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: 'shop',
    PAYCLI_ENDPOINT_ID: '1',
    PAYCLI_CONTROL_KEY_FILE: '/k',
    PAYCLI_CLASS: stated,
  };
  await expectClass(() => loadProfile({}, fixture.ports(env)), result);
});
