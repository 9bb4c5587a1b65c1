// @module-tag python3
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { answerOf, shownErrors } from '../../src/certify/driver.js';
import { eventually, Home } from '../e2e/home.js';

const home = new Home();
afterAll(() => home.remove());

/** A driver that says one thing whatever it is asked. */
const saying = (outcome: string) => ['sh', '-c', `echo '{"outcome": "${outcome}"}'`];
const only = (name: string) => ['certify', '--only', name];

describe('what a driver says', () => {
  test.each([
    ['its last line', 'hello\n{"outcome":"paid","orderId":12}\n', 5, { outcome: 'paid', orderId: '12' }],
    ['no JSON, and an exit code', 'done', 5, { outcome: 'declined' }],
    ['another object, and an exit code', '{"ok":true}', 8, { outcome: 'unknown' }],
    ['nothing, and an exit code', '\n', 0, { outcome: 'paid' }],
  ])('%s', (_, out, exit, expected) => {
    expect(answerOf(out, exit)).toMatchObject({ problem: undefined, ...expected });
  });

  test.each([
    ['another word', '{"outcome":"approved"}', 0, 'the outcome in the last line is no known word; print'],
    ['half an object', '{"outcome":"paid"', 0, 'the last line of its output begins with { but is not JSON'],
    ['an exit code of no outcome', 'x', 1, 'exit code 1 stands for no outcome; print'],
  ])('%s cannot be judged', (_, out, exit, problem) => {
    expect(answerOf(out, exit)).toMatchObject({ outcome: undefined, problem: expect.stringContaining(problem) });
  });
});

test('of its standard error the last five lines are shown, without cards, codes and keys', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const text = `a\nb\n${pem}\r\ncard 4444 3333 2222 1111, cvv 123\n\nkey s3cret\nend\u001b[2J\n`;
  expect(shownErrors(text, 's3cret')).toEqual(['b', '•••', 'card •••• 1111, cvv •••', 'key •••', 'end\\u{1b}[2J']);
});

test('the exit codes, and the reports', { timeout: 60_000 }, async () => {
  const xml = join(home.path, 'c.xml');
  const good = await home.call([
    ...only('other-host-certificate'),
    '--junit',
    xml,
    '--json',
    '--',
    ...saying('refused'),
  ]);
  expect([good.exit, JSON.parse(good.out)]).toMatchObject([
    0,
    {
      ...{ ok: true, passed: 1, failed: 0 },
      scenarios: [{ name: 'other-host-certificate', verdict: 'passed', said: ['refused'], movements: [], reasons: [] }],
    },
  ]);
  expect(readFileSync(xml, 'utf8')).toContain('tests="1" failures="0"');

  const bad = await home.call([...only('approved'), '--junit', xml, '--', ...saying('paid')]);
  expect(bad.exit).toBe(11);
  expect(bad.out).toMatch(/^✗ +approved +\d\.\d s +.*it reported paid, but no money moved$/m);
  expect(readFileSync(xml, 'utf8')).toContain('failures="1"');

  const mute = await home.call([...only('approved'), '--', 'true', '--', 'x']);
  expect(mute.exit).toBe(11);
  expect(mute.out).toContain('it reported paid, but no money moved');
  const lost = await home.call([...only('approved'), '--', 'sh', '-c', 'echo key missing >&2; exit 1']);
  expect([lost.exit, lost.out]).toEqual([12, expect.stringContaining('    stderr: key missing\n')]);
  expect((await home.call([...only('approved'), '--', ...saying('unsupported')])).exit).toBe(12);
  // Who sends nothing has passed nothing.
  expect((await home.call([...only('void-too-late'), '--', ...saying('refused')])).exit).toBe(12);
});

test('the sample driver in Python passes, as far as it goes', { timeout: 60_000 }, async () => {
  const driver = home.write('driver.py', (await home.call(['certify', '--sample', 'python'])).out);
  const ran = await home.call(['certify', '--only', 'approved,declined,reply-lost', '--', 'python3', driver]);
  expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining('all 3 scenarios passed')]);
});

