import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Secret } from '../../wire/mask.js';
import type { Half, KeyKind } from './key-formats.js';
import { blockingFlaws, type FlawName, type NormalizedKey, normalizeKey } from './normalize-key.js';
import {
  type Attempt,
  type PrivateKey,
  type PublicKey,
  rsaFingerprint,
  tryPrivateKey,
  tryPublicKey,
} from './rsa-keys.js';

export interface KeyInspection {
  readonly kind: KeyKind | 'several' | 'unknown';
  readonly form: string | undefined;
  readonly encoding: NormalizedKey['encoding'];
  /** RSA, RSA-PSS, EC, Ed25519 and so on; undefined while it is locked or when there is no key in it. */
  readonly algorithm: string | undefined;
  readonly bits: number | undefined;
  readonly curve: string | undefined;
  /** Of the public half, whatever the algorithm. */
  readonly fingerprint: string | undefined;
  /** Encrypted, and no passphrase was given. */
  readonly isLocked: boolean;
  readonly flaws: readonly FlawName[];
  /** What each PEM block or JSON Web Key is, when there are several. */
  readonly blocks: readonly string[];
  /** True only when it is accepted as that half just as it is. */
  readonly fits: boolean;
  readonly why: string | undefined;
  /** What would make it fit: writing it down anew, or taking the public half out. */
  readonly mend: 'rewrite' | 'take-public' | undefined;
}

/** What the bytes of a file are, and whether they serve as that half of a key for RSA-SHA256. */
export function inspectKey(bytes: Uint8Array, half: Half, passphrase?: Secret): KeyInspection {
  const tidied = normalizeKey(bytes);
  const { form, encoding, flaws, headers, blocks } = tidied;
  const asItIs =
    encoding === 'DER' || encoding === 'binary'
      ? undefined
      : attempt(new TextDecoder().decode(bytes), half, passphrase);
  const rewritten = attempt(tidied.text, half, passphrase);
  const content = contentOf(tidied, passphrase);
  const fits = asItIs !== undefined && 'key' in asItIs;
  return {
    kind: blocks.length > 0 ? 'several' : (form?.kind ?? 'unknown'),
    form: headers.length > 0 && form?.form === 'PKCS#1' ? 'encrypted PKCS#1' : form?.form,
    encoding,
    ...factsOf(content),
    isLocked: 'locked' in rewritten,
    flaws,
    blocks,
    fits,
    why: fits ? undefined : whyNot(tidied, rewritten, half, content),
    mend: fits ? undefined : mendOf(tidied, rewritten, half, content),
  };
}

/** A private key out of the bytes of a file, however it is written down. */
export function openPrivateKey(bytes: Uint8Array, passphrase?: Secret): Attempt<PrivateKey> {
  const tidied = normalizeKey(bytes);
  const opened = tryPrivateKey(tidied.text, passphrase);
  return 'why' in opened ? { ...opened, why: whyNot(tidied, opened, 'private') } : opened;
}

/**
 * A public key out of the bytes of a file, however it is written down, or the one a certificate is about.
 */
export function openPublicKey(bytes: Uint8Array): Attempt<PublicKey> {
  const tidied = normalizeKey(bytes);
  const certified = tidied.form?.kind === 'certificate' ? contentOf(tidied, undefined) : undefined;
  if (certified !== undefined) return tryPublicKey(String(certified.export({ type: 'spki', format: 'pem' })));
  const opened = tryPublicKey(tidied.text);
  return 'why' in opened ? { ...opened, why: whyNot(tidied, opened, 'public') } : opened;
}

/** The half a file is about: a certificate or the request for one is about a public key. */
export function halfOf(bytes: Uint8Array): Half {
  const kind = normalizeKey(bytes).form?.kind;
  return kind === 'public key' || kind === 'certificate' || kind === 'certificate request' ? 'public' : 'private';
}

function attempt(text: string, half: Half, passphrase: Secret | undefined): Attempt<PrivateKey | PublicKey> {
  return half === 'private' ? tryPrivateKey(text, passphrase) : tryPublicKey(text);
}

function whyNot(
  { form, encoding, flaws }: NormalizedKey,
  rewritten: Attempt<unknown>,
  half: Half,
  content?: KeyObject,
): string {
  if (encoding === 'binary')
    return 'it is neither text nor a key in DER; `openssl pkcs12 -in FILE -nocerts -out NEW.pem` extracts the key of a PKCS#12 bundle';
  // What is in it could be taken out, and would not serve.
  const type = content?.asymmetricKeyType;
  if (half === 'public' && form?.kind === 'certificate' && type !== undefined && type !== 'rsa')
    return `it is a certificate for a key of type ${algorithms[type] ?? type}, but an RSA key is required`;
  if (form?.refused[half] !== undefined) return form.refused[half];
  return 'why' in rewritten ? rewritten.why : blockingFlaws(flaws).join('; ');
}

function mendOf(
  { form, flaws }: NormalizedKey,
  rewritten: Attempt<unknown>,
  half: Half,
  content: KeyObject | undefined,
): KeyInspection['mend'] {
  if (half === 'public' && form?.kind !== 'public key' && content?.asymmetricKeyType === 'rsa') return 'take-public';
  const isWhole = 'key' in rewritten || 'locked' in rewritten;
  return isWhole && blockingFlaws(flaws).length > 0 ? 'rewrite' : undefined;
}

const algorithms: Readonly<Record<string, string>> = {
  rsa: 'RSA',
  'rsa-pss': 'RSA-PSS',
  ec: 'EC',
  dsa: 'DSA',
  ed25519: 'Ed25519',
  ed448: 'Ed448',
  x25519: 'X25519',
  x448: 'X448',
};

function factsOf(content: KeyObject | undefined): Pick<KeyInspection, 'algorithm' | 'bits' | 'curve' | 'fingerprint'> {
  const { modulusLength: bits, namedCurve: curve } = content?.asymmetricKeyDetails ?? {};
  const type = content?.asymmetricKeyType ?? '';
  return {
    algorithm: algorithms[type],
    bits,
    curve,
    fingerprint: content === undefined ? undefined : rsaFingerprint(content),
  };
}

/** The key of any algorithm in it; of a certificate the public key it is about. */
function contentOf({ form, text }: NormalizedKey, passphrase: Secret | undefined): KeyObject | undefined {
  try {
    switch (form?.kind) {
      case 'private key':
        return createPrivateKey({ key: text, passphrase: passphrase?.open() ?? '' });
      case 'public key':
        return createPublicKey(text);
      case 'certificate':
        return new X509Certificate(text).publicKey;
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}
