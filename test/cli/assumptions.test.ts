import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examplesOf } from '../support/declared.js';
import { paycli, type Ran, type TestOptions, temporaryHome } from '../support/runtime.js';
import { homeWithProfile } from './profiles.js';

const fileOf = (home: string) => join(home, 'config', 'config.yaml');
const textOf = (home: string) => readFileSync(fileOf(home), 'utf8');
const set = (home: string, words: readonly string[], more: TestOptions = {}): Promise<Ran> =>
  paycli(['assumptions', 'set', ...words], { home, ...more });

async function inForce(home: string, id: string): Promise<readonly [value: string, origin: string]> {
  const { out } = await paycli(['assumptions', 'list', '--json'], { home });
  const rows: readonly { id: string; value: string; origin: string }[] = JSON.parse(out).assumptions;
  const row = rows.find((each) => each.id === id);
  return [row?.value ?? '', row?.origin ?? ''];
}

describe('set', () => {
  test('writes the switch, and says what it was, what it is and what depends on it', async () => {
    const home = homeWithProfile();
    const before = textOf(home);
    const ran = await set(home, ['control-encoding=hex-upper', 'A09=login+cardrefid']);
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.out).toContain('A01 control-encoding: hex-lower (the default) → hex-upper\n');
    expect(ran.out).toContain('A09 card-info-control: omit (the default) → login+cardrefid\n');
    expect(ran.out).toContain('affects: card-ref info\n');
    expect(textOf(home)).toBe(
      `${before}    assume:\n      control-encoding: hex-upper\n      card-info-control: "login+cardrefid"\n`,
    );
    expect(await inForce(home, 'A01')).toEqual(['hex-upper', expect.stringContaining('config.yaml')]);
    const signed = await paycli(['sign', 'status', '1', '--client-order-id', 'a', '--json'], { home });
    expect(JSON.parse(signed.out).signature.digest).toMatch(/^[\dA-F]{40}$/);
  });

  test('--json is one document; what is so already is not written', async () => {
    const home = homeWithProfile({ more: ['assume: { A01: hex-upper }'] });
    const before = textOf(home);
    const ran = await set(home, ['control-encoding=hex-upper', '--unset', 'body-amount', '--json']);
    expect(JSON.parse(ran.out)).toMatchObject({
      schema: 'paycli.assumptions-set/1',
      profile: 'shop',
      file: fileOf(home),
      switches: [
        { id: 'A01', switch: 'control-encoding', before: 'hex-upper', after: 'hex-upper', changed: false },
        {
          id: 'A03',
          before: null,
          after: null,
          default: 'decimal',
          changed: false,
          acts: 'both',
          dependents: expect.any(Array),
        },
      ],
    });
    expect(textOf(home)).toBe(before);
  });

  test('--unset takes it out, the last one with the word above it', async () => {
    const home = homeWithProfile({ more: ['assume:', '  A01: hex-upper # they said so', '  body-amount: minor'] });
    const one = await set(home, ['--unset', 'A03']);
    expect([one.exit, one.out]).toEqual([0, expect.stringContaining('A03 body-amount: minor → decimal (the default)')]);
    expect(textOf(home)).toContain('    assume:\n      A01: hex-upper # they said so\n');
    expect(textOf(home)).not.toContain('body-amount');
    expect((await set(home, ['--unset', 'control-encoding'])).exit).toBe(0);
    expect(textOf(home)).toBe(
      textOf(homeWithProfile()).replace(/control-key-file: .*/, /control-key-file: .*/.exec(textOf(home))?.[0] ?? ''),
    );
  });

  test.each<readonly [what: string, lines: readonly string[], after: string]>([
    [
      'on one line',
      ['assume: { A01: hex-upper, body-amount: minor } # of the gateway'],
      'assume: # of the gateway\n      A01: base64\n      body-amount: minor\n',
    ],
    [
      'by its id, with a remark',
      ['assume:', '  # theirs', '  A01: hex-upper  # since May', '  A03: minor'],
      'assume:\n      # theirs\n      A01: base64  # since May\n      A03: minor\n',
    ],
    ['empty', ['assume: {}'], 'assume:\n      control-encoding: base64\n'],
    [
      'above other keys',
      ['assume:', '  A03: minor', 'ca-file: ca.pem'],
      'assume:\n      A03: minor\n      control-encoding: base64\n    ca-file: ca.pem\n',
    ],
  ])('changes what stands there %s, and nothing else', async (_, more, after) => {
    const home = homeWithProfile({ more });
    const [head] = textOf(home).split('    assume');
    const ran = await set(home, ['control-encoding=base64']);
    expect(ran.exit, ran.err).toBe(0);
    expect(textOf(home)).toBe(`${head}    ${after}`);
  });

  test('what is written in a way no line shows is left alone, with what to write by hand', async () => {
    const home = homeWithProfile({ more: ['assume: { A01: hex-upper, A04: { JPY: 2 } }'] });
    const before = textOf(home);
    const ran = await set(home, ['control-encoding=base64']);
    expect([ran.exit, ran.err]).toEqual([3, expect.stringContaining('add under profiles.shop.assume: A01: "base64"')]);
    expect(textOf(home)).toBe(before);
  });

  test('in a JSON file', async () => {
    const home = homeWithProfile();
    const shop = {
      class: 'test',
      'base-url': 'https://gate.example',
      login: 'my-shop',
      'endpoint-id': '1144',
      'control-key-file': 'key',
    };
    unlinkSync(fileOf(home));
    const path = join(home, 'config', 'config.json');
    writeFileSync(path, JSON.stringify({ 'default-profile': 'shop', profiles: { shop } }));
    expect((await set(home, ['A04=JPY=2,4001/KWD=2'])).exit).toBe(0);
    expect(JSON.parse(readFileSync(path, 'utf8')).profiles.shop).toEqual({
      ...shop,
      assume: { 'minor-digits': 'JPY=2,4001/KWD=2' },
    });
  });

  test('of another profile than the one in force', async () => {
    const home = homeWithProfile();
    const lines = textOf(home).split('\n').slice(3).join('\n');
    const before = `default-profile: other\nprofiles:\n  other:\n${lines}  shop:\n${lines}`;
    writeFileSync(fileOf(home), before);
    expect((await set(home, ['body-amount=minor', '--profile', 'shop'])).out).toContain('profile shop, ');
    expect(textOf(home)).toBe(`${before}    assume:\n      body-amount: minor\n`);
  });

  test('warns where a project file goes before it', async () => {
    const home = homeWithProfile();
    const project = join(home, '.paycli.yaml');
    const lines = textOf(home).split('\n').slice(1).join('\n');
    writeFileSync(project, `${lines}    assume: { body-amount: decimal }\n`);
    expect((await paycli(['config', 'trust', project], { home })).exit).toBe(0);
    const ran = await set(home, ['body-amount=minor']);
    expect([ran.exit, ran.err]).toEqual([
      0,
      expect.stringMatching(/another setting takes precedence here: body-amount is decimal, set by .*\.paycli\.yaml/),
    ]);
    expect(textOf(home)).toContain('body-amount: minor');
  });
});

