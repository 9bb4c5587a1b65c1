import { createHmac, type KeyObject } from 'node:crypto';
import type { OauthCase } from './diagnosis.js';
import { hmacKey } from './hmac-key-mistakes.js';
import type { OauthParts } from './oauth-parts.js';
import { baseStringDeclaring } from './protocol-mistakes.js';
import type { SigningMistake } from './signer.js';

export interface Keys {
  readonly privateKey: KeyObject | undefined;
  readonly publicKey: KeyObject | undefined;
}

const macs = [
  { hash: 'sha1', method: 'HMAC-SHA1', length: 20 },
  { hash: 'sha256', method: 'HMAC-SHA256', length: 32 },
  { hash: 'sha512', method: 'HMAC-SHA512', length: 64 },
  { hash: 'md5', method: 'HMAC-MD5', length: 16 },
];

const forms = [
  (bytes: Buffer) => bytes.toString('base64'),
  (bytes: Buffer) => bytes.toString('hex'),
  (bytes: Buffer) => bytes.toString('hex').toUpperCase(),
  (bytes: Buffer) => Buffer.from(bytes.toString('hex')).toString('base64'),
];

/** HMAC with the text of a key, or with the control key. */
export function* hmacInsteadOfRsa(parts: OauthParts, keys: Keys): Generator<SigningMistake> {
  for (const { variant, detail, key } of macKeys(parts.given, keys))
    for (const { hash, method, length } of macs)
      for (const base of [parts.text, baseStringDeclaring(parts, method)]) {
        const bytes = () => createHmac(hash, key).update(base, 'utf8').digest();
        yield {
          mistake: {
            name: 'rsa-key-or-method',
            variant,
            detail: `${method} with ${detail}; this request takes RSA-SHA256 with the private key`,
          },
          baseString: base,
          sign: () => bytes().toString('base64'),
          fits: (signature) => signature.length <= length * 3 && forms.some((write) => write(bytes()) === signature),
        };
      }
}

function macKeys(
  given: OauthCase,
  { privateKey, publicKey }: Keys,
): { variant: string; detail: string; key: string }[] {
  const { secret } = given;
  const own =
    secret === undefined
      ? []
      : [hmacKey(given, secret), `${secret}&`, secret].map((key) => ({
          variant: 'hmac',
          detail: 'the control key',
          key,
        }));
  const texts = [
    ...(privateKey === undefined ? [] : (['pkcs8', 'pkcs1'] as const).map((type) => pemOf(privateKey, type))),
    ...(publicKey === undefined ? [] : (['spki', 'pkcs1'] as const).map((type) => pemOf(publicKey, type))),
  ];
  const pems = texts.flatMap((pem) =>
    [pem, pem.trim()].flatMap((text) =>
      [hmacKey({ ...given, tokenSecret: '' }, text), `${text}&`, text].map((key) => ({
        variant: text.includes('PRIVATE') ? 'hmac-private-key' : 'hmac-public-key',
        detail: `the text of the ${text.includes('PRIVATE') ? 'private' : 'public'} key`,
        key,
      })),
    ),
  );
  return [...own, ...pems];
}

function pemOf(key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'spki'): string {
  return key.export({ type, format: 'pem' }).toString();
}
