import type { ExchangeWatch } from '../../payments/exchange.js';
import type { EchoGuard } from '../../payments/reply-redaction.js';
import type { HttpReply } from '../../runtime/ports.js';
import type { SignedRequest, Unsigned } from '../../signing/index.js';
import { hidden } from '../../wire/mask.js';
import { maskPairs, printable } from '../../wire/redact.js';
import { membersOf, parseReply } from '../../wire/reply.js';
import type { Layout, Output } from './document.js';
import { sandboxMark } from './meaning.js';

const maxTracedCharacters = 4096;

/** One value of a request and where it came from. */
export interface ShownValue {
  readonly field: string;
  readonly wire: string;
  readonly value: string;
  readonly origin: string;
}

/** A request as it would be sent, for --dry-run; its pairs are already masked where needed. */
export function presentRequest(request: SignedRequest, bodyBytes: number, profile: string, report: Layout): string {
  const { paint } = report;
  const headers = Object.entries(request.headers).map(([name, value]) => [`  ${name}:`, value]);
  const pairs = request.pairs.map(([name, value]) => [`  ${printable(name)}`, `= ${printable(value)}`]);
  return [
    `${paint.bold('Request')}${sandboxMark(profile)}\nPOST ${request.url}\n`,
    report.columns(headers),
    `${paint.bold('Body')} (${bodyBytes} bytes, form-encoded)\n`,
    report.columns(pairs),
  ].join('');
}

/** Every value with the place it came from, and the amount in decimal and in minor units. */
export function presentValues(values: readonly ShownValue[], unsigned: Unsigned, report: Layout): string {
  const { paint } = report;
  const rows = values.map(({ wire, value, origin }) => [`  ${wire}`, printable(value), `from ${origin}`]);
  const amount =
    unsigned.minor === undefined
      ? ''
      : `  amount in the body ${unsigned.values['amount'] ?? ''}, in minor units ${unsigned.minor} ${unsigned.values['currency'] ?? ''}\n`;
  return `${paint.bold('Values')}\n${report.columns(rows)}${amount}`;
}

/** Prints the HTTP exchange to standard error, one reply field per line. Card data and signatures are masked. */
export function traceExchange(report: Pick<Output, 'trace'>): ExchangeWatch {
  return {
    sent(request, row) {
      report.trace([`> POST ${request.url}`]);
      for (const [name, value] of Object.entries(request.headers))
        report.trace([`> ${name}: ${name === 'Authorization' ? maskHeader(value) : value}`]);
      for (const [name, value] of maskPairs(row, request.pairs)) report.trace([`> ${name} = ${value}`]);
    },
    received(delivery, masks) {
      if (delivery.kind !== 'reply') return report.trace([`< ${delivery.kind}: ${delivery.reason}`]);
      const { status, headers, body } = delivery.reply;
      report.trace([`< HTTP ${status}`]);
      for (const [name, value] of Object.entries(headers))
        report.trace([`< ${printable(masks.loggedText(`${name}: ${value}`))}`]);
      report.trace(
        bodyLines(headers['content-type'], body, masks).map((line) => `< ${line.slice(0, maxTracedCharacters)}`),
      );
    },
  };
}

/** One field per line where the body has fields; else the whole body on one line. */
function bodyLines(
  contentType: HttpReply['headers'][string] | undefined,
  body: Uint8Array,
  masks: EchoGuard,
): readonly string[] {
  const parsed = parseReply(body, contentType?.toString(), 'form');
  const lines = parsed.ok
    ? membersOf(masks.loggedFields(parsed.fields)).map(({ name, text }) => `${name} = ${text}`)
    : [masks.loggedText(new TextDecoder().decode(body))];
  return lines.map((line) => printable(line).replaceAll('\n', ' '));
}

function maskHeader(value: string): string {
  return value.replace(/oauth_signature="[^"]*"/, `oauth_signature="${hidden}"`);
}
