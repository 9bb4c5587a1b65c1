import { webAddress } from '../wire/address.js';
import { decompress, encodeJson, readJson, zlib } from './encoding.js';

/**
 * The issuer's result for a payer, in the words of the field verified-3d-status: Y and A authenticate (A: an attempt
 * that the issuer accepts), N and R do not, and with U authentication was not possible, which proves nothing.
 */
export type Authentication = 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | 'UNSUPPORTED';

/** The letters a payer authentication response of 1.0.2 ends with. */
const payerLetters: Readonly<Record<string, Authentication>> = {
  Y: 'AUTHENTICATED',
  A: 'AUTHENTICATED',
  N: 'NOT_AUTHENTICATED',
  U: 'UNSUPPORTED',
};

/** Those of a challenge response: a challenge is no attempt, so there is no A. */
const challengeLetters: Readonly<Record<string, Authentication>> = {
  Y: 'AUTHENTICATED',
  N: 'NOT_AUTHENTICATED',
  U: 'UNSUPPORTED',
  R: 'NOT_AUTHENTICATED',
};

/** What a letter means; undefined for one that is not in the table. */
function authenticationOf(
  letters: Readonly<Record<string, Authentication>>,
  letter: unknown,
): Authentication | undefined {
  return typeof letter === 'string' && Object.hasOwn(letters, letter) ? letters[letter] : undefined;
}

/** The messages of a 3-D Secure 2.x challenge that an issuer's server and a merchant exchange. */
export interface ChallengeIds {
  readonly tdsId: string;
  readonly acsId: string;
}

const messageVersion = '2.2.0';

/** A challenge request as the browser would post it: base64url of JSON. */
export function encodeChallengeRequest({ tdsId, acsId }: ChallengeIds): string {
  return encodeJson({
    threeDSServerTransID: tdsId,
    acsTransID: acsId,
    messageType: 'CReq',
    messageVersion,
    challengeWindowSize: '05',
  });
}

export type RequestReading =
  | { readonly ok: true; readonly tdsId: string; readonly acsId: string }
  | { readonly ok: false; readonly why: string };

/** Reads a challenge request: Base64 or base64url of JSON. */
export function readChallengeRequest(text: string): RequestReading {
  const message = readJson(text);
  if (message === undefined) return { ok: false, why: 'creq is not Base64 of a JSON object' };
  if (message['messageType'] !== 'CReq') return { ok: false, why: 'messageType of creq must be CReq' };
  const { threeDSServerTransID: tdsId, acsTransID: acsId } = message;
  if (typeof tdsId !== 'string') return { ok: false, why: 'creq has no threeDSServerTransID' };
  if (typeof acsId !== 'string') return { ok: false, why: 'creq has no acsTransID' };
  return { ok: true, tdsId, acsId };
}

/** How a challenge ended. `cancel` says who or what ended it early: 01 the cardholder, 04 a timeout. */
export interface ChallengeResult extends ChallengeIds {
  readonly transStatus: 'Y' | 'N';
  readonly cancel?: '01' | '04' | undefined;
}

/** A challenge response as the issuer's page posts it: base64url of JSON. */
export function encodeChallengeResponse({ tdsId, acsId, transStatus, cancel }: ChallengeResult): string {
  return encodeJson({
    threeDSServerTransID: tdsId,
    acsTransID: acsId,
    messageType: 'CRes',
    messageVersion,
    challengeCompletionInd: 'Y',
    ...(cancel === undefined ? {} : { challengeCancel: cancel }),
    transStatus,
  });
}

export type ChallengeReading =
  | {
      readonly ok: true;
      readonly tdsId: string;
      readonly acsId: string | undefined;
      readonly authentication: Authentication;
    }
  | { readonly ok: false; readonly why: string };

/** Reads a challenge response: Base64 or base64url of JSON. */
export function readChallengeResponse(text: string): ChallengeReading {
  const message = readJson(text);
  if (message === undefined) return { ok: false, why: 'cRes is not Base64 of a JSON object' };
  if (message['messageType'] !== 'CRes') return { ok: false, why: 'messageType of cRes must be CRes' };
  const { threeDSServerTransID: tdsId, acsTransID: acsId, transStatus } = message;
  if (typeof tdsId !== 'string') return { ok: false, why: 'cRes has no threeDSServerTransID' };
  const authentication = authenticationOf(challengeLetters, transStatus);
  if (authentication === undefined) return { ok: false, why: 'transStatus of cRes must be Y, N, U or R' };
  return { ok: true, tdsId, acsId: typeof acsId === 'string' ? acsId : undefined, authentication };
}

/** What a merchant's hidden frame posts to the method URL, as threeDSMethodData. */
export interface MethodData {
  readonly tdsId: string;
  /** Where the issuer's frame notifies the merchant that it is done. */
  readonly notificationUrl: string | undefined;
}

/** What the issuer's frame posts to the notification address: the id alone. */
export function encodeMethodNotification(tdsId: string): string {
  return encodeJson({ threeDSServerTransID: tdsId });
}

