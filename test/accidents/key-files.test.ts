import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Home } from '../e2e/home.js';

const home = new Home();
afterAll(() => home.remove());

/** Asks for the status of an order that is not there, signed with the key file as the first argument has it read. */
const client = home.write(
  'client.mjs',
  `import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
const { PAYCLI_BASE_URL: base, PAYCLI_LOGIN: login, PAYCLI_ENDPOINT_ID: endpoint } = process.env;
const text = readFileSync(process.env.PAYCLI_CONTROL_KEY_FILE, 'utf8');
const key = process.argv[2] === 'trimmed' ? text.trim() : text;
const control = createHash('sha1').update(login + 'order-1' + key).digest('hex');
await fetch(base + '/api/v2/status/' + endpoint, {
  method: 'POST',
  headers: { Accept: 'application/vnd.pay+json', 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ login, client_orderid: 'order-1', control }),
});
`,
);

describe('a key file ends with a line feed, as those of editors do', () => {
  test('so a client that signs with the whole file is told, and one that trims is right', async () => {
    const doctor = async (how: string) => {
      const ran = await home.call(['sign', 'doctor', '--json', '--', process.execPath, client, how]);
      return [ran.exit, JSON.parse(ran.out).requests.map((one: Record<string, unknown>) => one['signature'])];
    };
    expect(await doctor('as it is')).toEqual([11, ['wrong']]);
    expect(await doctor('trimmed')).toEqual([0, ['right']]);
  });

  test.each([
    ['sign doctor', ['sign', 'doctor', '--']],
    ['certify', ['certify', '--only', 'approved', '--']],
    ['sandbox start --run', ['sandbox', 'start', '--port', '0', '--run', '--']],
  ])('%s', async (name, argv) => {
    const folder = join(home.path, name.replaceAll(' ', '-'));
    const copy = `mkdir '${folder}'; cp "$PAYCLI_CONTROL_KEY_FILE" '${folder}/control'; cp "$PAYCLI_PRIVATE_KEY_FILE" '${folder}/private'`;
    await home.call([...argv, 'sh', '-c', copy]);
    expect(readFileSync(join(folder, 'control'), 'utf8')).toMatch(/^\S+\n$/);
    expect(readFileSync(join(folder, 'private'), 'utf8')).toMatch(/-----END [A-Z ]+-----\n$/);
  });
});
