import type { Paint } from '../../runtime/ports.js';
import type { RawSignature } from '../../signing/diagnose/index.js';
import { printable } from '../../wire/redact.js';

/** A signature made by hand, for people. */
export function presentRaw({ baseString, signature, authorization, parameters }: RawSignature, paint: Paint): string {
  const pairs = parameters.map(([name, value]) => `  ${paint.name(name)}=${value}\n`);
  return [
    `${paint.bold('Parameters')}, encoded and sorted\n${pairs.join('')}`,
    `${paint.bold('Base string')} (${Buffer.byteLength(baseString)} bytes)\n  ${baseString}\n`,
    `${paint.bold('Signature')}\n  ${paint.good(signature)}\n`,
    `${paint.bold('Authorization')}\n  ${printable(authorization)}\n`,
  ].join('');
}

export interface RawControl {
  readonly string: string;
  readonly control: string;
}

/** A checksum made by hand, for people. */
export function presentRawControl({ string, control }: RawControl, values: readonly string[], paint: Paint): string {
  const marked = values.map((value) => `[${printable(value)}]`).join('');
  return [
    `${paint.bold('String')} (brackets mark the values and are not part of it; the control key follows)\n  ${marked}[control key]\n`,
    `${paint.bold('Without key')} (${Buffer.byteLength(string)} bytes)\n  ${printable(string)}\n`,
    `${paint.bold('Control')}\n  ${paint.good(control)}\n`,
  ].join('');
}