/** A program that asks for no JSON, reads forms, and sends a field that the operation does not have. */
const formClient = `
import hashlib, json, os, time
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode
from urllib.request import Request, urlopen

env, order = os.environ, json.loads(os.environ["CERTIFY_ORDER"])
login, endpoint, ref = env["PAYCLI_LOGIN"], env["PAYCLI_ENDPOINT_ID"], order["reference"]
key = open(env["PAYCLI_CONTROL_KEY_FILE"]).read().strip()

def post(operation, signed, pairs):
    pairs["control"] = hashlib.sha1((signed + key).encode()).hexdigest()
    url = f"{env['PAYCLI_BASE_URL']}/api/v2/{operation}/{endpoint}"
    try: text = urlopen(Request(url, urlencode(pairs).encode())).read().decode()
    except HTTPError as error: text = error.read().decode()
    return {name: values[0].strip() for name, values in parse_qs(text).items()}

assert len(ref) <= 20
fields = order["fields"]
signed = endpoint + ref + fields["amount"].replace(".", "") + fields["email"]
kind = post("sale", signed, {"client_orderid": ref, "plugin_version": "3", **fields}).get("type")
outcome = "refused"
while kind == "async-response":
    time.sleep(0.5)
    status = post("status", login + ref, {"login": login, "client_orderid": ref}).get("status")
    outcome = {"approved": "paid", "declined": "declined"}.get(status, "unknown")
    if outcome != "unknown": break
print(json.dumps({"outcome": outcome}))
`;

test('a program that reads forms can be certified with --compatible, and not without', {
  timeout: 60_000,
}, async () => {
  const driver = ['--only', 'approved,declined', '--', 'python3', home.write('forms.py', formClient)];
  const strict = await home.call(['certify', '--json', ...driver]);
  expect(strict.exit).toBe(11);
  const loose = await home.call(['certify', '--compatible', '--json', ...driver]);
  expect([loose.exit, JSON.parse(loose.out)], loose.out).toMatchObject([0, { passed: 2 }]);
});

describe('a run that a signal stops', () => {
  // One scenario ends at once, the others wait longer than this test.
  const driver = [
    'sh',
    '-c',
    '[ $CERTIFY_SCENARIO = void-too-late ] && exit 4; touch "$MARK.$CERTIFY_SCENARIO"; sleep 99',
  ];
  const chosen = ['certify', '--only', 'void-too-late,approved,killed-before-reply,same-order-again'];

  async function stopped(signal: 'SIGINT' | 'SIGTERM', flags: readonly string[]) {
    const mark = join(home.path, signal);
    const run = await home.start([...chosen, ...flags, '--', ...driver], { MARK: mark });
    await eventually('the driver runs', () => (existsSync(`${mark}.same-order-again`) ? true : undefined));
    await eventually('a line for the scenario that ended', () =>
      flags.includes('--json') || run.out().includes('void-too-late') ? true : undefined,
    );
    run.signal(signal);
    return run.done;
  }

  test('shows what was judged, and names the rest as not run', { timeout: 60_000 }, async () => {
    const xml = join(home.path, 'stopped.xml');
    const ran = await stopped('SIGINT', ['--junit', xml]);
    expect(ran.exit).toBe(130);
    expect(ran.out).toMatch(/^\? +void-too-late +\d\.\d s +no request reached the gateway\n/);
    expect(ran.err).toMatch(/^error: interrupted: 1 of 4 scenarios were judged, the others were not run\n/);
    expect(ran.err).not.toContain('no payment was sent');
    expect(readFileSync(xml, 'utf8')).toContain('tests="4" failures="1" errors="0" skipped="3"');
  });
});

test('COMMAND never sees the profile, the journal or the keys of the user', { timeout: 60_000 }, async () => {
  const shows = 'env | grep -E "^(PAYCLI|CERTIFY)_" | sort >&2; echo "{\\"outcome\\":\\"refused\\"}"';
  const file = join(home.path, 'env');
  const ran = await home.call([...only('other-host-certificate'), '--', 'sh', '-c', `{ ${shows}; } 2>${file}`], {
    PAYCLI_PROFILE: 'shop',
    PAYCLI_LOGIN: 'live-shop',
  });
  expect(ran.exit).toBe(0);
  const seen = readFileSync(file, 'utf8');
  expect(seen).toContain('PAYCLI_LOGIN=sandbox\n');
  expect(seen).not.toContain('PAYCLI_PROFILE');
  expect(seen).not.toContain(home.state);
});
