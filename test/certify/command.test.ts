import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { answerOf } from '../../src/certify/driver.js';
import { Home } from '../e2e/home.js';

const home = new Home();
afterAll(() => home.remove());

/** A driver that says one thing whatever it is asked. */
const saying = (outcome: string) => ['sh', '-c', `echo '{"outcome": "${outcome}"}'`];
const only = (name: string) => ['certify', '--only', name];

describe('what a driver says', () => {
  test.each([
    ['its last line', 'hello\n{"outcome":"paid","orderId":"12"}\n', 5, { said: 'paid', orderId: '12' }],
    ['a number as the order id', '{"outcome":"declined","orderId":12}', 0, { said: 'declined', orderId: '12' }],
    ['no word of ours', '{"outcome":"approved"}', 0, { said: undefined, orderId: undefined }],
    ['no JSON, and an exit code', 'done', 5, { said: 'declined', orderId: undefined }],
    ['nothing, and an exit code of no outcome', '', 1, { said: undefined, orderId: undefined }],
    ['another object, and an exit code', '{"ok":true}', 8, { said: 'unknown', orderId: undefined }],
  ])('%s', (_, out, exit, expected) => {
    expect(answerOf(out, exit)).toEqual(expected);
  });
});

test('the exit codes, and the three reports', { timeout: 60_000 }, async () => {
  const [xml, html] = [join(home.path, 'c.xml'), join(home.path, 'c.html')];
  const good = await home.call([
    ...only('void-too-late'),
    '--junit',
    xml,
    '--html',
    html,
    '--json',
    '--',
    ...saying('refused'),
  ]);
  expect([good.exit, JSON.parse(good.out)]).toMatchObject([
    0,
    {
      ok: true,
      passed: 1,
      failed: 0,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      scenarios: [{ name: 'void-too-late', verdict: 'passed', said: ['refused'], movements: [], reasons: [] }],
    },
  ]);
  expect(readFileSync(xml, 'utf8')).toContain('tests="1" failures="0"');
  expect(readFileSync(html, 'utf8')).toContain('all 1 scenarios passed');

  const bad = await home.call([...only('approved'), '--junit', xml, '--', ...saying('paid')]);
  expect(bad.exit).toBe(11);
  expect(bad.out).toMatch(/^✗ +approved +paid +0 .*it reported paid, but no money moved/m);
  expect(readFileSync(xml, 'utf8')).toContain('failures="1"');

  const mute = await home.call([...only('approved'), '--', 'true', '--', 'x']);
  expect(mute.exit).toBe(11);
  expect((await home.call([...only('approved'), '--', 'sh', '-c', 'exit 1'])).exit).toBe(12);
  expect((await home.call([...only('approved'), '--', ...saying('unsupported')])).exit).toBe(12);
});

test('with a baseline only what got worse counts', { timeout: 60_000 }, async () => {
  const earlier = join(home.path, 'earlier.json');
  writeFileSync(earlier, (await home.call([...only('approved'), '--json', '--', ...saying('paid')])).out);
  const same = ['certify', '--only', 'approved,void-too-late', '--baseline', earlier, '--'];
  expect((await home.call([...same, ...saying('refused')])).exit).toBe(0);
  expect((await home.call([...same, ...saying('paid')])).exit).toBe(11);
  writeFileSync(earlier, '[]');
  expect(await home.call([...same, ...saying('paid')])).toMatchObject({
    exit: 2,
    err: expect.stringContaining('earlier.json'),
  });
});

test('what cannot be run is a mistake of the command line', async () => {
  const wrong = async (...words: readonly string[]) => (await home.call(['certify', ...words])).exit;
  expect(await wrong()).toBe(2);
  expect(await wrong('--only', 'aproved', '--', 'true')).toBe(2);
  expect(await wrong('--tag', 'fun', '--', 'true')).toBe(2);
  expect(await wrong('--only', 'approved', '--tag', '3ds', '--', 'true')).toBe(2);
  expect(await wrong('--handler', 'nowhere', '--', 'true')).toBe(2);
  expect(await wrong('--', '/no/such/program')).toBe(2);
  expect((await home.call(['certify', '--list', '--tag', '3ds'])).out).toMatch(/^3ds-challenge /m);
});

test('COMMAND never sees the profile, the journal or the keys of the user', { timeout: 60_000 }, async () => {
  const shows = 'env | grep -E "^(PAYCLI|CERTIFY)_" | sort >&2; echo "{\\"outcome\\":\\"refused\\"}"';
  const file = join(home.path, 'env');
  const ran = await home.call([...only('void-too-late'), '--', 'sh', '-c', `{ ${shows}; } 2>${file}`], {
    PAYCLI_PROFILE: 'shop',
    PAYCLI_LOGIN: 'live-shop',
  });
  expect(ran.exit).toBe(0);
  const seen = readFileSync(file, 'utf8');
  expect(seen).toContain('PAYCLI_LOGIN=sandbox\n');
  expect(seen).not.toContain('PAYCLI_PROFILE');
  expect(seen).not.toContain(home.state);
});
