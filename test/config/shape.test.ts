import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContent } from '../../src/config/content.js';
import { fieldNamed } from '../../src/config/entries.js';
import { loadProfile } from '../../src/config/load-profile.js';
import { allOperations } from '../../src/spec/index.js';
import { processorTime } from '../support/processor-time.js';
import { failure, makeFixture, shop, userFile } from './support.js';

const canary = 'AF4B9B1A-CANARY-KEY';

/** Each is put into the profile of a file that is right otherwise. */
const wrongInProfile: ReadonlyArray<readonly [line: string, ...said: string[]]> = [
  ['base_url: https://x.example', 'profiles.shop-test.base_url is unknown; did you mean base-url?'],
  ['__proto__: { class: live }', 'profiles.shop-test.__proto__ is unknown'],
  [`"-----BEGIN PRIVATE KEY-----${canary}": x`, 'looks like a key'],
  // One form for each secret, and never the secret itself.
  [`private-key: ${canary}`, 'private-key: use one of { file: PATH }', 'does not belong in a configuration file'],
  ['private-key: { fd: 1 }', 'private-key: use the number of an open descriptor, 3 or above'],
  [`private-key: { env: "${canary}" }`, 'private-key: use the name of an environment variable'],
  [`private-key: { file: "-----BEGIN PRIVATE KEY-----${canary}" }`, 'private-key contains PEM text'],
  [`journal: "postgres://paycli:${canary}@db.example/payments"`, 'journal has a password in it'],
  [`journal: "postgres://paycli@db.example/payments?password=${canary}"`, 'journal has a password in it'],
  ['defaults: { cvv2: "123" }', 'defaults.cvv2 is card data', '--input'],
  ['defaults: { currency: eur }', 'defaults.currency: use a three-letter ISO 4217 code'],
  ['assume: { control-encoding: hex }', 'assume.control-encoding: use one of hex-lower, hex-upper, base64'],
  ['assume: { A01: hex-upper, control-encoding: base64 }', 'set twice'],
  ['endpoints: { EUR: "9223372036854775808" }', 'endpoints.EUR', 'above zero that fits 64 bits'],
  ['max-amount: 500', 'max-amount: use text such as "500.00 EUR"'],
  ['max-total-per-day: ["5.00 EUR", "6.00 EUR"]', 'max-total-per-day names EUR twice'],
  ['redirect-url: javascript:alert(1)', 'redirect-url: use an http or https address'],
];

describe('a profile', () => {
  test.each(wrongInProfile)('%s is not allowed', async (line, ...said) => {
    const fixture = makeFixture();
    fixture.write(userFile, `${shop}    ${line}\n`);
    const error = await failure(() => loadProfile({}, fixture.ports()));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exit: 3 });
    for (const text of [fixture.user, ...said]) expect(error.message).toContain(text);
    expect(error.seen).not.toContain(canary);
    expect(error.seen).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});

const wrong: ReadonlyArray<readonly [text: string, ...said: string[]]> = [
  ['profile: {}', 'profile is unknown; did you mean profiles?'],
  ['profiles: { a: { login: x } }', 'profiles.a has no class'],
  ['profiles: { "a b": { class: test } }', 'has an invalid name: use at most 64 letters'],
  ['profiles: { a: { class: test, base-url: http://gate.example } }', 'profiles.a.base-url', 'plain http'],
  ['profiles: { a: { class: test, base-url: "https://u:hunter2@gate.example" } }', 'profiles.a.base-url'],
  ['timeout: 0', 'timeout: use a duration such as 500ms, 30s, 2m, 1h or 7d, or a whole number of seconds'],
  ['live-hosts: ["https://gate.example/x"]', 'live-hosts: use a list of host names'],
  ['a: 1\nb: 2\noutput: jsn', '3 problems:\n  a is unknown\n  b is unknown\n  output: use'],
];

test.each(wrong)('%j is not allowed', async (text, ...said) => {
  const fixture = makeFixture();
  fixture.write(userFile, text);
  const error = await failure(() => loadProfile({}, fixture.ports()));
  expect(error.code).toBe('CONFIG_INVALID');
  for (const words of said) expect(error.message).toContain(words);
  expect(error.seen).not.toContain('hunter2');
});

test('aliases that unfold without end are no burden', async () => {
  const fixture = makeFixture();
  const levels = Array.from({ length: 7 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(40)}]`);
  const uses = 'profiles: { a: { class: test, assume: { A01: *l7, minor-digits: { JPY: *l7 } } } }';
  fixture.write(userFile, ['l0: &l0 [x, x]', ...levels, uses].join('\n'));
  const took = processorTime();
  expect(await failure(() => loadProfile({}, fixture.ports()))).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(took()).toBeLessThan(3000);
});

test('whatever stands in a file, the answer is its content or CONFIG_INVALID', async () => {
  const { files } = makeFixture().ports();
  const keys = [
    'profiles',
    'defaults',
    'assume',
    'endpoints',
    'class',
    'endpoint-id',
    'live-hosts',
    'a',
    '__proto__',
    '\u001b[2J',
  ];
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue(),
      fc.constantFrom('test', 'EUR', '4001', 4001),
      tie('mapping'),
      fc.array(tie('value')),
    ),
    mapping: fc.dictionary(fc.constantFrom(...keys), tie('value')),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (data) => {
      try {
        readContent({ path: '/c.json', text: '', data }, files);
      } catch (error) {
        expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
      }
    }),
  );
});

test('every field is found by its key, its flag and its wire name, and none by the name of another', () => {
  for (const { fields } of allOperations) {
    for (const [key, { wire }] of Object.entries(fields)) {
      const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      expect([key, flag, wire].map((name) => fieldNamed(name)?.key)).toEqual([key, key, key]);
    }
  }
});
