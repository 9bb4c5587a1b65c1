import { webAddress } from '../wire/address.js';
import { decompress, encodeJson, readJson, zlib } from './encoding.js';

/**
 * The issuer's result for a payer, in the words of the field verified-3d-status: Y and A authenticate (A: an attempt
 * that the issuer accepts), N and R do not, and with U authentication was not possible, which proves nothing.
 */
export type Authentication = 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | 'UNSUPPORTED';

const letters = new Map<unknown, Authentication>([
  ['Y', 'AUTHENTICATED'],
  ['A', 'AUTHENTICATED'],
  ['N', 'NOT_AUTHENTICATED'],
  ['R', 'NOT_AUTHENTICATED'],
  ['U', 'UNSUPPORTED'],
]);

/** A message that was read, or why it cannot be. */
type Reading<Message> = ({ readonly ok: true } & Message) | { readonly ok: false; readonly why: string };

const unreadable = (why: string) => ({ ok: false, why }) as const;

/** The transaction of a 3-D Secure 2.x challenge, by the ids of both servers. */
interface ChallengeIds {
  readonly tdsId: string;
  readonly acsId: string;
}

const challengeHead = ({ tdsId, acsId }: ChallengeIds, messageType: string) => ({
  ...{ threeDSServerTransID: tdsId, acsTransID: acsId, messageType, messageVersion: '2.2.0' },
});

/** A challenge request as the browser would post it: base64url of JSON. */
export function encodeChallengeRequest(ids: ChallengeIds): string {
  return encodeJson({ ...challengeHead(ids, 'CReq'), challengeWindowSize: '05' });
}

/** Reads a challenge request: Base64 or base64url of JSON. */
export function readChallengeRequest(text: string): Reading<ChallengeIds> {
  const message = readJson(text);
  if (message === undefined) return unreadable('creq is not Base64 of a JSON object');
  if (message['messageType'] !== 'CReq') return unreadable('messageType of creq must be CReq');
  const { threeDSServerTransID: tdsId, acsTransID: acsId } = message;
  if (typeof tdsId !== 'string') return unreadable('creq has no threeDSServerTransID');
  if (typeof acsId !== 'string') return unreadable('creq has no acsTransID');
  return { ok: true, tdsId, acsId };
}

/** How a challenge ended; `cancel` is 01 where the cardholder ended it early. */
interface ChallengeResult extends ChallengeIds {
  readonly transStatus: 'Y' | 'N';
  readonly cancel?: '01' | undefined;
}

/** A challenge response as the issuer's page posts it: base64url of JSON. */
export function encodeChallengeResponse({ transStatus, cancel, ...ids }: ChallengeResult): string {
  const early = cancel === undefined ? {} : { challengeCancel: cancel };
  return encodeJson({ ...challengeHead(ids, 'CRes'), challengeCompletionInd: 'Y', ...early, transStatus });
}

export function readChallengeResponse(
  text: string,
): Reading<{ readonly tdsId: string; readonly acsId: string | undefined; readonly authentication: Authentication }> {
  const message = readJson(text);
  if (message === undefined) return unreadable('cRes is not Base64 of a JSON object');
  if (message['messageType'] !== 'CRes') return unreadable('messageType of cRes must be CRes');
  const { threeDSServerTransID: tdsId, acsTransID: acsId, transStatus } = message;
  if (typeof tdsId !== 'string') return unreadable('cRes has no threeDSServerTransID');
  // A challenge is no attempt, so there is no A.
  const authentication = transStatus === 'A' ? undefined : letters.get(transStatus);
  if (authentication === undefined) return unreadable('transStatus of cRes must be Y, N, U or R');
  return { ok: true, tdsId, acsId: typeof acsId === 'string' ? acsId : undefined, authentication };
}

/** What the issuer's frame of the method step posts to the notification address: the id alone. */
export function encodeMethodNotification(tdsId: string): string {
  return encodeJson({ threeDSServerTransID: tdsId });
}

