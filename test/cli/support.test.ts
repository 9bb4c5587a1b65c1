import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { scan } from '../../src/cli/commands/support/secrets.js';
import { markedPaid } from '../../src/journal/states.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { operationById } from '../../src/spec/index.js';
import { openHistoryIn } from '../callbacks/support.js';
import { copiesOf, paycli, reply, temporaryHome } from '../support/runtime.js';
import { openJournalOf } from '../support/user-journal.js';
import { endings, network } from './echoing.js';
import { hunting } from './hunting.js';
import { card, code, controlKey, leaksIn, plantFiles } from './planted.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const planted = plantFiles();
const { shop, search } = hunting(planted);

type Files = Readonly<Record<string, string>>;

function unpacked(path: string): Files {
  const entries = Object.entries(unzipSync(readFileSync(path)));
  return Object.fromEntries(entries.map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')]));
}

const names = ['README.txt', 'timeline.txt', 'timeline.json', 'journal.json', 'callbacks.json', 'about.json'];

describe('a bundle of an order in the sandbox', () => {
  const sold = copiesOf(async () => {
    const home = temporaryHome();
    const sale = 'sale --amount 10.42 --currency USD --test-card approved --client-order-id order-1 --wait'.split(' ');
    expect((await paycli(sale, { home })).exit).toBe(0);
    return home;
  });

  test('holds what is known, and says what it holds', async () => {
    const home = await sold();
    const ran = await paycli(['support', 'order-1', '--json'], { home });
    expect(ran.exit, ran.err).toBe(0);
    const { file, bytes, files, schema, order, sent } = JSON.parse(ran.out);
    expect([schema, order.clientOrderId, sent]).toEqual(['paycli.support/1', 'order-1', false]);
    expect(file).toBe(join(home, `paycli-support-${order.orderId}.zip`));
    expect([statSync(file).mode & 0o777, statSync(file).size]).toEqual([0o600, bytes]);
    const packed = unpacked(file);
    expect(Object.keys(packed)).toEqual(names);
    expect(files).toEqual(
      names.map((name) => ({ name, bytes: Buffer.byteLength(packed[name] ?? ''), holds: expect.any(String) })),
    );
    for (const name of names) expect(packed['README.txt']).toContain(`  ${name} `);
    expect(packed['timeline.txt']).toContain('sale 10.42 USD: sending');
    const own = await paycli(['journal', 'order-1', '--json'], { home });
    expect(JSON.parse(packed['journal.json'] ?? '')).toEqual(JSON.parse(own.out));
    const line = await paycli(['order', 'order-1', '--json', '--timeline', '-v'], { home });
    expect(JSON.parse(packed['timeline.json'] ?? '')).toEqual(JSON.parse(line.out));
    const about = JSON.parse(packed['about.json'] ?? '');
    expect(about).toMatchObject({ paycli: '0.1.0', node: '20.19.0', platform: 'linux x64', profile: 'sandbox' });
    expect([about.assumptions.length, about.controlKey]).toEqual([23, expect.stringMatching(/^[0-9a-f]{8}$/)]);
  });

  test('goes where it is told, and never over another file', async () => {
    const home = await sold();
    const path = join(home, 'case.zip');
    writeFileSync(path, 'mine');
    const argv = ['support', '--client-order-id', 'order-1', '--out'];
    const refused = await paycli([...argv, 'case.zip'], { home });
    expect([refused.exit, refused.out, readFileSync(path, 'utf8')]).toEqual([2, '', 'mine']);
    const ran = await paycli([...argv, 'other.zip'], { home });
    expect([ran.exit, ran.err]).toEqual([0, expect.stringContaining('read the files before you share the archive')]);
    expect(Object.keys(unpacked(join(home, 'other.zip')))).toEqual(names);
    expect((await paycli([...argv, '-'], { home })).exit).toBe(2);
    const stage = () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const outside = (usual: Runtime) => ({ ...usual, files: { ...usual.files, stage } });
    const full = await paycli([...argv, 'third.zip'], { home, outside });
    expect([full.exit, full.err]).toEqual([13, expect.stringContaining('nothing was written')]);
  });

  test('a key that cannot be read does not prevent it', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const ran = await paycli(['support', '12345', '--out', 'b.zip', '--control-key-file', 'none'], { home });
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(unpacked(join(home, 'b.zip'))['about.json'] ?? '').controlKey).toBe(null);
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
      const ran = await search(['support', 'id-1', '--out', 'b.zip'], { home });
      expect(ran.exit, ran.err).toBe(0);
      for (const [name, text] of Object.entries(unpacked(join(home, 'b.zip'))))
        expect(leaksIn(text, planted), `${name}\n${text}`).toEqual([]);
    },
  );

  test('callbacks are there by the fields that may be shown, without what was said on the way to a handler', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const history = openHistoryIn(home);
    const fields = `status=approved&orderid=12345&client_orderid=902B4FF5&type=sale&processor-rrn=510000000000&pan=${card}&cvv2=${code}&control=${'0a1b2'.repeat(8)}`;
    const { id } = history.save(
      {
        ...{
          place: 'https://gate.example/prefix',
          profile: 'shop',
          class: 'test',
          orderId: '12345',
          clientOrderId: '902B4FF5',
          status: 'approved',
          type: 'sale',
        },
        ...{ verified: 'fits', why: '', forwardTo: undefined },
        raw: { method: 'GET', target: `/?${fields}`, contentType: undefined, body: Buffer.from('') },
      },
      Date.UTC(2030, 0, 7, 12),
    ).callback;
    const url = 'http://127.0.0.1:3000/hook?token=opensesame';
    history.recordForward(id, {
      at: Date.UTC(2030, 0, 7, 12),
      url,
      status: 500,
      reply: 'cannot open sesame',
      reason: undefined,
      ms: 7,
    });
    history.close();
    const ran = await paycli(['support', '12345', '--out', 'b.zip'], { home });
    expect(ran.exit, ran.err).toBe(0);
    const files = unpacked(join(home, 'b.zip'));
    const [callback] = JSON.parse(files['callbacks.json'] ?? '').callbacks;
    expect(callback.fields).toContainEqual({ name: 'status', value: 'approved' });
    expect(callback.fields).toContainEqual({ name: 'control', value: '•••' });
    expect(callback.fields).toContainEqual({ name: 'pan', value: '•••' });
    expect(callback.forwards).toMatchObject([{ url: 'http://127.0.0.1:3000/hook', status: 500, reply: '' }]);
    for (const text of Object.values(files)) expect(text).not.toMatch(/sesame/);
  });

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
    ['a control', 'a control', `control=${'0a1b2'.repeat(8)}`],
    ['a signature', 'a signature', `oauth_signature="${'Ab3%2B'.repeat(20)}"`],
  ])('%s in an evidence text refuses all of it', async (_, kind, evidence) => {
    const home = await unknownSale();
    await settle(home, evidence);
    for (const more of [[], ['--json']]) {
      const ran = await paycli(['support', '902B4FF5', '--out', 'b.zip', ...more], { home });
      expect([ran.exit, ran.out]).toEqual([11, '']);
      expect(ran.err).toContain(`${kind} in journal.json`);
      expect(ran.err).not.toContain(evidence.split(' ').at(-1));
      expect(leaksIn(ran.err, planted)).toEqual([]);
      expect(existsSync(join(home, 'b.zip'))).toBe(false);
    }
  });

  test('an order id of the gateway that looks like a card number does not refuse it, the card of the request does', async () => {
    const other = homeWithProfile();
    await paycli(saleFlags, {
      home: other,
      network: [() => reply(200, { ...taken, 'paynet-order-id': '5425233430109903' })],
    });
    expect((await paycli(['support', '5425233430109903', '--out', 'b.zip'], { home: other })).exit).toBe(0);
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
    expect((await paycli(['support', '902B4FF5', '--out', 'b.zip'], { home: echoed })).exit).toBe(11);
  });

  test('not even of a sandbox, whose cards may be seen', async () => {
    const home = temporaryHome();
    const sale = 'sale --amount 1.00 --currency USD --client-order-id id-1 --test-card approved'.split(' ');
    const shown = await paycli(['sign', ...sale, '--explain'], { home });
    expect(shown.out).toContain('4444333322221111');
    await paycli(sale, { home });
    expect((await paycli(['support', 'id-1', '--out', 'b.zip'], { home })).exit).toBe(0);
    for (const text of Object.values(unpacked(join(home, 'b.zip')))) expect(text).not.toContain('4444333322221111');
  });
});

describe('the search', () => {
  const found = (text: string, key?: string) => scan([{ name: 'f', text }], key, new Set());

  test.each([
    ['a digest', '90d77a2e8eaa8afa66617613057ef19b0de729ee629e67c457951d3488bd5332'],
    ['a number with a wrong check digit', '4444333322221112'],
    ['masked fields', 'cvv2 = •••\ncontrol •••\noauth_signature="•••" •••• 1111'],
    ['words about them', 'control = SHA-1(endpointId + client_orderid); the signature fits; cvv2 is never kept'],
  ])('takes %s for nothing', (_, text) => {
    expect(found(text)).toEqual([]);
  });

  test('finds a secret that JSON escapes', () => {
    expect(found(JSON.stringify({ text: 'a "quoted" key' }), 'a "quoted" key')).toEqual(['the control key in f']);
  });
});
