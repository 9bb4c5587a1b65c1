import { constants, createHash, type KeyObject, privateEncrypt, publicDecrypt } from 'node:crypto';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';
import { type SignatureEncoding, signatureEncodings } from './signature-writings.js';

// RFC 8017 9.2, note 1: what stands before a hash to name it.
const digestInfoPrefixes: Readonly<Record<string, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha224: '302d300d06096086480165030402040500041c',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** A hash with its name, as it stands in a signature. */
export function digestInfo(hash: string, input: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(digestInfoPrefixes[hash] ?? '', 'hex'), createHash(hash).update(input).digest()]);
}

/**
 * What a PKCS#1 v1.5 signature carries behind its padding (RFC 8017 8.2.2); undefined for other padding, another
 * length, and what is no plain Base64. One opening serves for any number of texts, unlike a verification.
 */
export function recoverDigestInfo(publicKey: KeyObject, signature: string): Buffer | undefined {
  return removePadding(
    signature,
    (bytes) => publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, bytes),
    /^0001(?:ff){8,}00/,
  );
}

/** Puts bytes where a signature has the hash and its name. */
export function signDigestInfo(privateKey: KeyObject, payload: Buffer): string | undefined {
  try {
    return privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, payload).toString('base64');
  } catch {
    // Longer than the key.
    return undefined;
  }
}

export function plainBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function removePadding(signature: string, open: (bytes: Buffer) => Buffer, padding: RegExp): Buffer | undefined {
  const bytes = plainBase64(signature);
  if (bytes === undefined) return undefined;
  try {
    const hex = open(bytes).toString('hex');
    const before = padding.exec(hex);
    return before === null ? undefined : Buffer.from(hex.slice(before[0].length), 'hex');
  } catch {
    return undefined;
  }
}

export function writingMistake({
  variant,
  detail,
}: Pick<SignatureEncoding, 'variant' | 'detail'>): Mistake<OauthMistakeName> {
  return { name: 'digest', variant, detail: `the signature was ${detail}; it must be plain Base64` };
}

/** What a signature may have been before it was written or carried badly, by the lengths it can have had. */
export function* undoneWritings(
  signature: string,
  lengths: readonly number[],
): Generator<{ readonly mistake: Mistake<OauthMistakeName>; readonly bytes: Buffer }> {
  if (signature.length > maxWritten) return;
  const carried = signature.includes(' ') ? plainBase64(signature.replaceAll(' ', '+')) : undefined;
  if (carried !== undefined && lengths.includes(carried.length))
    yield {
      mistake: {
        name: 'header-not-encoded',
        variant: 'plus-became-blank',
        detail: 'its + characters became spaces: they were not percent-encoded in the header',
      },
      bytes: carried,
    };
  for (const writing of signatureEncodings) {
    const bytes = writing.read(signature);
    if (!lengths.includes(bytes.length) || bytes.toString('base64') === signature) continue;
    if (writing.write(bytes) !== signature) continue;
    yield { mistake: writingMistake(writing), bytes };
  }
}

// A signature of 16384 bits in hexadecimal, in Base64.
const maxWritten = 16_384;

const macLengths: Readonly<Record<number, string>> = {
  16: 'MD5',
  20: 'SHA-1',
  32: 'SHA-256',
  48: 'SHA-384',
  64: 'SHA-512',
};

/** How many bytes a text holds by each way of reading it; hexadecimal digits are Base64 as well. */
function lengthsOf(signature: string): number[] {
  const hex = /^(?:[0-9a-f]{2})+$/i.test(signature) ? [signature.length / 2] : [];
  const plain = plainBase64(signature);
  return plain === undefined ? hex : [...hex, plain.length];
}

/** What the length alone says of a signature that nothing explains. */
export function lengthMistakes(
  { signatureMethod }: OauthCase,
  signature: string,
  length: number,
): Mistake<OauthMistakeName>[] {
  const readings = lengthsOf(signature);
  const [bytes = 0] = readings;
  if (readings.includes(length) || bytes === 0) return [];
  const hash = macLengths[bytes];
  const due = `with this key it would have ${length} bytes`;
  if (signatureMethod === 'RSA-SHA256') {
    if (hash !== undefined)
      return [
        {
          name: 'rsa-key-or-method',
          variant: 'hmac',
          detail: `the signature has ${bytes} bytes, like ${hash} or an HMAC with it; ${due}`,
        },
      ];
    return readings.every((count) => count >= 128 && count % 64 === 0)
      ? [
          {
            name: 'rsa-key-or-method',
            variant: 'other-pair',
            detail: `the signature has ${bytes} bytes, so it was made with a different key; ${due}`,
          },
        ]
      : [];
  }
  if (hash !== undefined)
    return [
      { name: 'digest', variant: 'length', detail: `the signature has ${bytes} bytes, like ${hash}; SHA-1 has 20` },
    ];
  return bytes >= 128 && bytes % 64 === 0
    ? [
        {
          name: 'rsa-key-or-method',
          variant: 'rsa',
          detail: `the signature has ${bytes} bytes, like an RSA signature; HMAC-SHA1 has 20`,
        },
      ]
    : [];
}

/**
 * What a signature of the right length shows that the public key does not open. With its own private key it begins
 * with the padding of PKCS#1, or ends as PSS does (RFC 8017 9.1.1), whatever text was signed.
 */
export function unopenedMistakes(publicKey: KeyObject, signature: string): Mistake<OauthMistakeName>[] {
  const bytes = plainBase64(signature);
  const length = Math.ceil((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  if (bytes?.length !== length || isOpened(publicKey, bytes)) return [];
  return [
    {
      name: 'rsa-key-or-method',
      variant: 'other-pair',
      detail: `the signature has ${length} bytes, as it must, but decrypting it with the registered public key gives no valid padding: it was made with another private key, or changed afterwards`,
    },
  ];
}

function isOpened(publicKey: KeyObject, bytes: Buffer): boolean {
  try {
    const hex = publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, bytes).toString('hex');
    return hex.startsWith('0001ff') || hex.endsWith('bc');
  } catch {
    // Larger than the modulus of the key.
    return false;
  }
}
