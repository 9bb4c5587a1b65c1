import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually, Home } from './home.js';

const home = new Home();
afterAll(() => home.remove());

/** A client in plain JavaScript that signs by its own code; each word of FAULTS is one request. */
const client = home.write(
  'client.mjs',
  `import { createHash, createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
const { PAYCLI_BASE_URL: base, PAYCLI_LOGIN: login, PAYCLI_ENDPOINT_ID: endpoint, FAULTS } = process.env;
const key = readFileSync(process.env.PAYCLI_CONTROL_KEY_FILE, 'utf8').trim();
const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
const send = async (path, fields, headers = {}) => {
  const plain = { Accept: 'application/vnd.pay+json', 'Content-Type': 'application/x-www-form-urlencoded' };
  const reply = await fetch(base + path + '/' + endpoint, { method: 'POST', headers: { ...plain, ...headers }, body: new URLSearchParams(fields) });
  console.log('client saw ' + reply.status);
};
const status = (id, text, more = {}) =>
  send('/api/v2/status', { login, client_orderid: id, control: createHash('sha1').update(text).digest('hex'), ...more });
const payout = (fault) => {
  const url = base + '/api/v2/payout/' + endpoint;
  const fields = { client_orderid: randomUUID(), amount: '50.00', currency: 'EUR', credit_card_number: '4444333322221111' };
  const oauth = { oauth_consumer_key: fault === 'login' ? 'my-shop' : login, oauth_nonce: fault === 'nonce' ? 'same' : randomUUID(),
    oauth_signature_method: 'HMAC-SHA1', oauth_timestamp: String(Math.floor(Date.now() / 1000)), oauth_version: '1.0' };
  const pairs = Object.entries({ ...oauth, ...fields }).map(([name, value]) => encode(name) + '=' + encode(value));
  if (fault !== 'unsorted') pairs.sort();
  const text = 'POST&' + encode(url) + '&' + encode(pairs.join('&'));
  const signature = createHmac('sha1', encode(key) + '&').update(text).digest('base64');
  const header = Object.entries({ ...oauth, oauth_signature: signature }).map(([n, v]) => n + '="' + encode(v) + '"');
  if (fault === 'missing') delete fields.currency;
  return send('/api/v2/payout', fields, { Authorization: 'OAuth ' + header.join(', '), ...(fault === 'accept' ? { Accept: '*/*' } : {}) });
};
const id = 'no-such-order';
for (const fault of FAULTS.split(' '))
  if (fault === 'status') await status(id, login + id + key);
  else if (fault === 'newline') await status(id, login + id + key + '\\n');
  else if (fault === 'unsigned') await send('/api/v2/status', { login, client_orderid: id });
  else if (fault === 'order') await status(id, id + login + key, { colour: 'red' });
  else if (fault !== '') await payout(fault);
process.exit(3);
`,
);

const doctor = (faults: string, ...flags: string[]) =>
  home.run(['sign', 'doctor', ...flags, '--', process.execPath, client], { FAULTS: faults });

interface Problem {
  readonly name: string;
  readonly variant?: string;
}

test('every request is diagnosed, and the client speaks on standard error', { timeout: 60_000 }, async () => {
  const ran = await doctor('right status newline order unsigned login nonce nonce unsorted accept missing', '--json');
  const { requests, ...run } = JSON.parse(ran.out);
  expect([ran.exit, run.ok, run.clientExit]).toEqual([11, false, 3]);
  expect(ran.err.match(/client saw \d+/g)).toHaveLength(11);
  const seen = requests.map((one: { operation: string; form: Problem[]; mistakes: Problem[]; signature: string }) => [
    one.operation,
    one.signature,
    ...[...one.form, ...one.mistakes].map(({ name, variant = '' }) => `${name}/${variant}`.replace(/\/$/, '')),
  ]);
  expect(seen).toEqual([
    ['payout send', 'right'],
    ['status', 'right'],
    ['status', 'wrong', expect.stringMatching(/^key-whitespace\//)],
    ['status', 'wrong', 'field-unknown', expect.stringMatching(/^order\//)],
    ['status', 'wrong', 'control-missing'],
    ['payout send', 'wrong', 'oauth-consumer'],
    ['payout send', 'right'],
    ['payout send', 'wrong', 'oauth-nonce'],
    ['payout send', 'wrong', 'sort-order/unsorted'],
    ['payout send', 'right', 'accept-inexact'],
    ['payout send', 'unchecked', 'field-wrong'],
  ]);
  expect(requests[1].refused).toBe('order not found');
});

test('a client that sends nothing, or cannot be started, is told from one that signs wrongly', async () => {
  const nothing = await doctor('');
  expect(nothing).toMatchObject({ exit: 6, out: '', err: expect.stringContaining('PAYCLI_BASE_URL') });
  expect(nothing.err).toContain('the client exited with code 3');
  const missing = await home.call(['sign', 'doctor', '--', '/no/such/program']);
  expect(missing).toMatchObject({ exit: 2, err: expect.stringMatching(/program/) });
  expect(missing.err).not.toContain('network');
  expect((await home.call(['sign', 'doctor'])).exit).toBe(2);
  expect(await doctor('right accept', '--compatible')).toMatchObject({
    exit: 0,
    out: expect.stringContaining('the client stopped after reply 2, with code 3'),
  });
});

test('Ctrl-C ends client and sandbox, and nothing is left behind', { timeout: 60_000 }, async () => {
  const waiting = 'process.on("SIGINT", () => process.exit(9)); setInterval(() => {}, 1000); console.error("up")';
  const running = await home.start(['sign', 'doctor', '--', process.execPath, '-e', waiting]);
  await eventually('the client is up', () => (running.err().includes('up') ? true : undefined));
  running.signal('SIGINT');
  const ended = await running.done;
  expect(ended).toMatchObject({ exit: 130, err: expect.stringContaining('exited with code 9; stopped by SIGINT') });
  const left = readdirSync(join(home.state, 'sandbox'));
  expect(left.filter((name) => name.startsWith('run-') || name.includes('listening'))).toEqual([]);
});
