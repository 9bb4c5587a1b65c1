import type { Paint } from '../../runtime/ports.js';
import type { SignedRequest, Unsigned } from '../../signing/index.js';
import { printable } from '../../wire/redact.js';
import { columns } from './columns.js';

/** One value of a request and where it came from. */
export interface ShownValue {
  readonly field: string;
  readonly wire: string;
  readonly value: string;
  readonly origin: string;
}

/** A request as it would be sent, for --dry-run; its pairs are already masked where needed. */
export function presentRequest(request: SignedRequest, bodyBytes: number, paint: Paint): string {
  const headers = Object.entries(request.headers).map(([name, value]) => [`  ${name}:`, value]);
  const pairs = request.pairs.map(([name, value]) => [`  ${printable(name)}`, `= ${printable(value)}`]);
  return [
    `${paint.bold('Request')}\nPOST ${request.url}\n`,
    columns(headers),
    `${paint.bold('Body')} (${bodyBytes} bytes, form-encoded)\n`,
    columns(pairs),
  ].join('');
}

/** Every value with the place it came from, and the amount in both its forms. */
export function presentValues(values: readonly ShownValue[], unsigned: Unsigned, paint: Paint): string {
  const rows = values.map(({ wire, value, origin }) => [`  ${wire}`, printable(value), `from ${origin}`]);
  const amount =
    unsigned.minor === undefined
      ? ''
      : `  amount in the body ${unsigned.values['amount'] ?? ''}, in minor units ${unsigned.minor} ${unsigned.values['currency'] ?? ''}\n`;
  return `${paint.bold('Values')}\n${columns(rows)}${amount}`;
}
