import { deflateSync } from 'node:zlib';
import { unpack } from './packing.js';
import { type Authentication, authenticationOf, payerLetters } from './result.js';

/** Element names without their prefix, with their text; nested elements each for themselves. */
export function leavesOf(xml: string): Readonly<Record<string, string>> {
  const found = xml.matchAll(/<(?:\w+:)?(\w+)(?:\s[^<>]*)?>([^<]*)<\//g);
  return Object.fromEntries([...found].map(([, name = '', text = '']) => [name, text.trim()]));
}

function message(id: string, content: string): string {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><ThreeDSecure><Message id="${id}">${content}</Message></ThreeDSecure>`;
  return deflateSync(xml).toString('base64');
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
  return message(purchase.orderId, `<PAReq><version>1.0.2</version>${purchaseOf(purchase)}</PAReq>`);
}

export interface PayerEnd extends Purchase {
  /** Y authenticated, A attempted, N not authenticated. */
  readonly status: 'Y' | 'A' | 'N';
  readonly eci: string;
  /** 20 bytes in Base64; there only with Y and A. */
  readonly cavv: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A payer authentication response of 3-D Secure 1.0.2: Base64 of deflated XML. */
export function encodePayerResponse(end: PayerEnd): string {
  const time = new Date(end.at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', ' ');
  const proof = end.status === 'N' ? '' : `<cavv>${end.cavv}</cavv><cavvAlgorithm>2</cavvAlgorithm>`;
  const result = `<TX><time>${time}</time><status>${end.status}</status>${proof}<eci>${end.eci}</eci></TX>`;
  return message(end.orderId, `<PARes><version>1.0.2</version>${purchaseOf(end)}${result}</PARes>`);
}

export type PayerRequestReading = { readonly ok: true; readonly xid: string } | { readonly ok: false; readonly why: string };

/** Reads a payer authentication request: Base64 of deflated XML, or of XML as it is. */
export function readPayerRequest(text: string): PayerRequestReading {
  const xml = xmlOf(text);
  if (xml === undefined) return { ok: false, why: 'PaReq is not Base64 of XML, deflated or plain' };
  const { xid } = leavesOf(xml);
  if (!/<(?:\w+:)?PAReq[\s>]/.test(xml) || xid === undefined) return { ok: false, why: 'PaReq has no PAReq with an xid' };
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
  return { ok: true, authentication, xid: leavesOf(xml)['xid'] };
}

function xmlOf(text: string): string | undefined {
  const content = unpack(Buffer.from(text, 'base64')).bytes.toString('utf8');
  return content.trimStart().startsWith('<') ? content : undefined;
}
