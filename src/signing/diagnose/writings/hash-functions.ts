import { createHash, getHashes } from 'node:crypto';

const hashesOfNode = new Set(getHashes());

/** Names of hashes that neither signing scheme uses and few programs have, as far as this Node.js has them. */
export const rareHashes: readonly string[] = [
  'ripemd160',
  'sha3-256',
  'sha3-512',
  'sha3-224',
  'sha512-256',
  'blake2b512',
  'blake2s256',
  'sha3-384',
  'sm3',
  'whirlpool',
  'md4',
].filter((name) => hashesOfNode.has(name));

/** The digest of these texts (as UTF-8) and bytes one after the other. Throws for a hash that Node.js does not have. */
export function hashOf(name: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

// The remainder of each byte for the polynomial of CRC-32. Written here as `node:zlib` is not allowed in signing, which
// uses only cryptography of Node.js.
const crcTable = Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  return remainder >>> 0;
});

/** The CRC-32 of zip and PNG, as four bytes, the highest first. */
export function crc32(bytes: Uint8Array): Buffer {
  let value = 0xffffffff;
  for (const byte of bytes) value = ((value >>> 8) ^ (crcTable[(value ^ byte) & 255] ?? 0)) >>> 0;
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE((value ^ 0xffffffff) >>> 0);
  return checksum;
}
