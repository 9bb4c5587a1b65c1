import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { done, sale, sandboxHome } from './listed.js';
import { homeWithProfile, saleFlags, statusReply } from './profiles.js';

describe('--fields', () => {
  test('a name that no result has is refused before anything is sent, with the names there are', async () => {
    const home = homeWithProfile();
    for (const argv of [
      [...saleFlags, '--fields=nope'],
      ['status', '1', '--fields', 'order.orderId,nope'],
      ['status', '--wait', '1', '--fields=nope'],
    ]) {
      const { exit, err, requests } = await paycli(argv, { home });
      expect([exit, requests.length, err]).toEqual([
        2,
        0,
        expect.stringMatching(/no field nope.*available: schema, ok, .*approval-code/s),
      ]);
    }
    const near = await paycli(['status', '1', '--fields=statsu'], { home });
    expect(near.err).toContain('did you mean status?');
    const own = await paycli(['status', '12345', '--fields=result.x-new,status'], {
      home,
      network: [() => reply(200, statusReply('approved', { 'x-new': '7' }))],
    });
    expect(JSON.parse(own.out)).toEqual({ 'result.x-new': '7', status: 'approved' });
  });

  test('of a list gives a list of what was chosen, with null for what is not there', async () => {
    const home = await sandboxHome();
    const { out } = await done(['journal', '--fields=operation,amount.text,result.nothing'], { home });
    expect(JSON.parse(out)).toEqual([
      { operation: 'SALE', 'amount.text': '10.42', 'result.nothing': null },
      { operation: 'SALE', 'amount.text': '7.00', 'result.nothing': null },
    ]);
    const csv = await done(['journal', '-o', 'csv', '--fields', 'amount.text, operation'], { home });
    expect(csv.out).toBe('"amount.text","operation"\r\n"10.42","SALE"\r\n"7.00","SALE"\r\n');
    const table = await done(['journal', '-o', 'text', '--fields', 'operation,amount.text'], { home });
    expect(table.out).toBe('operation  amount.text\nSALE             10.42\nSALE              7.00\n');
    const lines = await done(['journal', '-o', 'ndjson', '--fields', 'entry'], { home });
    expect(lines.out).toBe('{"entry":1}\n{"entry":2}\n');
  });

  test('of a single result gives it alone, by path or by the name of a field of the reply', async () => {
    const home = temporaryHome();
    const { out } = await done([...sale, '--fields=order.clientOrderId,status'], { home });
    expect(JSON.parse(out)).toEqual({ 'order.clientOrderId': 'order-1', status: 'approved' });
    const csv = await done(['status', '--client-order-id', 'order-1', '-o', 'csv', '--fields', 'ok,status'], { home });
    expect(csv.out).toBe('"ok","status"\r\n"true","approved"\r\n');
    const text = await done(['status', 'order-1', '-o', 'text', '--fields', 'ok,status'], { home });
    expect(text.out).toBe('true\tapproved\n');
  });
});

describe('a stream', () => {
  const twice = (home: string, more: readonly string[]) =>
    done(['order', 'order-1', 'order-1', '-p', 'sandbox', ...more], { home });

  test('is one event a line in every form programs read', async () => {
    const home = await sandboxHome();
    for (const form of ['json', 'ndjson']) {
      const lines = (await twice(home, ['-o', form])).out.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).status)).toEqual(['approved', 'approved']);
    }
    const documents = parseAllDocuments((await twice(home, ['-o', 'yaml'])).out);
    expect(documents.map((each) => each.toJS().status)).toEqual(['approved', 'approved']);
  });
});
