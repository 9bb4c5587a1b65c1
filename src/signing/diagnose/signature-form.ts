import { plainBase64 } from './rsa-open.js';
import type { Mistake, OauthCase, OauthMistakeName } from './types.js';
import { type Writing, writings } from './writings.js';

/** The same signature in plain Base64, where it is written in another way that its length gives away. */
export function rewrittenSignature(
  signature: string,
  length: number,
): { readonly writing: Writing; readonly signature: string } | undefined {
  for (const writing of writings) {
    const bytes = writing.read(signature);
    const plain = bytes.toString('base64');
    if (bytes.length === length && plain !== signature && writing.write(bytes) === signature) return { writing, signature: plain };
  }
  return undefined;
}

const macLengths: Readonly<Record<number, string>> = { 16: 'MD5', 20: 'SHA-1', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' };

/** What the length alone says of a signature that nothing explains. */
export function lengthMistakes({ signatureMethod }: OauthCase, signature: string, length: number): Mistake<OauthMistakeName>[] {
  const bytes = plainBase64(signature)?.length ?? 0;
  if (bytes === length || bytes === 0) return [];
  const hash = macLengths[bytes];
  const due = `with this key it has ${length} bytes`;
  if (signatureMethod === 'RSA-SHA256') {
    if (hash !== undefined)
      return [
        { name: 'rsa-key-or-method', variant: 'hmac', detail: `the signature has ${bytes} bytes, as an HMAC with ${hash} has; ${due}` },
      ];
    return bytes >= 128 && bytes % 64 === 0
      ? [
          {
            name: 'rsa-key-or-method',
            variant: 'other-pair',
            detail: `the signature has ${bytes} bytes, so it was made with another key; ${due}`,
          },
        ]
      : [];
  }
  if (hash !== undefined)
    return [{ name: 'digest', variant: 'length', detail: `the signature has ${bytes} bytes, as ${hash} has; SHA-1 has 20` }];
  return bytes >= 128 && bytes % 64 === 0
    ? [{ name: 'rsa-key-or-method', variant: 'rsa', detail: `the signature has ${bytes} bytes, as RSA has; HMAC-SHA1 has 20` }]
    : [];
}
