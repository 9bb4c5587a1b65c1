import { constants, hash, type KeyObject, publicDecrypt } from 'node:crypto';
import { plainBase64 } from './signature-encodings.js';

const hashLength = 32;
const sha256 = (bytes: Uint8Array) => hash('sha256', bytes, 'buffer');

/**
 * Opens a signature with PSS padding over SHA-256 (RFC 8017 9.1.2), whatever the length of its salt, and says for the
 * hash of any text whether it was made over that. Undefined for what has no such padding.
 */
export function openedPss(publicKey: KeyObject, signature: string): ((hashOfText: Uint8Array) => boolean) | undefined {
  const message = opened(publicKey, signature);
  if (message === undefined || message.at(-1) !== 0xbc || message.length < hashLength + 2) return undefined;
  const end = message.length - hashLength - 1;
  const own = message.subarray(end, -1);
  const mask = generatedMask(own, end);
  const block = Buffer.from(message.subarray(0, end).map((byte, at) => byte ^ (mask[at] ?? 0)));
  // The highest bit of the block does not belong to it: all keys have a whole number of bytes.
  block[0] = (block[0] ?? 0) & 0x7f;
  const start = block.findIndex((byte) => byte !== 0);
  if (block[start] !== 1) return undefined;
  const salt = block.subarray(start + 1);
  return (hashOfText) => sha256(Buffer.concat([Buffer.alloc(8), hashOfText, salt])).equals(own);
}

function opened(publicKey: KeyObject, signature: string): Buffer | undefined {
  const bytes = plainBase64(signature);
  if (bytes === undefined) return undefined;
  try {
    return publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, bytes);
  } catch {
    return undefined;
  }
}

/** MGF1 of RFC 8017 B.2.1. */
function generatedMask(seed: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let count = 0; count * hashLength < length; count += 1) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    blocks.push(sha256(Buffer.concat([seed, counter])));
  }
  return Buffer.concat(blocks).subarray(0, length);
}
