import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { markedPaid } from '../../src/journal/states.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { operationById } from '../../src/spec/index.js';
import { copiesOf, paycli, reply, temporaryHome } from '../support/runtime.js';
import { openJournalOf } from '../support/user-journal.js';
import { endings, network } from './echoing.js';
import { hunting } from './hunting.js';
import { card, code, controlKey, leaksIn, plantFiles } from './planted.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const planted = plantFiles();
const { shop, search } = hunting(planted);

const read = (path: string) => readFileSync(path, 'utf8');

describe('the file of an order in the sandbox', () => {
  const sold = copiesOf(async () => {
    const home = temporaryHome();
    const sale = 'sale --amount 10.42 --currency USD --test-card approved --client-order-id order-1 --wait'.split(' ');
    expect((await paycli(sale, { home })).exit).toBe(0);
    return home;
  });

  test('holds what is known', async () => {
    const home = await sold();
    const ran = await paycli(['support', 'order-1', '--json'], { home });
    expect(ran.exit, ran.err).toBe(0);
    const { file, order, sent } = JSON.parse(ran.out);
    expect([order.clientOrderId, sent]).toEqual(['order-1', false]);
    expect(file).toBe(join(home, `paycli-support-${order.orderId}.json`));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { about, timeline, journal } = JSON.parse(read(file));
    const own = await paycli(['journal', 'order-1', '--json'], { home });
    expect(journal).toEqual(JSON.parse(own.out).entries);
    const line = await paycli(['order', 'order-1', '--json', '--timeline', '-v'], { home });
    expect(timeline).toEqual(JSON.parse(line.out));
    expect(about).toMatchObject({ paycli: '0.1.0', node: '20.19.0', platform: 'linux x64', profile: 'sandbox' });
    expect([about.assumptions.length, about.controlKey]).toEqual([23, expect.stringMatching(/^[0-9a-f]{8}$/)]);
  });

  test('goes where it is told, and never over another file', async () => {
    const home = await sold();
    const path = join(home, 'case.json');
    writeFileSync(path, 'mine');
    const argv = ['support', '--client-order-id', 'order-1', '--out'];
    const refused = await paycli([...argv, 'case.json'], { home });
    expect([refused.exit, refused.out, read(path)]).toEqual([2, '', 'mine']);
    expect((await paycli([...argv, 'other.json'], { home })).exit).toBe(0);
    expect(existsSync(join(home, 'other.json'))).toBe(true);
    expect((await paycli([...argv, '-'], { home })).exit).toBe(2);
    const createText = () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const outside = (usual: Runtime) => ({ ...usual, files: { ...usual.files, createText } });
    expect((await paycli([...argv, 'third.json'], { home, outside })).exit).toBe(13);
  });

  test('a key that cannot be read does not prevent it', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const ran = await paycli(['support', '12345', '--out', 'b.json', '--control-key-file', 'none'], { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(read(join(home, 'b.json'))).about.controlKey).toBe(null);
  });
});

describe('no secret comes into a bundle', () => {
  const sale = [...saleFlags.slice(0, 1), '--input', planted.card, ...saleFlags.slice(1)].filter(
    (word, at, all) =>
      !/^--(?:card-(?:number|holder)|expire|cvv)/.test(word) &&
      !/^--(?:card-(?:number|holder)|expire|cvv)/.test(all[at - 1] ?? ''),
  );

  test.each(endings.filter(([name]) => name !== 'never sent' && name !== 'a wrong certificate'))(
    'after a sale: %s',
    async (_, ending) => {
      const home = shop();
      const { outside, bodies } = network(operationById('SALE'), ending);
      const argv = sale.map((word) => (word === '902B4FF5' ? 'id-1' : word));
      await search([...argv, '--redirect-url', 'https://x.example/', '--wait', '--wait-timeout', '5'], {
        home,
        outside,
      });
      expect(bodies[0]).toContain(card);
      const ran = await search(['support', 'id-1', '--out', 'b.json'], { home });
      expect(ran.exit, ran.err).toBe(0);
      const text = read(join(home, 'b.json'));
      expect(leaksIn(text, planted), text).toEqual([]);
    },
  );

  /** `resolve` refuses such an evidence text; here it is in the journal all the same. */
  const settle = async (home: string, evidence: string) => {
    const journal = openJournalOf(home);
    const [{ id = 0 } = {}] = await journal.find({ order: '902B4FF5' }, { limit: 1 });
    const [settled] = await journal.settle([{ id, by: 'person', to: 'done', reason: markedPaid, facts: { evidence } }]);
    expect(settled?.state).toBe('done');
    await journal.close();
  };
  const unknownSale = copiesOf(async () => {
    const home = shop();
    const argv = [...saleFlags, '--redirect-url', 'https://x.example/'];
    const lost = await paycli(argv, { home, network: [() => ({ kind: 'lost', reason: 'reset' })] });
    expect(lost.exit, lost.err).toBe(8);
    return home;
  });
  test.each<readonly [what: string, kind: string, evidence: string]>([
    ['a card number', 'a card number', `of 20300107 with ${card}`],
    ['a security code', 'a security code', `they said cvv2=${code}`],
    ['the control key', 'the control key', `key ${controlKey}`],
  ])('%s in an evidence text refuses all of it', async (_, kind, evidence) => {
    const home = await unknownSale();
    await settle(home, evidence);
    const ran = await paycli(['support', '902B4FF5', '--out', 'b.json'], { home });
    expect([ran.exit, ran.out]).toEqual([11, '']);
    expect(ran.err).toContain(kind);
    expect(ran.err).not.toContain(evidence.split(' ').at(-1));
    expect(leaksIn(ran.err, planted)).toEqual([]);
    expect(existsSync(join(home, 'b.json'))).toBe(false);
  });

  test('an order id of the gateway that looks like a card number does not refuse it, the card of the request does', async () => {
    const other = homeWithProfile();
    await paycli(saleFlags, {
      home: other,
      network: [() => reply(200, { ...taken, 'paynet-order-id': '5425233430109903' })],
    });
    expect((await paycli(['support', '5425233430109903', '--out', 'b.json'], { home: other })).exit).toBe(0);
    // Printed by a later command, which does not know the card any more.
    const echoed = homeWithProfile();
    await paycli(saleFlags, { home: echoed, network: [() => ({ kind: 'lost', reason: 'reset' })] });
    const told = statusReply('approved', {
      'paynet-order-id': '4444333322221111',
      'transaction-type': 'sale',
      amount: '10.42',
      currency: 'USD',
    });
    expect((await paycli(['resolve', '902B4FF5'], { home: echoed, network: [() => reply(200, told)] })).exit).toBe(0);
    expect((await paycli(['support', '902B4FF5', '--out', 'b.json'], { home: echoed })).exit).toBe(11);
  });
});
