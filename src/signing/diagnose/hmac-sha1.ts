import { hash as hashOnce } from 'node:crypto';

const blockLength = 64;
const digestLength = 20;

// Used again by every call: none of them leaves anything in it that the next one reads.
let memory = Buffer.alloc(16_384);

/**
 * HMAC with SHA-1 (RFC 2104) over many texts with one key, each byte as a character. Each of the two hashes is one call
 * over memory that is there already, in a third of the time of `createHmac`.
 */
export function hmacSha1(key: string | Uint8Array): (text: string | Uint8Array) => string {
  let blocks: { readonly inner: Buffer; readonly outer: Buffer } | undefined;
  return (text) => {
    blocks ??= blocksOf(typeof key === 'string' ? Buffer.from(key) : key);
    const { inner, outer } = blocks;
    const length = blockLength + put(text);
    memory.set(inner);
    outer.write(hashOnce('sha1', memory.subarray(0, length), 'binary'), blockLength, 'latin1');
    return hashOnce('sha1', outer, 'binary');
  };
}

function put(text: string | Uint8Array): number {
  // Three bytes of UTF-8 at most for each unit.
  const most = blockLength + text.length * 3;
  if (memory.length < most) memory = Buffer.alloc(most);
  if (typeof text === 'string') return memory.write(text, blockLength);
  memory.set(text, blockLength);
  return text.length;
}

function blocksOf(key: Uint8Array) {
  const fitting = key.length > blockLength ? Buffer.from(hashOnce('sha1', key, 'binary'), 'latin1') : key;
  const inner = Buffer.alloc(blockLength, 0x36);
  const outer = Buffer.alloc(blockLength + digestLength, 0x5c);
  for (const [at, byte] of fitting.entries()) {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return { inner, outer };
}