/** Reads threeDSMethodData, which a merchant's hidden frame posts to the method URL; it says whom to notify. */
export function readMethodData(
  text: string,
): Reading<{ readonly tdsId: string; readonly notificationUrl: string | undefined }> {
  const message = readJson(text);
  if (message === undefined) return unreadable('threeDSMethodData is not Base64 of a JSON object');
  const { threeDSServerTransID: tdsId, threeDSMethodNotificationURL: url } = message;
  if (typeof tdsId !== 'string') return unreadable('threeDSMethodData has no threeDSServerTransID');
  if (url === undefined) return { ok: true, tdsId, notificationUrl: undefined };
  if (typeof url === 'string' && webAddress(url) !== undefined) return { ok: true, tdsId, notificationUrl: url };
  return unreadable('threeDSMethodNotificationURL must be an http or https address');
}

/** Element names without their prefix, with their text; nested elements each for themselves. */
export function xmlLeaves(xml: string): Readonly<Record<string, string>> {
  const found = xml.matchAll(/<(?:\w+:)?(\w+)(?:\s[^<>]*)?>([^<]*)<\//g);
  return Object.fromEntries([...found].map(([, name = '', text = '']) => [name, text.trim()]));
}

/** A message of 1.0.2: Base64 of deflated XML. */
function payerMessage({ orderId, amountMinor, digits }: Purchase, name: string, result = ''): string {
  const purchase = `<Purchase><xid>${xidOf(orderId)}</xid><purchAmount>${amountMinor}</purchAmount><exponent>${digits}</exponent></Purchase>`;
  const content = `<${name}><version>1.0.2</version>${purchase}${result}</${name}>`;
  const xml = `<?xml version="1.0" encoding="UTF-8"?><ThreeDSecure><Message id="${orderId}">${content}</Message></ThreeDSecure>`;
  return zlib().deflateSync(xml).toString('base64');
}

interface Purchase {
  readonly orderId: string;
  readonly amountMinor: string;
  readonly digits: number;
}

/** The transaction id of 1.0.2: Base64 of 20 bytes. */
export function xidOf(orderId: string): string {
  return Buffer.from(orderId.padStart(20, '0')).toString('base64');
}

export function encodePayerRequest(purchase: Purchase): string {
  return payerMessage(purchase, 'PAReq');
}

interface PayerResult extends Purchase {
  /** Y authenticated, A attempted, N not authenticated. */
  readonly status: 'Y' | 'A' | 'N';
  readonly eci: string;
  /** 20 bytes in Base64; there only with Y and A. */
  readonly cavv: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function encodePayerResponse({ status, eci, cavv, at, ...purchase }: PayerResult): string {
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', ' ');
  const proof = status === 'N' ? '' : `<cavv>${cavv}</cavv><cavvAlgorithm>2</cavvAlgorithm>`;
  const result = `<TX><time>${time}</time><status>${status}</status>${proof}<eci>${eci}</eci></TX>`;
  return payerMessage(purchase, 'PARes', result);
}

/** Reads a payer authentication request: Base64 of deflated XML, or of XML as it is. */
export function readPayerRequest(text: string): Reading<{ readonly xid: string }> {
  const xml = readXml(text);
  if (xml === undefined) return unreadable('PaReq is not Base64 of XML, deflated or plain');
  const { xid } = xmlLeaves(xml);
  if (/<(?:\w+:)?PAReq[\s>]/.test(xml) && xid !== undefined) return { ok: true, xid };
  return unreadable('PaReq has no PAReq with an xid');
}

/** Reads a payer authentication response in the same way. */
export function readPayerResponse(
  text: string,
): Reading<{ readonly authentication: Authentication; readonly xid: string | undefined }> {
  const xml = readXml(text);
  if (xml === undefined) return unreadable('paRes is not Base64 of XML, deflated or plain');
  const status = /<(?:\w+:)?status>\s*([^<]*?)\s*</.exec(xml)?.[1];
  const authentication = status === 'R' ? undefined : letters.get(status);
  if (authentication === undefined) return unreadable('the status of paRes must be Y, A, N or U');
  return { ok: true, authentication, xid: xmlLeaves(xml)['xid'] };
}

function readXml(text: string): string | undefined {
  const content = decompress(Buffer.from(text, 'base64')).bytes.toString('utf8');
  return content.trimStart().startsWith('<') ? content : undefined;
}
