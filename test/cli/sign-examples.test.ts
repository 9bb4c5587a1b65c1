import { expect, test } from 'vitest';
import { examplesOf } from '../support/declared.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { put } from './signing-files.js';

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

test.each(examples)('paycli %s', async (line) => {
  const home = temporaryHome();
  const { text, names } = await prepared(home);
  const [command = '', input] = line.split(' < ');
  const argv = words(command).map((word) => Object.entries(names).find(([name]) => name === word)?.[1] ?? word);
  const ran = await paycli(argv, { home, ...(input === undefined ? {} : { stdin: text }) });
  expect(ran.exit, ran.err + ran.out).toBe(0);
  expect(ran.out).not.toBe('');
});
