import { expect, test } from 'vitest';
import { examplesOf } from '../support/declared.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { put } from './signing-files.js';

const tools = ['verify', 'diff', 'find-mistake', 'raw', 'control', 'vectors', 'curl', 'php', 'python'];
const examples = await examplesOf('sign');
const [, rawFixed = ''] = await examplesOf('sign raw');

const sale = testSale('--client-order-id', 'x');

/** Makes the files the examples read, and what they are asked about. */
async function prepared(home: string) {
  put(home, 'control.key', 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20\n');
  put(home, 'fields.json', '[["amount","10.42"],["currency","USD"]]');
  put(home, 'values.json', '["1144","902B4FF5","1042","jane@example.com"]');
  const { signature, request } = JSON.parse((await paycli([...sale, '--dry-run', '--json'], { home })).out);
  const data = request.fields.map(([name, value]: [string, string]) => `--data-urlencode '${name}=${value}'`).join(' ');
  const text = `curl ${request.url} -H 'Accept: application/vnd.pay+json' ${data}`;
  put(home, 'request.txt', text);
  const raw = JSON.parse((await paycli(words(rawFixed), { home })).out);
  put(home, 'header.txt', raw.authorization);
  put(home, 'base-string.txt', raw.baseString);
  return { text, names: { $ID: 'x', $CONTROL: signature.digest, $SIGNATURE: raw.signature } };
}

function words(line: string): string[] {
  return line.split(/ +/);
}

// Those of sign vectors run where the vectors are held against openssl, and take seconds.
test.each(examples.filter((line) => !line.startsWith('sign vectors')))('paycli %s', async (line) => {
  const home = temporaryHome();
  const { text, names } = await prepared(home);
  const [command = '', input] = line.split(' < ');
  const argv = words(command).map((word) => Object.entries(names).find(([name]) => name === word)?.[1] ?? word);
  const ran = await paycli(argv, { home, ...(input === undefined ? {} : { stdin: text }) });
  expect(ran.exit, ran.err + ran.out).toBe(0);
  expect(ran.out).not.toBe('');
});

test.each(['', ...tools])('the help of sign %s shows them', async (tool) => {
  const { out } = await paycli(['sign', ...(tool === '' ? [] : [tool]), '--help']);
  const lines = tool === '' ? examples.slice(0, 3) : await examplesOf(`sign ${tool}`);
  // Lines that a shell joins are one line.
  const flat = out.replace(/\\\n/g, ' ').replace(/\s+/g, ' ');
  for (const line of lines) expect(flat).toContain(`paycli ${line.replace(/\s+/g, ' ')}`);
});
