import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { storeCard } from '../../src/sandbox/cards.js';
import { openSandboxState } from '../../src/sandbox/index.js';
import { homeWith, planned } from '../batch/files.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { CountingRandom, paycli, reply, TestClock, temporaryHome } from '../support/runtime.js';

function isLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

// A fifth of them, among which both numbers of the tests are.
const middles = 200_000;

/** All numbers with these first six and last four digits: what somebody has to try who knows these from the files. */
function* numbersLike(bin: string, lastFour: string): Generator<string> {
  for (let middle = 0; middle < middles; middle += 1) {
    const number = `${bin}${String(middle).padStart(6, '0')}${lastFour}`;
    if (isLuhn(number)) yield number;
  }
}

const [bin, lastFour] = ['412345', '6789'];
const [one = '', other = ''] = [...numbersLike(bin, lastFour)].slice(4321).filter((_, at) => at === 0 || at === 12_345);

/** All rows of a database, as text. */
function dump(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    return tables
      .map(({ name }) => JSON.stringify([name, database.prepare(`SELECT * FROM "${String(name)}"`).all()]))
      .join('\n');
  } finally {
    database.close();
  }
}

/** Everything that a state folder holds, by path. */
function stateOf(home: string): Readonly<Record<string, string>> {
  const folder = join(home, 'state');
  const paths = readdirSync(folder, { recursive: true }).map(String).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile() && !/-(?:wal|shm)$/.test(path));
  return Object.fromEntries(
    files.map((path) => [
      path,
      path.endsWith('.db') ? dump(join(folder, path)) : readFileSync(join(folder, path), 'latin1').replaceAll(home, ''),
    ]),
  );
}

const withCard = (number: string) => saleFlags.map((word) => (word === '4444333322221111' ? number : word));

describe('a card number that is on no list', () => {
  test('leaves no trace of the digits between the first six and the last four: with another one all files are the same', async () => {
    expect([one, other].every((number) => isLuhn(number) && one !== other)).toBe(true);
    const left = async (number: string) => {
      const home = homeWithProfile();
      const ran = await paycli(withCard(number), { home, network: [() => reply(200, taken)] });
      expect(ran.exit, ran.err).toBe(0);
      return stateOf(home);
    };
    const files = await left(one);
    expect(Object.keys(files)).toContain('requests.db');
    expect(files['requests.db']).toContain(`"card4":"${lastFour}"`);
    expect(await left(other)).toEqual(files);
  });

  test('nor in a sandbox that takes any card', () => {
    const left = (number: string) => {
      const path = join(temporaryHome(), 'sandbox.db');
      const { fixture, close } = worldIn(path);
      storeCard(fixture.store, { number, month: '12', year: '2034', holder: 'JANE DOE' });
      close();
      return dump(path);
    };
    const file = left(one);
    expect(file).toContain(`"bin":"${bin}"`);
    expect(left(other)).toBe(file);
  });

  test('cannot be tried out against a plan with what lies in the state folder', async () => {
    const header = 'client_orderid,amount,currency,credit_card_number,card_printed_name,expire_month,expire_year';
    const line = `a-1,10.00,EUR,${one},Jane Doe,12,2034`;
    const home = homeWith(`${header}\n${line}\n`);
    await planned(home, ['--allow-pan-file']);
    const state = JSON.stringify(stateOf(home));
    expect(state).toContain(lastFour);
    expect(state).not.toContain(one);
    // Whoever knows the rest of the file could hash it with each number; all that is kept of it is keyed.
    const known = [one, line, `${line}\n`, `${header}\n${line}\n`];
    for (const text of known)
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        expect(state).not.toContain(createHash('sha256').update(text, 'utf8').digest(encoding));
    const path = join(home, 'config', 'journal.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(state).not.toContain(readFileSync(path, 'utf8').trim());
  });
});

describe('what is recognised', () => {
  test('another card with the same last four digits is taken for the same payment, so nothing is sent; one with others is not', async () => {
    const home = homeWithProfile();
    const lost = { kind: 'lost', reason: 'reset' } as const;
    expect((await paycli(withCard(one), { home, network: [() => lost] })).exit).toBe(8);
    const asked = await paycli(withCard(other), {
      home,
      network: [() => reply(400, { type: 'error', 'error-message': 'order not found' })],
    });
    expect([asked.exit, asked.requests.map(({ url }) => url.includes('/status/'))]).toEqual([8, [true]]);
    const differs = await paycli(withCard('5555555555554444'), { home });
    expect([differs.exit, differs.requests]).toEqual([2, []]);
  });
});

function worldIn(path: string) {
  const database = sqlite.open(path);
  const fixture = openSandboxState({ database, clock: new TestClock(), random: new CountingRandom() });
  return { fixture, close: () => database.close() };
}
