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

const cases: ReadonlyArray<{
  readonly kind: string;
  readonly url: string;
  readonly env?: Env;
  readonly result: string;
}> = [
  { kind: 'test', url: 'https://new.example', result: 'test' },
  { kind: 'test', url: 'http://127.0.0.1:8080', result: 'test' },
  { kind: 'sandbox', url: 'http://localhost:1', result: 'sandbox' },
  { kind: 'live', url: 'https://new.example', result: 'live' },
  { kind: 'test', url: 'https://gate.example', result: 'gate.example is live' },
  { kind: 'test', url: 'https://GATE.example:8443/other', result: 'gate.example is live' },
  { kind: 'test', url: 'https://gate.example./', result: 'gate.example is live' },
  { kind: 'test', url: 'https://pay.example.com', result: 'pay.example.com is live' },
  { kind: 'test', url: 'https://other.example', result: 'other.example is live' },
  { kind: 'sandbox', url: 'https://new.example', result: 'new.example is not this machine' },
  { kind: 'live', url: 'http://127.0.0.1:8080', result: '127.0.0.1 is this machine' },
  { kind: 'live', url: 'https://[::1]:8443', result: '[::1] is this machine' },
  { kind: 'live', url: 'https://try.example:9443', result: 'try.example is a test host' },
  // A variable may raise the class, never lower it.
  { kind: 'test', url: 'https://new.example', env: { PAYCLI_CLASS: 'live' }, result: 'new.example is a test host' },
  {
    kind: 'test',
    url: 'https://new.example',
    env: { PAYCLI_CLASS: 'live', PAYCLI_BASE_URL: 'https://else.example' },
    result: 'live',
  },
  { kind: 'sandbox', url: 'http://127.0.0.1:1', env: { PAYCLI_CLASS: 'test' }, result: 'test' },
  {
    kind: 'live',
    url: 'https://new.example',
    env: { PAYCLI_CLASS: 'test' },
    result: 'PAYCLI_CLASS=test cannot lower that',
  },
  { kind: 'live', url: 'https://new.example', env: { PAYCLI_CLASS: 'sandbox' }, result: 'cannot lower that' },
  { kind: 'test', url: 'http://127.0.0.1:1', env: { PAYCLI_CLASS: 'live' }, result: '127.0.0.1 is this machine' },
  // An address put in from outside.
  {
    kind: 'test',
    url: 'https://new.example',
    env: { PAYCLI_BASE_URL: 'https://gate.example' },
    result: 'gate.example is live',
  },
  {
    kind: 'test',
    url: 'https://new.example',
    env: { PAYCLI_BASE_URL: 'https://else.example' },
    result: 'else.example, which counts as live',
  },
  {
    kind: 'test',
    url: 'https://new.example',
    env: { PAYCLI_BASE_URL: 'https://else.example', PAYCLI_CLASS: 'test' },
    result: 'test',
  },
  { kind: 'test', url: 'https://new.example', env: { PAYCLI_BASE_URL: 'https://new.example/v2' }, result: 'test' },
  { kind: 'test', url: 'https://new.example', env: { PAYCLI_BASE_URL: 'https://try.example' }, result: 'test' },
  { kind: 'test', url: 'https://new.example', env: { PAYCLI_BASE_URL: 'http://127.0.0.1:1' }, result: 'test' },
  { kind: 'live', url: 'https://new.example', env: { PAYCLI_BASE_URL: 'https://else.example' }, result: 'live' },
  {
    kind: 'live',
    url: 'https://new.example',
    env: { PAYCLI_BASE_URL: 'https://try.example' },
    result: 'try.example is a test host',
  },
];

test.each(cases)('class $kind at $url with $env: $result', async ({ kind, url, env = {}, result }) => {
  const fixture = makeFixture();
  fixture.write(userFile, fileWith(kind, url));
  const load = () => loadProfile({ profile: 'chosen' }, fixture.ports(env));
  if (['sandbox', 'test', 'live'].includes(result)) {
    expect((await load()).profile?.class).toBe(result);
    return;
  }
  const error = await failure(load);
  expect(error).toMatchObject({ code: 'PROFILE_CLASS_MISMATCH', exit: 3 });
  expect(error.message).toContain(result);
});

const alone: ReadonlyArray<{ readonly url: string; readonly stated?: string; readonly result: string }> = [
  { url: 'http://127.0.0.1:8080', result: 'test' },
  { url: 'http://localhost:8080', stated: 'sandbox', result: 'sandbox' },
  { url: 'https://new.example', result: 'live' },
  { url: 'https://new.example', stated: 'live', result: 'live' },
  { url: 'https://new.example', stated: 'test', result: 'test' },
  { url: 'https://localhost.evil.example', result: 'live' },
  { url: 'https://gate.example', stated: 'test', result: 'gate.example is live' },
  { url: 'https://try.example', result: 'try.example is a test host' },
  { url: 'http://127.0.0.1:8080', stated: 'live', result: 'is this machine' },
  { url: 'https://new.example', stated: 'sandbox', result: 'is not this machine' },
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
  const load = () => loadProfile({}, fixture.ports(env));
  if (['sandbox', 'test', 'live'].includes(result)) {
    expect((await load()).profile).toMatchObject({ name: 'environment', class: result });
    return;
  }
  const error = await failure(load);
  expect(error).toMatchObject({ code: 'PROFILE_CLASS_MISMATCH', exit: 3 });
  expect(error.message).toContain(result);
});
