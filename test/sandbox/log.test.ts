import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { audit } from '../../src/sandbox/audit/report.js';
import { showDashboard } from '../../src/sandbox/dashboard/routes.js';
import { readEvents, recordEvent } from '../../src/sandbox/log.js';
import {
  approvedOrder,
  bodyOf,
  cardOrder,
  type Fixture,
  onOrder,
  openFixture,
  partial,
  plainHeaders,
  send,
  signed,
  status,
} from './support.js';

const logOf = (fixture: Fixture, order?: string) => readEvents(fixture.sandboxState.store, { order, limit: 1000 });
const dashboardPage = ({ sandboxState }: Fixture, address: string) =>
  showDashboard(sandboxState.store, address) ?? expect.unreachable(`there is no page ${address}`);
const lines = (fixture: Fixture, order?: string) => logOf(fixture, order).map(({ kind, title }) => `${kind}: ${title}`);

test('an order leaves requests and stages behind, with their signature checks', () => {
  const fixture = openFixture();
  const order = approvedOrder(fixture, 'preauth', { id: 'h', amount: '25.00' });
  status(fixture, 'h', order);
  partial(fixture, 'capture', 'h', order, '20.00');
  fixture.later();
  status(fixture, 'h', order);
  expect(lines(fixture, order)).toEqual([
    'request: preauth accepted',
    'stage: auth_approved',
    'request: status answered: approved',
    'request: capture accepted',
    'stage: capture_approved',
    'request: status answered: approved',
  ]);
  expect(logOf(fixture, 'h')).toEqual(logOf(fixture, order));
  const [first] = logOf(fixture, order);
  expect(first).toMatchObject({ login: 'sandbox', orderId: order });
  expect(first?.detail).toEqual({
    operation: 'PREAUTH',
    endpoint: '4001',
    status: '200',
    signature: 'control valid',
    ms: '0.0',
    reply: expect.stringMatching(
      new RegExp(`^type=async-response&serial-number=[-0-9a-f]{36}&merchant-order-id=h&paynet-order-id=${order}&`),
    ),
  });
  expect(Object.fromEntries(first?.fields ?? [])).toMatchObject({
    client_orderid: 'h',
    amount: '25.00',
    credit_card_number: '•••• 1111',
    cvv2: '•••',
    control: '•••',
    email: 'jane@example.com',
  });
});

test('a refused request is recorded although nothing was done', () => {
  const fixture = openFixture();
  const order = approvedOrder(fixture, 'sale', { id: 's' });
  onOrder(fixture, '/api/v2/void', 's', order);
  cardOrder(fixture, 'sale', { id: 's' });
  fixture.post('/api/v2/status/4001', { login: 'sandbox', client_orderid: 's', orderid: order, control: 'x' });
  fixture.post('/api/v2/payout/4001', {});
  send(fixture.sandbox, '/api/v2/nothing/4001', '');
  const refusals = logOf(fixture).filter(({ kind }) => kind === 'refusal');
  expect(
    refusals.map(({ title, orderId, detail }) => [title.slice(0, 24), orderId, detail['reason'], detail['signature']]),
  ).toEqual([
    ['void refused: only a hol', order, 'illegal-move', 'control valid'],
    ['sale refused: client_ord', order, 'used-order-id', 'control valid'],
    ['status refused: INVALID_', order, 'control', 'control does not match'],
    ['payout send refused: cli', undefined, 'invalid', 'signature not checked'],
    ['POST /gateway/api/v2/not', undefined, 'unknown-path', 'signature not checked'],
  ]);
});

test('only the newest events are kept', () => {
  const fixture = openFixture();
  const { store } = fixture.sandboxState;
  for (let count = 0; count < 3; count += 1) recordEvent(store, { kind: 'clock', title: `line ${count}` });
  fixture.database.run('UPDATE events SET id = id + 50996 WHERE id > 1');
  recordEvent(store, { kind: 'clock', title: 'last' });
  expect(lines(fixture)).toEqual(['clock: line 1', 'clock: line 2', 'clock: last']);
});

