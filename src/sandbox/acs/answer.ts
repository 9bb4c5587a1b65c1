import { createHash } from 'node:crypto';
import { paresResults } from '../../spec/index.js';
import { encodeChallengeResponse, encodePayerResponse } from '../../threeds/index.js';
import { decimalText } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import type { Stay } from '../pages/progress.js';

/** The issuer's last word on a payer: authenticated, attempted, or not. */
export type Word = 'Y' | 'A' | 'N';

/** What the right code leads to; in 3-D Secure 1.0.2 the amount decides. */
export function goodWord({ order, opening }: Stay): Word {
  return opening.step === 'pareq' ? paresOf(order.amount, order.digits).status : 'Y';
}

const usualResult = { status: 'Y', eci: '05' } as const;

function paresOf(amount: bigint | undefined, digits: number) {
  return (amount === undefined ? undefined : paresResults[decimalText(amount, digits)]) ?? usualResult;
}

/** The message for the merchant: a CRes, or a PaRes where 1.0.2 is spoken. */
export function answerField(stay: Stay, word: Word, cancel: '01' | '04' | undefined): Pair {
  const { order, opening, now } = stay;
  const { tdsId = '', acsId = '', amount } = opening;
  if (opening.step !== 'pareq') return ['cres', encodeChallengeResponse({ tdsId, acsId, transStatus: word === 'N' ? 'N' : 'Y', cancel })];
  const cavv = createHash('sha1').update(acsId).digest('base64');
  const eci = word === 'N' ? '07' : paresOf(amount, order.digits).eci;
  const purchase = { orderId: order.id, amountMinor: String(order.amount ?? 0n), digits: order.digits };
  return ['PaRes', encodePayerResponse({ ...purchase, status: word, eci, cavv, at: now })];
}