describe('is refused', () => {
  test('with everything that is wrong, and nothing is written', async () => {
    const home = homeWithProfile();
    const before = textOf(home);
    const words = [
      'control-encodin=hex-upper',
      'control-encoding=hex-uper',
      'A02=latin-1',
      'body-amount',
      'A03=minor',
      '--unset',
      'body-amount',
      '--unset',
      'A99',
    ];
    const ran = await set(home, words);
    expect(ran.exit).toBe(2);
    for (const line of [
      'there is no assumption control-encodin; did you mean control-encoding?',
      'control-encoding: use one of hex-lower, hex-upper, base64; did you mean hex-upper?',
      'control-charset: use utf-8 (the only value)',
      'body-amount is not SWITCH=VALUE',
      'body-amount is given twice',
      'there is no assumption A99',
    ])
      expect(ran.err).toContain(line);
    expect(textOf(home)).toBe(before);
    expect((await set(home, [])).err).toContain('use SWITCH=VALUE, or --unset SWITCH');
  });

  test('for the built-in sandbox, with what to do instead', async () => {
    const ran = await set(temporaryHome(), ['body-amount=minor']);
    expect([ran.exit, ran.err]).toEqual([
      2,
      expect.stringMatching(/the built-in sandbox has no profile.*`paycli sandbox start --assume SWITCH=VALUE`/),
    ]);
    expect((await set(homeWithProfile(), ['body-amount=minor', '--profile', 'sandbox'])).err).toContain(
      'the built-in sandbox has no profile',
    );
  });

  test('for a connection that stands in no user file', async () => {
    const env = {
      PAYCLI_BASE_URL: 'http://127.0.0.1:1',
      PAYCLI_LOGIN: 'shop',
      PAYCLI_ENDPOINT_ID: '1',
      PAYCLI_CONTROL_KEY_FILE: 'key',
    };
    const ran = await set(temporaryHome(), ['body-amount=minor'], { env });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringMatching(/is not in the user file.*PAYCLI_BASE_URL/)]);
    expect((await set(homeWithProfile(), ['body-amount=minor', '--profile', 'shp'])).err).toContain(
      'did you mean shop?',
    );
  });
});

describe('with a live profile', () => {
  const words = ['payout-pay=accepted'];

  test('a terminal asks, and a no changes nothing', async () => {
    const home = homeWithProfile({ class: 'live' });
    const before = textOf(home);
    const no = await set(home, words, { tty: true, answers: [['assume', 'no']] });
    expect([no.exit, no.err, textOf(home)]).toEqual([10, expect.stringContaining('nothing was changed'), before]);
    const yes = await set(home, words, { tty: true, answers: [['assume', 'yes']] });
    expect(yes.exit, yes.err).toBe(0);
    expect(yes.questions[0]?.message).toBe('profile shop is live: set payout-pay accepted?');
    expect((await inForce(home, 'A08'))[0]).toBe('accepted');
  });

  test('a script says --yes', async () => {
    const home = homeWithProfile({ class: 'live' });
    const refused = await set(home, words);
    expect([refused.exit, refused.err]).toEqual([10, expect.stringContaining('add --yes')]);
    expect((await set(home, [...words, '--yes'])).exit).toBe(0);
    // Nothing to change, so nothing to ask.
    expect((await set(home, words)).exit).toBe(0);
  });
});

test('the examples run, one after the other', async () => {
  const home = homeWithProfile();
  writeFileSync(
    fileOf(home),
    textOf(home)
      .replaceAll(/\bshop(?=:|$)/gm, 'shop-test')
      .replace('default-profile: shop\n', 'default-profile: shop-test\n'),
  );
  for (const line of await examplesOf('assumptions')) {
    const ran = await paycli(line.split(' '), { home });
    expect(ran.exit, `${line}\n${ran.err}`).toBe(0);
  }
  expect((await inForce(home, 'A03'))[0]).toBe('minor');
});