test('no card number, no code and no key is in the events, the findings or the dashboard', () => {
  const path = mkdtempSync(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const fixture = openFixture({ database: sqlite.open(join(path, 'sandboxState.db')) });
  const number = '5200828282828210';
  const order = approvedOrder(fixture, 'sale', { id: 's', number, cvv: '8642' });
  const strange = '4929618305724915';
  cardOrder(fixture, 'sale', { id: 't', number: strange, cvv: '8642' });
  // Swapped fields, a number for a name, in the path and in a header.
  fixture.post('/api/v2/sale/4001', {
    order_desc: `card ${strange}`,
    [strange]: 'x',
    card_printed_name: '4929 6183 0572 4915',
    cvv: '8642',
  });
  send(fixture.sandbox, `/api/v2/sale/${strange}`, `credit_card_number=${strange}`, {
    ...plainHeaders,
    accept: strange,
  });
  send(fixture.sandbox, `/api/v2/${strange}/4001`, strange, { ...plainHeaders, authorization: `Basic ${fixture.key}` });
  const payout = { client_orderid: 'p', amount: '5.00', currency: 'EUR', card_number: number };
  signed(fixture, '/api/v2/payout/4001', payout, { key: `${fixture.key}x` });
  onOrder(fixture, '/api/v2/void', 's', order);
  const pages = ['/', `/orders/${order}`].map((path) => dashboardPage(fixture, path).body);
  const tables = JSON.stringify([
    fixture.database.all('SELECT * FROM events'),
    fixture.database.all('SELECT * FROM findings'),
  ]);
  const shown = [...pages, tables, JSON.stringify([logOf(fixture), audit(fixture.sandboxState.store)])].join('\n');
  fixture.database.close();
  const bytes = readdirSync(path)
    .map((name) => readFileSync(join(path, name), 'latin1'))
    .join('');
  expect([shown, bytes]).toEqual([expect.stringContaining('•••• 8210'), expect.stringContaining('520082')]);
  for (const text of [shown, bytes]) {
    for (const secret of [number, strange, strange.slice(4, 12), '8642', '4929 6183'])
      expect(text).not.toContain(secret);
  }
  // The file holds the keys of its merchants, once; nothing that is shown does.
  expect(shown).not.toContain(fixture.key);
  expect(shown).not.toMatch(/PRIVATE KEY/);
});

test('the dashboard shows what was typed as text, and lists orders by what is asked for', () => {
  const fixture = openFixture();
  const html = (address: string) => dashboardPage(fixture, address).body;
  expect(html('/')).toContain('No orders yet');
  const id = '<img src=x onerror=alert(1)>';
  const order = approvedOrder(fixture, 'sale', { id });
  approvedOrder(fixture, 'preauth', { id: 'second', cvv: '777', currency: 'JPY', amount: '1042', minor: '1042' });
  for (const address of ['/', `/orders/${order}`]) {
    const page = html(address);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toMatch(/<img|<script(?! src)|style=|onerror=[^a]/);
  }
  expect(html('/')).toMatch(/Orders found: 2,.*second.*1042 JPY.*10\.42 USD/s);
  expect(html('/?q=econ')).toMatch(/Orders found: 1,.*second/s);
  expect(html('/?q=%25')).toContain('Orders found: 0,');
  expect(html('/?q=%22%3E%3Cb%3E')).toContain('value="&quot;&gt;&lt;b&gt;"');
  expect(dashboardPage(fixture, '/orders/1').status).toBe(404);
  const csp = dashboardPage(fixture, '/').headers['content-security-policy'];
  expect(csp).toContain("default-src 'none'");
  expect(csp).not.toContain('unsafe');
});

test('a card number that stands where a long text is cut is not recorded in part', () => {
  for (let at = 180; at <= 200; at += 4) {
    const fresh = openFixture();
    const text = `${'x'.repeat(at)} 4444333322221111 ${'x'.repeat(100)}`;
    send(fresh.sandbox, '/api/v2/sale/4001', bodyOf({ order_desc: text }));
    const written = JSON.stringify(fresh.database.all('SELECT title, detail, fields FROM events'));
    expect(written).not.toMatch(/4444\d/);
    expect(written).toMatch(/characters\)/);
  }
});
