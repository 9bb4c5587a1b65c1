/** Which alphabet a text uses; `either` when all its characters are in both. */
export type Variant = 'base64' | 'base64url' | 'either';

/**
 * Reads Base64 of either alphabet, with its padding or without; undefined for any other text. Line breaks and blanks
 * between the characters are ignored.
 */
export function readBase64(text: string): { readonly bytes: Buffer; readonly variant: Variant } | undefined {
  const bare = /^([A-Za-z0-9+/_-]+)={0,2}$/.exec(text.replace(/\s+/g, ''))?.[1] ?? '';
  const isPlain = /[+/]/.test(bare);
  const isUrl = /[-_]/.test(bare);
  if (bare === '' || bare.length % 4 === 1 || (isPlain && isUrl)) return undefined;
  return { bytes: Buffer.from(bare, 'base64'), variant: isUrl ? 'base64url' : isPlain ? 'base64' : 'either' };
}

/** The carrier of every 3-D Secure 2.x message: base64url of JSON, without padding. */
export function encodeJson(message: Readonly<Record<string, string>>): string {
  return Buffer.from(JSON.stringify(message)).toString('base64url');
}

/** The object behind Base64 of either alphabet; undefined for anything else. */
export function readJson(text: string): Readonly<Record<string, unknown>> | undefined {
  return parseObject(Buffer.from(text, 'base64').toString('utf8'));
}

/** The entries of a JSON object; undefined for other JSON and for text that is none. */
export function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}

/** How bytes were compressed: `zlib` is deflate with a two-byte header, as 3-D Secure 1.0.2 requires. */
export type Compression = 'zlib' | 'raw deflate' | 'none';

/** Loaded at first use: a payment without 3-D Secure compresses nothing, and it costs start-up time. */
// biome-ignore lint/style/noRestrictedGlobals: it is a module of Node, not the state of the process.
export const zlib = () => process.getBuiltinModule('node:zlib');

// More than any real message, less than a deflated bomb.
const maxOutputLength = 65_536;

/** Decompresses; bytes that are not compressed, or too large when decompressed, are returned unchanged. */
export function decompress(bytes: Buffer): { readonly packing: Compression; readonly bytes: Buffer } {
  for (const [packing, undo] of [
    ['zlib', zlib().inflateSync] as const,
    ['raw deflate', zlib().inflateRawSync] as const,
  ]) {
    try {
      const found = undo(bytes, { maxOutputLength });
      if (found.length > 0) return { packing, bytes: found };
    } catch {}
  }
  return { packing: 'none', bytes };
}
