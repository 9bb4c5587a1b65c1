import type { ControlEncoding } from '../schemes/control-checksum.js';
import type { HmacKeyForm } from '../schemes/oauth1.js';
import type { Mistake } from './diagnosis.js';

/** What the advice depends on besides the mistake. */
export interface RemedyContext {
  /** Undefined where it is not known which it is. */
  readonly scheme?: 'control' | 'HMAC-SHA1' | 'RSA-SHA256' | undefined;
  /** A01; lower-case hexadecimal when left out. */
  readonly encoding?: ControlEncoding | undefined;
  /** A51; encoded when left out. */
  readonly keyForm?: HmacKeyForm | undefined;
  /** What the request asks for; the advice shows it in minor units. */
  readonly money?: Money | undefined;
}

/** An amount as the body has it and in minor units. */
interface Money {
  readonly amount: string;
  readonly currency: string;
  readonly minor: string;
  readonly digits: number;
}

/** The advice for some variants of a mistake. */
export interface RemedyRow {
  readonly name: Mistake['name'];
  /** All of the name when left out. */
  readonly variants?: RegExp;
  /** Only for this scheme. */
  readonly scheme?: NonNullable<RemedyContext['scheme']>;
  readonly change: (context: RemedyContext) => string;
}

/** One row of a table. */
export const row = (
  name: Mistake['name'],
  variants: RegExp | undefined,
  change: string | RemedyRow['change'],
  scheme?: RemedyRow['scheme'],
): RemedyRow => ({
  name,
  change: typeof change === 'string' ? () => change : change,
  ...(variants === undefined ? {} : { variants }),
  ...(scheme === undefined ? {} : { scheme }),
});

/** How the result is written, by scheme and A01. */
export const digestWritten: RemedyRow['change'] = ({ scheme, encoding = 'hex-lower' }) => {
  if (scheme !== 'control') return 'write the bytes of the signature as standard Base64, once, on one line';
  if (encoding === 'base64') return 'write the bytes of the SHA-1 as standard Base64 (A01)';
  return `write the SHA-1 as 40 hexadecimal characters in ${encoding === 'hex-upper' ? 'upper' : 'lower'} case (A01)`;
};

const digitWords: Readonly<Record<number, string>> = { 1: 'one', 3: 'three', 4: 'four' };

/** With the amount of the request where it is known. */
export const amountInMinorUnits: RemedyRow['change'] = ({ money }) => {
  const { amount, currency, minor, digits } = money ?? { amount: '10.42', currency: 'USD', minor: '1042', digits: 2 };
  const use = 'use the amount in minor units in the checksum';
  if (digits === 0) return `${use}: ${amount} ${currency} is ${minor}, since ${currency} has no decimals`;
  const count = digits === 2 ? '' : ` (${currency} has ${digitWords[digits]} decimals)`;
  return `${use}: ${amount} ${currency} is ${minor}${count}, while the body keeps ${amount}`;
};

export const keyAsItIs = 'use the control key exactly as it was given to you';
