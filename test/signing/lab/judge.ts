import { createPrivateKey, createPublicKey, createSign, type KeyObject } from 'node:crypto';
import { findControlMistakes, findOauthMistakes, type Mistake } from '../../../src/signing/diagnose/index.js';
import { caseOf } from '../diagnose/orders.js';
import type { Made } from './made.js';
import { controlRequests, oauthOrders } from './requests.js';

/**
 * `match`: no fault after all, as where an encoder changes nothing in a request, or of two faults one that comes to the
 * same by itself.
 */
export type Outcome = 'right' | 'unnamed' | 'wrong' | 'match';

export interface Judged {
  readonly scheme: string;
  readonly channel: string;
  readonly made: Made;
  readonly outcome: Outcome;
  readonly named: readonly Mistake[];
  readonly ms: number;
}

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

// As a user meets it, with the limit of a search. Its clock is that of the processor: the machine may do other things.
const search = process.env['LAB_LIMIT'] === undefined ? {} : { clock: processorMs };

export interface Keys {
  readonly private: KeyObject;
  readonly other: KeyObject;
}

export function keysOf(pem: string, other: string): Keys {
  return { private: createPrivateKey(pem), other: createPrivateKey(other) };
}

/** The diagnosis of one value that a client made wrongly. */
export function judgeOauth(made: Made, keys: Keys): Judged | undefined {
  const order = oauthOrders[made.request];
  if (order === undefined) throw new Error(`no request ${made.request}`);
  const isRsa = order.signatureMethod === 'RSA-SHA256';
  const isShell = made.what.length === 1 && made.what[0]?.includes('$') === true;
  if (isRsa && !isShell && made.base === undefined) return undefined;
  const value =
    isRsa && made.base !== undefined
      ? createSign('RSA-SHA256').update(made.base).sign(keys.private, 'base64')
      : made.value;
  const usesOther = made.what[0]?.includes('"$OTHER"') === true;
  const given = caseOf(
    order,
    isRsa
      ? {
          publicKey: createPublicKey(keys.private),
          ...(usesOther ? { privateKey: keys.other } : { privateKey: keys.private }),
        }
      : {},
  );
  return judged(isRsa ? 'RSA-SHA256' : 'HMAC-SHA1', made, () => findOauthMistakes(given, value, search));
}

export function judgeControl(made: Made): Judged {
  const request = controlRequests[made.request];
  if (request === undefined) throw new Error(`no request ${made.request}`);
  return judged('control', made, () => findControlMistakes(request.given, made.value, search));
}

function judged(
  scheme: string,
  made: Made,
  find: () => { readonly match: boolean; readonly explanations: readonly (readonly Mistake[])[] },
): Judged {
  const start = processorMs();
  const { match, explanations } = find();
  const ms = processorMs() - start;
  const [named = []] = explanations;
  const outcome =
    match || isOneOfTwo(made, named)
      ? 'match'
      : named.length === 0
        ? 'unnamed'
        : isRight(made, named)
          ? 'right'
          : 'wrong';
  return { scheme, channel: made.channels.join(' + '), made, outcome, named, ms };
}

/** Proven, so that nothing is left for the other fault to explain; a length alone proves nothing. */
function isOneOfTwo({ expected }: Made, named: readonly Mistake[]): boolean {
  const [one, ...others] = named;
  if (expected.length < 2 || one === undefined || others.length > 0 || one.variant === 'length') return false;
  return !expected.includes('any') && expected.some((names) => names.split('|').includes(one.name));
}

/** Each fault is named, and nothing else is. */
function isRight({ expected }: Made, named: readonly Mistake[]): boolean {
  const alternatives = expected.map((names) => names.split('|'));
  const isAny = alternatives.some((names) => names.includes('any'));
  // Where one text is in the place of all values, what joins them stands between it and the key alone.
  const isOneText = named.some(({ variant }) => variant === 'whole-body');
  const found = named.map(({ name }) => (isOneText && name === 'key-whitespace' ? 'order' : name));
  return (
    alternatives.every((names) => names.includes('any') || found.some((name) => names.includes(name))) &&
    (isAny || found.every((name) => alternatives.flat().includes(name)))
  );
}
