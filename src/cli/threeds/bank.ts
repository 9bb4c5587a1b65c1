import { fail } from '../../errors/index.js';
import { encodeChallengeResponse, encodeMethodData, encodePayerResponse, inspect } from '../../threeds/index.js';
import { type Browsing, isHere, type WebPage } from '../browsing.js';
import { answerIn, formIn, messageIn, textIn } from '../page-text.js';
import type { Fields } from '../present/meaning.js';

/** What the payer, or the payer's bank, does. */
export const paths = ['frictionless', 'challenge', 'fail', 'abandon', 'timeout'] as const;
export type Path = (typeof paths)[number];

/** The payer's bank: its pages where they are on this machine, else what such a bank would answer. */
export interface Bank {
  readonly browsing: Browsing;
  readonly path: Path;
  readonly now: number;
}

/** Loads the method frame, unless it is to come too late. Gives the completion indicator to hand in. */
export async function loadMethodFrame({ browsing, path }: Bank, fields: Fields): Promise<'Y' | 'N' | 'U'> {
  const address = fields.get('tds-method-url-frame-3ds-method-url');
  if (address === undefined) return 'U';
  if (path === 'timeout') return 'N';
  if (!isHere(address)) return 'Y';
  const tdsId = fields.get('tds-method-url-frame-3ds-server-trans-id') ?? '';
  const page = await browsing.open(address, { threeDSMethodData: encodeMethodData({ tdsId, notificationUrl: undefined }) });
  return page.status === 200 ? 'Y' : 'N';
}

/** The CRes that this path leads to. Throws READ_FAILED without a CReq to answer, and when the bank's page brings back no CRes. */
export async function challengeResponse(bank: Bank, fields: Fields): Promise<string> {
  const creq = fields.get('tds-creq-form-creq') ?? '';
  const address = fields.get('tds-creq-form-acs-url') ?? '';
  if (bank.path !== 'timeout' && isHere(address)) return messageFrom(await bank.browsing.open(address, { creq }), 'cres', bank);
  const { threeDSServerTransID: tdsId, acsTransID: acsId } = inspect(creq).fields;
  if (tdsId === undefined || acsId === undefined)
    throw fail('READ_FAILED', { why: 'the status reply names no CReq that can be answered; no CRes was uploaded' });
  const isGood = bank.path === 'challenge';
  const cancel = bank.path === 'abandon' ? '01' : bank.path === 'timeout' ? '04' : undefined;
  return encodeChallengeResponse({ tdsId, acsId, transStatus: isGood ? 'Y' : 'N', cancel });
}

/** The PaRes that this path leads to. Throws READ_FAILED when the bank's page brings back none. */
export async function payerResponse(bank: Bank, fields: Fields, orderId: string): Promise<string> {
  const address = fields.get('tds-pareq-form-acs-url') ?? '';
  const sent = {
    PaReq: fields.get('tds-pareq-form-pareq') ?? '',
    MD: fields.get('tds-pareq-form-md') ?? '',
    TermUrl: fields.get('tds-pareq-form-term-url') ?? '',
  };
  if (bank.path !== 'timeout' && isHere(address)) return messageFrom(await bank.browsing.open(address, sent), 'PaRes', bank);
  const { purchAmount: amountMinor = '0', exponent = '2' } = inspect(sent.PaReq).fields;
  const isGood = bank.path === 'challenge';
  const result = isGood ? good : bad;
  return encodePayerResponse({ orderId, amountMinor, digits: Number(exponent), ...result, at: bank.now });
}

/** Nothing is uploaded rather than an empty message: the gateway could take that for the bank's answer. */
async function messageFrom(page: WebPage, name: 'cres' | 'PaRes', bank: Bank): Promise<string> {
  const message = (await answerAt(bank, page))[name] ?? '';
  if (message === '') throw fail('READ_FAILED', { why: `the bank's page brought back no ${name}; no such message was uploaded` });
  return message;
}

const cavv = `${'A'.repeat(27)}=`;
const good = { status: 'Y', eci: '05', cavv } as const;
const bad = { status: 'N', eci: '07', cavv } as const;
const wrongCode = 'wrong';

/**
 * Answers the bank's question on its page, and gives the fields the page would bring back: those of its form, or the
 * message it shows where the order has no redirect_url.
 */
export async function answerAt({ browsing, path }: Bank, first: WebPage): Promise<Readonly<Record<string, string>>> {
  let page = first;
  for (let tries = 0; tries < 4; tries += 1) {
    const form = formIn(page.html, page.url);
    if (page.status !== 200 && page.status !== 422) throw fail('READ_FAILED', { why: messageIn(page.html) });
    const code = textIn(page.html, 'code');
    if (form === undefined || code === undefined) return form?.hidden ?? answerIn(page.html);
    const typed = path === 'abandon' ? { action: 'cancel' } : { action: 'submit', code: path === 'challenge' ? code : wrongCode };
    page = await browsing.open(form.action, { ...form.hidden, ...typed });
  }
  throw fail('READ_FAILED', { why: 'the page of the bank asks again and again' });
}
