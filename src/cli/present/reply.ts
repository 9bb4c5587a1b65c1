import type { Paint } from '../../runtime/ports.js';
import { type Operation, replyField, statusOf } from '../../spec/index.js';
import { digitsOf, readAmount } from '../../wire/amount.js';
import { printable, printableJson } from '../../wire/redact.js';

/** What a reply amounts to, after all questions have been asked. */
export interface Result {
  readonly row: Operation;
  readonly profile: string;
  readonly ok: boolean;
  readonly clientOrderId: string | undefined;
  /** Reply fields in the order the gateway sent them. */
  readonly fields: ReadonlyMap<string, string>;
  /** One sentence on what it means. */
  readonly meaning: string;
  readonly tone: 'good' | 'bad' | 'warn';
  /** The next useful command, or nothing. */
  readonly next: string | undefined;
  readonly exit: number;
  readonly minorDigits: string;
  readonly endpointId: string;
}

/** A reply for people: every field, the meaning in a line, what to do next. */
export function presentText(result: Result, paint: Paint): string {
  const names = [...result.fields.keys()];
  const width = Math.max(0, ...names.map((name) => name.length));
  const lines = [...result.fields].map(
    ([name, value]) => `  ${paint.name(printable(name).padEnd(width))}  ${tint(name, printable(value).replaceAll('\n', ' '), paint)}`,
  );
  const mark = { good: paint.good('✓'), bad: paint.bad('✗'), warn: paint.warn('!') }[result.tone];
  const next = result.next === undefined ? [] : [`${paint.dim('next:')} ${printable(result.next)}`];
  return `${[paint.bold(result.row.command), ...lines, `${mark} ${printable(result.meaning)}`, ...next].join('\n')}\n`;
}

function tint(name: string, value: string, paint: Paint): string {
  if (name !== 'status') return value;
  const facts = statusOf(value);
  if (facts?.success === true) return paint.good(value);
  return facts?.final === true ? paint.bad(value) : paint.warn(value);
}

/** A reply for programs: a stable envelope around the reply's own fields, all values text. */
export function presentJson(result: Result, select: string | undefined): string {
  return `${printableJson(JSON.stringify(selected(documentOf(result), select), null, 2))}\n`;
}

/** The same on one line, with further facts. */
export function presentJsonLine(result: Result, select: string | undefined, more: Readonly<Record<string, unknown>>): string {
  return `${printableJson(JSON.stringify(selected({ ...documentOf(result), ...more }, select)))}\n`;
}

function documentOf(result: Result): Record<string, unknown> {
  const { row, profile, ok, fields } = result;
  return {
    schema: 'paycli/1',
    ok,
    operation: row.id,
    profile,
    order: {
      orderId: replyField(fields, 'orderId') ?? null,
      clientOrderId: result.clientOrderId ?? replyField(fields, 'clientOrderId') ?? null,
    },
    ...money(result),
    result: Object.fromEntries(fields),
    meaning: result.meaning,
    next: result.next ?? null,
    exit: result.exit,
  };
}

/** Only the named fields, if any are named: `order.orderId` by path, or a reply field by its own name. */
function selected(document: Readonly<Record<string, unknown>>, select: string | undefined): Readonly<Record<string, unknown>> {
  if (select === undefined) return document;
  const names = select.split(',').filter((name) => name !== '');
  return Object.fromEntries(names.map((name) => [name, at(document, name.split('.')) ?? at(document, ['result', name]) ?? null]));
}

function at(value: unknown, path: readonly string[]): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, head)) return undefined;
  return at(Object.entries(value).find(([name]) => name === head)?.[1], rest);
}

function money({ fields, minorDigits, endpointId }: Result): object {
  const text = fields.get('amount');
  const currency = fields.get('currency');
  if (text === undefined || currency === undefined) return {};
  const digits = digitsOf(currency, minorDigits, endpointId);
  const reading = readAmount(text, currency, digits);
  return reading.ok ? { amount: { minor: String(reading.minor), digits, currency, text } } : {};
}
