import type { Paint } from '../../runtime/ports.js';
import { type Operation, replyField, statusOf } from '../../spec/index.js';
import { digitsOf, readAmount } from '../../wire/amount.js';
import { membersOf } from '../../wire/reply.js';
import { type Document, replyDocument } from './document.js';
import { sandboxMark } from './profile.js';
import { oneLine } from './table.js';

/** The result of an operation after all status queries. */
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
  /** The next useful command, if any. */
  readonly next: string | undefined;
  readonly exit: number;
  readonly minorDigits: string;
  readonly endpointId: string;
}

/** A reply for people: every field, the meaning in one line, the next command. */
export function presentText(result: Result, paint: Paint): string {
  const members = membersOf(result.fields);
  const width = Math.max(0, ...members.map(({ name }) => name.length));
  const lines = members.map(
    ({ name, text: value }) =>
      `  ${paint.name(oneLine(name).padEnd(width))}  ${name === 'status' ? statusText(value, paint) : oneLine(value)}`,
  );
  const mark = { good: paint.good('✓'), bad: paint.bad('✗'), warn: paint.warn('!') }[result.tone];
  const next = result.next === undefined ? [] : [`${paint.dim('next:')} ${oneLine(result.next)}`];
  const head = `${paint.bold(result.row.command)}${sandboxMark(result.profile)}`;
  return `${[head, ...lines, `${mark} ${oneLine(result.meaning)}`, ...next].join('\n')}\n`;
}

/** A status in its colour. */
export function statusText(word: string, paint: Paint): string {
  const facts = statusOf(word);
  if (facts?.success === true) return paint.good(word);
  const text = oneLine(word);
  return facts?.final === true ? paint.bad(text) : paint.warn(text);
}

/** A reply for programs: a stable envelope around the reply's own fields, all values text. */
export function resultDocument(result: Result): Document {
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
    result: replyDocument(fields),
    meaning: result.meaning,
    next: result.next ?? null,
    exit: result.exit,
  };
}

function money({ fields, minorDigits, endpointId }: Result): object {
  const text = replyField(fields, 'amount');
  const currency = replyField(fields, 'currency');
  if (text === undefined || currency === undefined) return {};
  const digits = digitsOf(currency, minorDigits, endpointId);
  const reading = readAmount(text, currency, digits);
  return reading.ok ? { amount: { minor: String(reading.minor), digits, currency, text } } : {};
}