type MethodReading = ({ readonly ok: true } & MethodData) | { readonly ok: false; readonly why: string };

/** Reads threeDSMethodData. A notification address that is not http or https is no address. */
export function readMethodData(text: string): MethodReading {
  const message = readJson(text);
  if (message === undefined) return { ok: false, why: 'threeDSMethodData is not Base64 of a JSON object' };
  const { threeDSServerTransID: tdsId, threeDSMethodNotificationURL: url } = message;
  if (typeof tdsId !== 'string') return { ok: false, why: 'threeDSMethodData has no threeDSServerTransID' };
  if (url === undefined) return { ok: true, tdsId, notificationUrl: undefined };
  if (typeof url !== 'string' || webAddress(url) === undefined)
    return { ok: false, why: 'threeDSMethodNotificationURL must be an http or https address' };
  return { ok: true, tdsId, notificationUrl: url };
}

/** Element names without their prefix, with their text; nested elements each for themselves. */
export function xmlLeaves(xml: string): Readonly<Record<string, string>> {
  const found = xml.matchAll(/<(?:\w+:)?(\w+)(?:\s[^<>]*)?>([^<]*)<\//g);
  return Object.fromEntries([...found].map(([, name = '', text = '']) => [name, text.trim()]));
}

function payerMessage(id: string, content: string): string {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><ThreeDSecure><Message id="${id}">${content}</Message></ThreeDSecure>`;
  return zlib().deflateSync(xml).toString('base64');
}

export interface Purchase {
  readonly orderId: string;
  readonly amountMinor: string;
  readonly digits: number;
}

function purchaseOf({ orderId, amountMinor, digits }: Purchase): string {
  return `<Purchase><xid>${xidOf(orderId)}</xid><purchAmount>${amountMinor}</purchAmount><exponent>${digits}</exponent></Purchase>`;
}

/** The transaction id of 1.0.2: Base64 of 20 bytes. */
export function xidOf(orderId: string): string {
  return Buffer.from(orderId.padStart(20, '0')).toString('base64');
}

/** A payer authentication request of 3-D Secure 1.0.2: Base64 of deflated XML. */
export function encodePayerRequest(purchase: Purchase): string {
  return payerMessage(purchase.orderId, `<PAReq><version>1.0.2</version>${purchaseOf(purchase)}</PAReq>`);
}

export interface PayerResult extends Purchase {
  /** Y authenticated, A attempted, N not authenticated. */
  readonly status: 'Y' | 'A' | 'N';
  readonly eci: string;
  /** 20 bytes in Base64; there only with Y and A. */
  readonly cavv: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A payer authentication response of 3-D Secure 1.0.2: Base64 of deflated XML. */
export function encodePayerResponse(end: PayerResult): string {
  const time = new Date(end.at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', ' ');
  const proof = end.status === 'N' ? '' : `<cavv>${end.cavv}</cavv><cavvAlgorithm>2</cavvAlgorithm>`;
  const result = `<TX><time>${time}</time><status>${end.status}</status>${proof}<eci>${end.eci}</eci></TX>`;
  return payerMessage(end.orderId, `<PARes><version>1.0.2</version>${purchaseOf(end)}${result}</PARes>`);
}

type PayerRequestReading = { readonly ok: true; readonly xid: string } | { readonly ok: false; readonly why: string };

/** Reads a payer authentication request: Base64 of deflated XML, or of XML as it is. */
export function readPayerRequest(text: string): PayerRequestReading {
  const xml = xmlOf(text);
  if (xml === undefined) return { ok: false, why: 'PaReq is not Base64 of XML, deflated or plain' };
  const { xid } = xmlLeaves(xml);
  if (!/<(?:\w+:)?PAReq[\s>]/.test(xml) || xid === undefined)
    return { ok: false, why: 'PaReq has no PAReq with an xid' };
  return { ok: true, xid };
}

export type PayerReading =
  | { readonly ok: true; readonly authentication: Authentication; readonly xid: string | undefined }
  | { readonly ok: false; readonly why: string };

/** Reads a payer authentication response: Base64 of deflated XML, or of XML as it is. */
export function readPayerResponse(text: string): PayerReading {
  const xml = xmlOf(text);
  if (xml === undefined) return { ok: false, why: 'paRes is not Base64 of XML, deflated or plain' };
  const letter = /<(?:\w+:)?status>\s*([^<]*?)\s*</.exec(xml)?.[1];
  const authentication = authenticationOf(payerLetters, letter);
  if (authentication === undefined) return { ok: false, why: 'the status of paRes must be Y, A, N or U' };
  return { ok: true, authentication, xid: xmlLeaves(xml)['xid'] };
}

function xmlOf(text: string): string | undefined {
  const content = decompress(Buffer.from(text, 'base64')).bytes.toString('utf8');
  return content.trimStart().startsWith('<') ? content : undefined;
}
