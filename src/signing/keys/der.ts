/** The little of DER (X.690) that tells one kind of key file from another. Decoding keys is left to node:crypto. */

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Head and content. */
  readonly whole: Uint8Array;
}

const tags = { integer: 0x02, bitString: 0x03, octetString: 0x04, objectId: 0x06, sequence: 0x30 } as const;

const letters: Readonly<Record<number, string>> = {
  [tags.integer]: 'i',
  [tags.bitString]: 'b',
  [tags.octetString]: 'o',
  [tags.objectId]: 'd',
  [tags.sequence]: 's',
};

/** The parts of a SEQUENCE that fills the bytes to the last one; undefined when they hold anything else. */
function partsOf(der: Uint8Array): readonly Element[] | undefined {
  const outer = elementAt(der, 0);
  if (outer?.tag !== tags.sequence || outer.whole.length !== der.length) return undefined;
  const parts: Element[] = [];
  for (let at = 0; at < outer.content.length; ) {
    const part = elementAt(outer.content, at);
    if (part === undefined) return undefined;
    parts.push(part);
    at += part.whole.length;
  }
  return parts;
}

/** One letter per part: i INTEGER, b BIT STRING, o OCTET STRING, d OBJECT IDENTIFIER, s SEQUENCE, x anything else. */
export function shapeOf(der: Uint8Array): string | undefined {
  return partsOf(der)
    ?.map(({ tag }) => letters[tag] ?? 'x')
    .join('');
}

/** Follows positions into nested SEQUENCEs. */
export function partAt(der: Uint8Array, ...path: readonly number[]): Element | undefined {
  let found: Element | undefined;
  let within = der;
  for (const at of path) {
    found = partsOf(within)?.[at];
    if (found === undefined) return undefined;
    within = found.whole;
  }
  return found;
}

/** 1.2.840.113549.1.5.13 and the like; undefined when the element is no OBJECT IDENTIFIER. */
function objectId(element: Element | undefined): string | undefined {
  if (element?.tag !== tags.objectId) return undefined;
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of element.content) {
    arc = arc * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [joined = 0, ...rest] = arcs;
  const first = Math.min(Math.floor(joined / 40), 2);
  return [first, joined - first * 40, ...rest].join('.');
}

function elementAt(bytes: Uint8Array, start: number): Element | undefined {
  const [tag, first] = bytes.subarray(start, start + 2);
  if (tag === undefined || first === undefined) return undefined;
  const extra = first < 0x80 ? 0 : first & 0x7f;
  // Four bytes of length are more than any key has.
  if (first === 0x80 || extra > 4) return undefined;
  const head = 2 + extra;
  const length =
    extra === 0 ? first : bytes.subarray(start + 2, start + head).reduce((sum, byte) => sum * 256 + byte, 0);
  const end = start + head + length;
  if (end > bytes.length) return undefined;
  return { tag, content: bytes.subarray(start + head, end), whole: bytes.subarray(start, end) };
}

export interface Encryption {
  /** Such as AES-256-CBC, or the number of its object identifier. */
  readonly cipher: string;
  /** How the passphrase becomes the cipher's key. */
  readonly derivation: string;
}

const algorithmNames: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.1.2': 'AES-128-CBC',
  '2.16.840.1.101.3.4.1.22': 'AES-192-CBC',
  '2.16.840.1.101.3.4.1.42': 'AES-256-CBC',
  '1.2.840.113549.3.7': 'DES-EDE3-CBC',
  '1.3.14.3.2.7': 'DES-CBC',
  '1.2.840.113549.3.2': 'RC2-CBC',
  '1.2.392.200011.61.1.1.1.2': 'CAMELLIA-128-CBC',
  '1.2.392.200011.61.1.1.1.4': 'CAMELLIA-256-CBC',
  '1.2.410.200046.1.1.2': 'ARIA-128-CBC',
  '1.2.410.200046.1.1.12': 'ARIA-256-CBC',
  '1.2.840.113549.1.5.12': 'PBKDF2',
  '1.3.6.1.4.1.11591.4.11': 'scrypt',
};

const pbes2 = '1.2.840.113549.1.5.13';
// One identifier for derivation and cipher together (RFC 8018, 6.1, and RFC 7292, appendix C).
const combinedSchemes: Readonly<Record<string, Encryption>> = {
  '1.2.840.113549.1.5.3': { cipher: 'DES-CBC', derivation: 'PBES1 with MD5' },
  '1.2.840.113549.1.5.10': { cipher: 'DES-CBC', derivation: 'PBES1 with SHA-1' },
  '1.2.840.113549.1.12.1.3': { cipher: 'DES-EDE3-CBC', derivation: 'PKCS#12 with SHA-1' },
  '1.2.840.113549.1.12.1.5': { cipher: 'RC2-128-CBC', derivation: 'PKCS#12 with SHA-1' },
  '1.2.840.113549.1.12.1.6': { cipher: 'RC2-40-CBC', derivation: 'PKCS#12 with SHA-1' },
};

/** How an encrypted PKCS#8 key is protected (RFC 5958, 3, with RFC 8018, appendix A). */
export function encryptionOf(der: Uint8Array): Encryption | undefined {
  const scheme = objectId(partAt(der, 0, 0));
  if (scheme === undefined) return undefined;
  if (scheme !== pbes2) return combinedSchemes[scheme] ?? { cipher: scheme, derivation: scheme };
  const derivation = objectId(partAt(der, 0, 1, 0, 0)) ?? 'unknown';
  const cipher = objectId(partAt(der, 0, 1, 1, 0)) ?? 'unknown';
  return { cipher: algorithmNames[cipher] ?? cipher, derivation: algorithmNames[derivation] ?? derivation };
}

/** The same of a PKCS#1 key in OpenSSL's old way, where it stands in the lines above the Base64. */
export function encryptionOfHeaders(headers: readonly string[]): Encryption | undefined {
  const found = headers
    .map((line) => /^DEK-Info: *([A-Za-z0-9-]{1,40}) *,/.exec(line)?.[1])
    .find((name) => name !== undefined);
  return found === undefined ? undefined : { cipher: found.toUpperCase(), derivation: 'one round of MD5' };
}
