import { suggest } from '../../errors/index.js';
import { isCurrency, toUnits } from '../../wire/amount.js';
import { nameLabel } from './columns.js';
import { readCsv } from './csv.js';
import type { Fault } from './source.js';

/** The fields of one movement in a statement. */
export const statementFields = ['order-id', 'client-order-id', 'amount', 'currency', 'status'] as const;
export type StatementField = (typeof statementFields)[number];

/** Money in ten-thousandths (see `toUnits`): statements and journals may use different digits. */
export interface ExactMoney {
  readonly units: bigint;
  readonly currency: string;
}

export interface StatementLine {
  readonly line: number;
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  /** Without its sign: in a statement a payout is negative. */
  readonly money: ExactMoney;
  readonly status: string | undefined;
}

export interface StatementSource {
  readonly delimiter: string;
  /** The columns the user named, and what they hold. */
  readonly map: Readonly<Record<string, StatementField>>;
  /** Where no column has it. */
  readonly currency: string | undefined;
}

interface StatementPart {
  readonly lines: readonly StatementLine[];
  readonly faults: readonly Fault[];
}

/** Names that need no --map, without case and separators. */
const knownColumns: Readonly<Record<string, StatementField>> = {
  ...{ orderid: 'order-id', paynetorderid: 'order-id' },
  ...{ clientorderid: 'client-order-id', merchantorderid: 'client-order-id' },
  ...{ amount: 'amount', currency: 'currency', status: 'status' },
};

/** Reads a statement as a stream; columns that are neither known nor mapped are ignored. */
export async function* readStatement(
  pieces: Iterable<Uint8Array>,
  source: StatementSource,
): AsyncGenerator<StatementPart> {
  let columns: readonly (StatementField | undefined)[] | undefined;
  for await (const { records, broken } of readCsv(pieces, source.delimiter)) {
    const lines: StatementLine[] = [];
    const faults: Fault[] = [];
    for (const { cells, line } of records) {
      if (columns === undefined) {
        columns = cells.map((name) => fieldOf(name, source));
        const wrong = headerFaults(cells, columns, line, source);
        if (wrong.length > 0) return yield { lines, faults: wrong };
        continue;
      }
      const read = lineOf(cells, line, columns, source);
      if ('why' in read) faults.push(read);
      else lines.push(read);
    }
    if (broken !== undefined) faults.push(broken);
    yield { lines, faults };
  }
}

function fieldOf(name: string, { map }: StatementSource): StatementField | undefined {
  const mapped = Object.hasOwn(map, name) ? map[name] : undefined;
  if (mapped !== undefined) return mapped;
  const found = knownColumns[name.toLowerCase().replace(/[\s_-]/g, '')];
  // A mapped column wins over one that only has the usual name.
  return found === undefined || Object.values(map).includes(found) ? undefined : found;
}

function headerFaults(
  names: readonly string[],
  columns: readonly (StatementField | undefined)[],
  line: number,
  { map, currency }: StatementSource,
): Fault[] {
  const has = (field: StatementField) => columns.includes(field);
  const lacks: string[] = [];
  if (!has('order-id') && !has('client-order-id')) lacks.push('order ids (order-id or client-order-id)');
  if (!has('amount')) lacks.push('amounts (amount)');
  if (!has('currency') && currency === undefined) lacks.push('currencies (currency, or --currency for all)');
  const labels = names.flatMap((name) => nameLabel(name) ?? []);
  const unknownNames = Object.keys(map).filter((name) => !names.includes(name));
  const twice = statementFields.filter((field) => columns.filter((each) => each === field).length > 1);
  return [
    ...lacks.map((what) => ({ line, why: `no column has the ${what}: name it with --map COLUMN=FIELD` })),
    ...unknownNames.map((name) => ({
      line,
      why: `the header has no column ${nameLabel(name) ?? 'that --map names'}${suggest(name, labels)}`,
    })),
    ...twice.map((field) => ({ line, why: `two columns have the ${field}: choose one with --map` })),
  ];
}

function lineOf(
  cells: readonly string[],
  line: number,
  columns: readonly (StatementField | undefined)[],
  source: StatementSource,
): StatementLine | Fault {
  if (cells.length !== columns.length)
    return { line, why: `it has ${cells.length} cells, but the header has ${columns.length} columns` };
  const text = (field: StatementField): string | undefined => {
    const cell = cells[columns.indexOf(field)];
    return cell === '' ? undefined : cell;
  };
  const [orderId, clientOrderId] = [text('order-id'), text('client-order-id')];
  const currency = text('currency') ?? source.currency ?? '';
  const amount = text('amount') ?? '';
  const units = unitsIn(amount);
  if (orderId === undefined && clientOrderId === undefined)
    return { line, field: 'order-id', why: 'it has no order id' };
  if (units === undefined) return { line, field: 'amount', why: 'its amount: use a decimal number, such as 10.42' };
  if (!isCurrency(currency))
    return { line, field: 'currency', why: 'its currency is not an ISO 4217 code; use one such as EUR' };
  return { line, orderId, clientOrderId, money: { units, currency }, status: text('status') };
}

function unitsIn(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^[+-]?(\d{1,15})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return toUnits({ minor: whole + fraction, digits: fraction.length, currency: '' });
}
