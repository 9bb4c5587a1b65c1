import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';
import { homeWithProfile, taken } from './profiles.js';

const card = {
  'card-number': '4444333322221111',
  'card-holder': 'JANE DOE',
  'expire-month': '12',
  'expire-year': '2034',
  cvv: '123',
};
const payer = {
  ...{ 'order-desc': 'Two tickets', email: 'jane@example.com', phone: '+4930123456', address1: 'Example Street 1' },
  ...{ city: 'Berlin', 'zip-code': '10115', country: 'DE', 'ip-address': '192.0.2.10' },
};
const order = { 'client-order-id': '902B4FF5', amount: '10.42', currency: 'USD' };
const whole = { ...order, ...card, ...payer };

const text = (fields: object) => JSON.stringify(fields);
const dry = (fields: string, argv: readonly string[] = [], options: TestOptions = {}): Promise<Ran> =>
  paycli(['sale', '--input', '-', '--dry-run', '--json', ...argv], {
    home: homeWithProfile(),
    stdin: fields,
    ...options,
  });

async function valuesOf(
  ran: Promise<Ran>,
): Promise<Readonly<Record<string, readonly [value: string, origin: string]>>> {
  const { exit, out, err } = await ran;
  expect(exit, err).toBe(0);
  const values: readonly { wire: string; value: string; origin: string }[] = JSON.parse(out).values;
  return Object.fromEntries(values.map(({ wire, value, origin }) => [wire, [value, origin]]));
}

describe('fields as one JSON object', () => {
  test('are sent as the same flags would be', async () => {
    const ran = await paycli('sale --input -', {
      home: homeWithProfile(),
      stdin: text(whole),
      network: [() => reply(200, taken)],
    });
    const flags = Object.entries(whole).flatMap(([name, value]) => [`--${name}`, value]);
    const byFlag = await paycli(['sale', ...flags], { home: homeWithProfile(), network: [() => reply(200, taken)] });
    expect([ran.exit, byFlag.exit], ran.err).toEqual([0, 0]);
    expect(ran.requests).toEqual(byFlag.requests);
  });

  test('a flag goes before, the defaults of the profile after', async () => {
    const home = homeWithProfile({ more: ['defaults: { country: FR, city: Paris }'] });
    const { city: _, ...others } = whole;
    const given = text({ ...others, 'redirect-url': 'https://other.example/' });
    const values = await valuesOf(dry(given, ['--amount', '9.99', '--field', 'currency=EUR'], { home }));
    expect(values['amount']).toEqual(['9.99', 'flag --amount']);
    expect(values['currency']).toEqual(['EUR', 'flag --field currency']);
    expect(values['country']).toEqual(['DE', 'input']);
    expect(values['redirect_url']).toEqual(['https://other.example/', 'input']);
    expect(values['city']?.[0]).toBe('Paris');
  });
});

describe('what is wrong is told all at once', () => {
  test('unknown names with the nearest one, nested values, null, repeats and bad values', async () => {
    const given = `{"amuont": "1", "city": {"name": "x"}, "email": null, "currency": "USD", "address1": [1],
      "client-order-id": "a", "client_orderid": "b", "country": "Germany", "login": "other", "constructor": "y"}`;
    const { exit, err } = await paycli('sale --input - --test-card approved', {
      home: homeWithProfile(),
      stdin: given,
    });
    expect(exit).toBe(2);
    for (const line of [
      '--input: amuont is not a field of sale; did you mean amount?',
      '--input: city is an object or array; use a string or a number',
      '--input: email is null; leave it out instead',
      '--input: address1 is an object or array; use a string or a number',
      '--input: login comes from the profile; use --login to override it',
      '--input: constructor is not a field of sale; --allow-unknown-field sends it anyway',
      '--country: use',
    ])
      expect(err).toContain(line);
    expect(err).not.toContain('--city is missing');
    expect(err).toContain('--input: client_orderid and client-order-id are the same field, given twice');
  });

  test('a name nobody knows may be sent when that is allowed', async () => {
    const sent = await paycli('sale --input - --allow-unknown-field', {
      home: homeWithProfile(),
      stdin: text(whole).replace('}', ',"strange":1.00,"other-name":true}'),
      network: [() => reply(200, taken)],
    });
    expect(sent.requests[0]?.body).toContain('&strange=1.00&other-name=true&');
  });

  test.each<readonly [what: string, stdin: string, says: string]>([
    ['no JSON', '{"credit_card_number": "4444333322221111"', '--input is not valid JSON'],
    ['nothing', '', '--input is not valid JSON'],
    ['a list', '["amount", "1"]', '--input does not contain a JSON object'],
    ['a number', '12', '--input does not contain a JSON object'],
  ])('%s', async (_, stdin, says) => {
    const ran = await paycli('sale --input -', { home: homeWithProfile(), stdin });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining(says)]);
    expect(ran.err).not.toMatch(/4444|is missing/);
  });
});

describe('a file', () => {
  const write = (home: string, content: string | Uint8Array, mode = 0o600): string => {
    writeFileSync(join(home, 'sale.json'), content);
    chmodSync(join(home, 'sale.json'), mode);
    return 'sale.json';
  };

  test('with card data is for its owner alone; without, anyone may read it', async () => {
    const home = homeWithProfile();
    const argv = ['sale', '--input', write(home, text(whole), 0o644), '--dry-run'];
    const refused = await paycli(argv, { home });
    expect([refused.exit, refused.err]).toEqual([3, expect.stringContaining('run chmod 600 on it')]);
    expect(refused.err).not.toContain('4444');
    write(home, text(whole));
    expect((await paycli(argv, { home })).exit).toBe(0);
    write(home, text({ ...order, ...payer }), 0o644);
    expect((await paycli([...argv, '--test-card', 'approved'], { home })).exit).toBe(0);
  });

  test('may bring card data to a live profile, as standard input may', async () => {
    const live = ['--live', '--confirm-login', 'my-shop'];
    const home = homeWithProfile({ class: 'live' });
    const file = await paycli(['sale', '--input', write(home, text(whole)), ...live], {
      home,
      network: [() => reply(200, taken)],
    });
    expect(file.exit, file.err).toBe(0);
    const other = homeWithProfile({ class: 'live' });
    const piped = await paycli(['sale', '--input', '-', ...live], {
      home: other,
      stdin: text(whole),
      network: [() => reply(200, taken)],
    });
    expect(piped.exit, piped.err).toBe(0);
  });
});

describe('standard input', () => {
  test('and --no-input go together, in either order', async () => {
    for (const argv of [
      ['--no-input', '--input', '-'],
      ['--input', '-', '--no-input'],
    ]) {
      const { city: _, ...others } = whole;
      const ran = await paycli(['sale', ...argv], { home: homeWithProfile(), stdin: text(others) });
      expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('missing: --city')]);
    }
    const home = homeWithProfile();
    const { city: _, ...others } = whole;
    writeFileSync(join(home, 'sale.json'), text(others), { mode: 0o600 });
    const quiet = await paycli('sale --no-input --input sale.json', { home, tty: true });
    expect([quiet.exit, quiet.questions]).toEqual([2, []]);
    const asked = await paycli('sale --input sale.json --dry-run', {
      home,
      tty: true,
      answers: [['city', 'Berlin']],
    });
    expect(asked.exit, asked.err).toBe(0);
  });
});
