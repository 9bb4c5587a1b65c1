import { deflateSync, inflateSync } from 'node:zlib';

// More than any real message, less than a deflated bomb.
const mostBytes = 65_536;

/** A payer authentication request of 3-D Secure 1.0.2: Base64 of deflated XML. */
export function encodePayerRequest(orderId: string, amountMinor: string, digits: number): string {
  const purchase = `<xid>${Buffer.from(orderId.padStart(20, '0')).toString('base64')}</xid><purchAmount>${amountMinor}</purchAmount><exponent>${digits}</exponent>`;
  const xml = `<ThreeDSecure><Message id="${orderId}"><PAReq><version>1.0.2</version><Purchase>${purchase}</Purchase></PAReq></Message></ThreeDSecure>`;
  return deflateSync(xml).toString('base64');
}

export type PayerReading = { readonly ok: true; readonly isAuthenticated: boolean } | { readonly ok: false; readonly why: string };

/** Reads a payer authentication response: Base64 of deflated XML, or of XML as it is. */
export function readPayerResponse(text: string): PayerReading {
  const xml = xmlOf(Buffer.from(text, 'base64'));
  if (xml === undefined) return { ok: false, why: 'paRes is not Base64 of XML, deflated or plain' };
  const word = /<(?:\w+:)?status>\s*([A-Z])\s*</.exec(xml)?.[1];
  if (word === undefined) return { ok: false, why: 'paRes has no status, such as <status>Y</status>' };
  return { ok: true, isAuthenticated: word !== 'N' };
}

function xmlOf(bytes: Buffer): string | undefined {
  const text = (inflated(bytes) ?? bytes).toString('utf8');
  return text.trimStart().startsWith('<') ? text : undefined;
}

function inflated(bytes: Buffer): Buffer | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: mostBytes });
  } catch {
    return undefined;
  }
}
