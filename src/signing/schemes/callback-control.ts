import { callbackFields, type ReplyField } from '../../spec/replies.js';
import type { Pair } from '../../wire/form.js';
import { equalInConstantTime } from '../constant-time.js';
import { type ControlEncoding, controlChecksum } from './control-checksum.js';

/** What the checksum of a callback covers, and the checksum that came with it. */
export interface CallbackTexts {
  readonly status: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  /** Empty when none was sent. */
  readonly control: string;
}

/**
 * The fields of a query or form. Only some are signed, so one that is not UTF-8 does not stop the others; it is read
 * with replacement marks: `callbackPairs('a=%E9')` is `[['a', '\uFFFD']]`.
 */
export function callbackPairs(text: string): Pair[] {
  return [...new URLSearchParams(text)];
}

const fields: readonly ReplyField[] = Object.values(callbackFields);
const single = fields.filter(({ isSingle }) => isSingle).map(({ wire }) => wire);
const signed = fields.filter(({ isSigned }) => isSigned).map(({ wire }) => wire);

/**
 * Why fields cannot be those of a callback, whatever their checksum; undefined when nothing stands against them (A24).
 * `callbackProblem([['status', 'approved']])` is `orderid is missing or empty`.
 */
export function callbackProblem(pairs: readonly Pair[]): string | undefined {
  const twice = single.find((name) => pairs.filter(([each]) => each === name).length > 1);
  if (twice !== undefined) return `${twice} was sent more than once`;
  // A checksum over nothing but the key fits as well, so empty fields are no callback.
  const empty = signed.find((name) => !pairs.some(([each, value]) => each === name && value !== ''));
  return empty === undefined ? undefined : `${empty} is missing or empty`;
}

/**
 * For each key whether it makes the checksum of this callback: SHA-1 over status, order id, client order id and key
 * (A24). All keys are tried, each in a time that depends on lengths only, and hexadecimal digits mean the same in
 * either case: `callbackMatches({ status, orderId, clientOrderId, control }, ['key'], 'hex-lower')` is `[true]`. Throws
 * TEXT_INVALID for a lone surrogate.
 */
export function callbackMatches(
  { status, orderId, clientOrderId, control }: CallbackTexts,
  keys: readonly string[],
  encoding: ControlEncoding,
): boolean[] {
  const plain = (text: string) => (encoding === 'base64' ? text : text.toLowerCase());
  return keys.map((key) =>
    equalInConstantTime(plain(controlChecksum([status, orderId, clientOrderId], key, { encoding })), plain(control)),
  );
}
