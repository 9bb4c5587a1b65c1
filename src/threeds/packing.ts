import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** How bytes were made smaller: `zlib` is deflate with its two-byte head, as 3-D Secure 1.0.2 wants it. */
export type Packing = 'zlib' | 'raw deflate' | 'gzip' | 'none';

export interface Unpacked {
  readonly packing: Packing;
  readonly bytes: Buffer;
}

// More than any real message, less than a deflated bomb.
const maxOutputLength = 65_536;

const unpackers: readonly (readonly [Packing, (bytes: Buffer) => Buffer])[] = [
  ['zlib', (bytes) => inflateSync(bytes, { maxOutputLength })],
  ['gzip', (bytes) => gunzipSync(bytes, { maxOutputLength })],
  ['raw deflate', (bytes) => inflateRawSync(bytes, { maxOutputLength })],
];

/** Undoes whichever packing there is; bytes that are not packed, or hold too much, come back as they are. */
export function unpack(bytes: Buffer): Unpacked {
  for (const [packing, undo] of unpackers) {
    const found = attempt(undo, bytes);
    if (found !== undefined && found.length > 0) return { packing, bytes: found };
  }
  return { packing: 'none', bytes };
}

function attempt(undo: (bytes: Buffer) => Buffer, bytes: Buffer): Buffer | undefined {
  try {
    return undo(bytes);
  } catch {
    return undefined;
  }
}
