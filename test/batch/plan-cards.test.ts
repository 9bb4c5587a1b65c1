import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { headOf } from '../../src/batch/plan.js';
import { RowReader } from '../../src/batch/rows.js';
import { openFiles } from '../../src/runtime/files.js';
import { paycli } from '../support/runtime.js';
import { openJournalOf } from '../support/user-journal.js';
import { expectEnd, homeWith, plan, planned, plansIn, stateBytes } from './files.js';

const header = 'client_orderid,amount,currency,credit_card_number,card_printed_name,expire_month,expire_year';
const [visa, master] = ['4444333322221111', '5555555555554444'];
const rows = [`a-1,10.00,EUR,${visa},Jane Doe,12,2034`, '', `a-2,25.50,EUR,${master},"Doe, Jöhn",01,2035`];
const text = `${[header, ...rows].join('\n')}\n`;
const ndjson = `{"client_orderid":"a-0","amount":"1","currency":"EUR","wallet_type":"w","wallet_id":"x"}
{"client_orderid":"a-1","amount":"10.00","currency":"EUR","credit_card_number":"${visa}"}
`;
const flags = ['--allow-pan-file'];

/** Reads the rows of a plan, as a run does before it sends them. */
async function rowsOf(home: string, file = 'rows.csv') {
  const { plan: id } = await planned(home, [file, ...flags]);
  const journal = openJournalOf(home);
  onTestFinished(() => journal.close());
  const [batch = expect.unreachable('no plan')] = await journal.findBatches(id);
  const reader = new RowReader(headOf(batch), { journal, files: openFiles({}, { home, working: home }) });
  return async (...numbers: readonly number[]) => {
    const all = await journal.find({ batch: id }, { after: 0, limit: 1000 });
    return reader.read(all.filter(({ number = 0 }) => numbers.length === 0 || numbers.includes(number)));
  };
}

describe('a file with card numbers', () => {
  test('needs --allow-pan-file', async () => {
    const ran = await plan(homeWith(text));
    expectEnd(ran, 2, 'column 4 (credit_card_number) contains card data');
    expect(ran.err).not.toContain(visa);
    const lines = await plan(homeWith(ndjson, 'rows.ndjson'), ['rows.ndjson']);
    expectEnd(lines, 2, 'line 2 (a-1): credit_card_number contains card data');
  });

  test.each([[0o640], [0o604]])('needs more than mode %o', async (mode) => {
    const home = homeWith(text);
    chmodSync(join(home, 'rows.csv'), mode);
    const ran = await plan(home, flags);
    expectEnd(ran, 3, 'other users can read');
    expect(ran.err).toContain('chmod 600');
    expect(await plansIn(home)).toEqual([]);
  });

  test('is planned without one of them in any file of the state folder, in whatever form', async () => {
    const home = homeWith(text);
    const { largest } = await planned(home, flags);
    expect(largest.map(({ destination }) => destination)).toEqual(['card •••• 4444', 'card •••• 1111']);
    const bytes = stateBytes(home);
    expect(bytes).toContain('a-1');
    const digits = [visa, master].flatMap((number) => [
      number,
      number.slice(0, 12),
      number.slice(4),
      number.replace(/(\d{4})(?=\d)/g, '$1 '),
    ]);
    for (const part of digits) expect(bytes).not.toContain(part);
    // Nor the date of a card, nor a plain digest of the file that numbers could be tried against.
    expect(bytes).not.toContain('2034');
    expect(bytes).not.toContain(createHash('sha256').update(text).digest('hex'));
  });

  test('is read anew for each row', async () => {
    const rows = await rowsOf(homeWith(text));
    expect(
      (await rows()).map(({ values }) => [values['cardNumber'], values['cardHolder'], values['expireYear']]),
    ).toEqual([
      [visa, 'Jane Doe', '2034'],
      [master, 'Doe, Jöhn', '2035'],
    ]);
    expect((await rows(2))[0]?.values).toEqual({
      ...{ clientOrderId: 'a-2', amount: '25.50', currency: 'EUR', redirectUrl: 'https://shop.example/return' },
      ...{ cardNumber: master, cardHolder: 'Doe, Jöhn', expireMonth: '01', expireYear: '2035' },
    });
  });

  test('may be NDJSON where some rows have no card', async () => {
    const rows = await rowsOf(homeWith(ndjson, 'rows.ndjson'), 'rows.ndjson');
    expect((await rows()).map(({ values }) => values['cardNumber'])).toEqual([undefined, visa]);
  });

  test.each<readonly [string, (path: string) => void]>([
    ['one digit changed', (path) => writeFileSync(path, text.replace('4444333322221111', '4444333322221129'))],
    ['two rows exchanged', (path) => writeFileSync(path, `${[header, rows[2], '', rows[0]].join('\n')}\n`)],
    ['others let in', (path) => chmodSync(path, 0o644)],
    ['the file gone', (path) => rmSync(path)],
  ])('gives no row any more with %s', async (_, change) => {
    const home = homeWith(text);
    const read = await rowsOf(home);
    change(join(home, 'rows.csv'));
    await expect(read(1)).rejects.toMatchObject({ code: 'SECRET_UNREADABLE', exit: 3 });
  });

  test('rows far apart are found by their place', async () => {
    // More than a piece of the file, with numbers of both cards in turn.
    const many = Array.from(
      { length: 300 },
      (_, at) => `r-${at},1.00,EUR,${at % 2 === 0 ? visa : master},${'漢'.repeat(40)},12,2034`,
    );
    const read = await rowsOf(homeWith(`${[header, ...many].join('\r\n')}\r\n`));
    const seen = (await read()).map(({ values }) => `${values['clientOrderId']} ${values['cardNumber']}`);
    expect(seen).toEqual(many.map((_, row) => `r-${row} ${row % 2 === 0 ? visa : master}`));
  });

  test('may be deleted once it was sent: what only reads the plan works without it', async () => {
    const home = homeWith(text);
    const { plan: id } = await planned(home, flags);
    rmSync(join(home, 'rows.csv'));
    const well = async (...argv: readonly string[]) => {
      const ran = await paycli(['batch', ...argv], { home });
      expect(ran.exit, `${argv.join(' ')}\n${ran.err}`).toBe(0);
      return ran.out;
    };
    const { batches } = JSON.parse(await well('show', '--json'));
    expect(batches).toMatchObject([{ plan: id, states: { planned: 2 } }]);
    expect(JSON.parse(await well('show', id, '--json'))).toMatchObject({ plan: id });
    expect(await well('show', id)).toContain('keep it unchanged until the batch is finished');
    await well('show', id, '--out', join(home, id));
    expect(readFileSync(join(home, id, 'results.csv'), 'utf8')).toContain('a-1');
    expect((await paycli(['batch', 'run', id], { home })).exit).toBe(3);
    await well('cancel', id, '--reason', 'the file is gone');
    expect(await well('show', id)).toContain('is no longer needed');
  });
});
