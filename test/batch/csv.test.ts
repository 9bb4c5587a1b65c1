import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv, readCsvRecord } from '../../src/batch/input/csv.js';
import { readNdjson } from '../../src/batch/input/ndjson.js';
import { Utf8Check } from '../../src/batch/input/source.js';

/** RFC 4180, section 2: a cell with a quote, a separator or a line end is quoted, and its quotes are doubled. */
function cellText(cell: string, isQuoted: boolean, delimiter: string): string {
  const must = ['"', delimiter, '\r', '\n'].some((sign) => cell.includes(sign)) || cell.startsWith('\ufeff');
  return must || isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell;
}

async function readAll(bytes: Uint8Array, size: number, delimiter = ',') {
  const records = [];
  const broken = [];
  for await (const piece of readCsv(cut(bytes, size), delimiter)) {
    records.push(...piece.records);
    if (piece.broken !== undefined) broken.push(piece.broken);
  }
  return { records, broken };
}

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const cell = fc.string({
  unit: fc.constantFrom('a', 'ß', '漢', '😀', '"', ',', ';', '\n', '\r\n', ' ', "'", '=', '\t', '1'),
  maxLength: 12,
});
const table = fc.integer({ min: 2, max: 4 }).chain((width) =>
  fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: width, maxLength: width }), {
    minLength: 1,
    maxLength: 6,
  }),
);

describe('CSV', () => {
  test('is read back as RFC 4180 writes it, however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(',', ';', '\t'),
        fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 6, maxLength: 6 }),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 6, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (rows, delimiter, ends, blanks, size, hasMark) => {
          const lines = rows.map((row, at) => ({
            text: row.map(([text, isQuoted]) => cellText(text, isQuoted, delimiter)).join(delimiter),
            end: ends[at] ?? '\n',
            blank: (ends[at] ?? '\n').repeat(blanks[at] ?? 0),
          }));
          const whole = `${hasMark ? '\ufeff' : ''}${lines.map(({ blank, text, end }) => blank + text + end).join('')}`;
          const bytes = Buffer.from(whole);
          const { records, broken } = await readAll(bytes, size, delimiter);
          expect(broken).toEqual([]);
          expect(records.map(({ cells }) => cells)).toEqual(rows.map((row) => row.map(([text]) => text)));
          // Each begins where a reader who counts line feeds would look for it.
          let before = '';
          const starts = lines.map(({ blank, text, end }) => {
            const line = (before + blank).split('\n').length;
            before += blank + text + end;
            return line;
          });
          expect(records.map(({ line }) => line)).toEqual(starts);
          // Its bytes alone are the same record.
          for (const { from, bytes: length, cells } of records)
            expect(readCsvRecord(bytes.subarray(from, from + length), delimiter)).toEqual(cells);
          expect(records.reduce((sum, record) => sum + record.bytes, 0)).toBe(bytes.length - (records[0]?.from ?? 0));
        },
      ),
    );
  });

  test('of bytes nobody planned is read or refused, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), async (bytes, size) => {
        const { broken } = await readAll(bytes, size);
        const isText = isUtf8(bytes);
        expect(broken.length).toBeLessThanOrEqual(1);
        if (!isText) expect(broken).toHaveLength(1);
      }),
    );
  });
});

test('bytes that are no UTF-8 are found in their line, also behind a character that two pieces share', () => {
  const check = new Utf8Check();
  // The second half of a letter, two lines, and a byte that begins nothing.
  expect(check.faultIn(Buffer.from([0x61, 0x0a, 0xe6, 0xbc]))).toBeUndefined();
  expect(check.faultIn(Buffer.from([0xa2, 0x0a, 0x62, 0x0a, 0xff, 0x0a, 0x63]))).toBe(4);
});

describe('NDJSON', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'ß', ' ', '_'), minLength: 1, maxLength: 4 });
  // What stands for bytes that were none of text is refused.
  const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\ufffd'));
  test('is read back however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(name, text, { maxKeys: 4, noNullPrototype: true }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.integer({ min: 1, max: 40 }),
        async (objects, size) => {
          const lines = objects.map((object) => `${JSON.stringify(object)}\n`).join('\r\n');
          const records = [];
          for await (const piece of readNdjson(cut(Buffer.from(lines), size))) {
            expect(piece.broken).toBeUndefined();
            records.push(...piece.records);
          }
          expect(records.map(({ entries }) => Object.fromEntries(entries))).toEqual(objects);
          expect(records.map(({ line }) => line)).toEqual(objects.map((_, at) => at * 2 + 1));
        },
      ),
    );
  });
});

function isUtf8(bytes: Uint8Array): boolean {
  return Buffer.from(Buffer.from(bytes).toString('utf8')).equals(Buffer.from(bytes));
}
