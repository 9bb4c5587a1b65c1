import { expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { strangeCard } from './listed.js';

const sale = testSale('--client-order-id', 'order-1', '--wait');

test('the log shows what happened, one event a line on request', async () => {
  const home = temporaryHome();
  const before = await paycli(['sandbox', 'log'], { home });
  expect([before.exit, before.out, before.err]).toEqual([
    0,
    '',
    expect.stringContaining('nothing has happened in this sandbox yet'),
  ]);
  expect((await paycli(sale, { home })).exit).toBe(0);
  const text = await paycli(['sandbox', 'log', '--order', 'order-1'], { home });
  expect(text.out).toMatch(/request +\d+ +sale accepted +HTTP 200, control valid, [\d.]+ ms\n/);
  // People read the words of the command line, programs those of the gateway.
  expect(text.out).toMatch(/stage .* sale approved\n/);
  const followed = await paycli(['sandbox', 'log', '--follow'], { home, signal: 'SIGINT' });
  expect(followed.out).toMatch(/stage .* sale approved\n/);
  const stages = JSON.parse((await paycli(['sandbox', 'log', '--json'], { home })).out).events;
  expect(stages).toContainEqual(expect.objectContaining({ kind: 'stage', title: 'sale_approved' }));
  const lines = await paycli(['sandbox', 'log', '-o', 'ndjson', '--limit', '1'], { home });
  const event = JSON.parse(lines.out);
  const json = await paycli(['sandbox', 'log', '--json', '--limit', '1'], { home });
  expect(JSON.parse(json.out)).toEqual({ schema: 'paycli.log/1', events: [event] });
  expect(event).toMatchObject({
    schema: 'paycli.event/1',
    kind: 'request',
    title: 'status answered: approved',
    login: 'sandbox',
  });
  expect(event.fields).toMatchObject({ client_orderid: 'order-1', control: '•••' });
  const other = await paycli(['sandbox', 'log', '--order', 'nobody'], { home });
  expect(other.err).toContain('the log has nothing on this order');
  expect((await paycli(['sandbox', 'log', '--limit', '0'], { home })).exit).toBe(2);
});

test('the audit is clean after a sale, and exits with 11 after a mistake', async () => {
  const home = temporaryHome();
  await paycli(sale, { home });
  const clean = await paycli(['sandbox', 'log', '--findings'], { home });
  expect([clean.exit, clean.out, clean.err]).toEqual([0, '', expect.stringContaining('no findings')]);
  expect(JSON.parse((await paycli(['sandbox', 'log', '--findings', '--json'], { home })).out)).toEqual({
    schema: 'paycli.audit/1',
    ok: true,
    findings: [],
  });
  const refused = await paycli(testSale('--client-order-id', 'sale-2', '--card-number', strangeCard), { home });
  expect(refused.exit).toBe(4);
  const found = await paycli(['sandbox', 'log', '--findings'], { home });
  expect(found.exit).toBe(11);
  expect(found.out).toMatch(/card-not-test {2}.*\n {2}sale: credit_card_number is not a published test number/);
  expect(found.out).toMatch(/client_orderid: sale-2.*fix:/s);
  const json = await paycli(['sandbox', 'log', '--findings', '--json'], { home });
  expect([json.exit, JSON.parse(json.out)]).toEqual([
    11,
    expect.objectContaining({
      ok: false,
      findings: [
        expect.objectContaining({
          rule: 'card-not-test',
          count: 1,
          orders: ['sale-2'],
        }),
      ],
    }),
  ]);
  const xml = await paycli(['sandbox', 'log', '--findings', '--junit'], { home });
  expect(xml.exit).toBe(11);
  expect(xml.out).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites .*failures="1"/);
  expect(xml.out.match(/<failure /g)).toHaveLength(1);
  expect((await paycli(['sandbox', 'log', '--findings', '--since', '2040-01-01'], { home })).exit).toBe(0);
  expect((await paycli(['sandbox', 'log', '--findings', '--since', 'soon'], { home })).exit).toBe(2);
});
