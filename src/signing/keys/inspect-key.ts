import type { Secret } from '../../wire/mask.js';
import { type FoundKey, findKey } from './find-key.js';
import type { Half, KeyKind } from './key-forms.js';
import { formName, openFound, rsaFingerprint, unlock } from './rsa-keys.js';

export interface KeyInspection {
  readonly kind: KeyKind | 'unknown';
  readonly form: string | undefined;
  readonly encoding: FoundKey['encoding'];
  /** RSA, RSA-PSS, EC, Ed25519 and so on; undefined while it is locked or when there is no key in it. */
  readonly algorithm: string | undefined;
  readonly bits: number | undefined;
  readonly curve: string | undefined;
  /** Of the public half, whatever the algorithm. */
  readonly fingerprint: string | undefined;
  /** Encrypted, and no passphrase was given. */
  readonly isLocked: boolean;
  /** True only when it is accepted as that half just as it is. */
  readonly fits: boolean;
  readonly why: string | undefined;
  /** What would make it fit: writing it down anew, or taking the public half out. */
  readonly mend: 'rewrite' | 'take-public' | undefined;
}

/** What the bytes of a file are, and whether they serve as that half of a key for RSA-SHA256. */
export function inspectKey(bytes: Uint8Array, half: Half, passphrase?: Secret): KeyInspection {
  const found = findKey(bytes);
  const opened = openFound(found, half, passphrase);
  const unlocked = found.locked === undefined ? undefined : unlock(found.locked, passphrase);
  const content = found.content ?? (unlocked !== undefined && 'key' in unlocked ? unlocked.key : undefined);
  const isKey = 'key' in opened || 'locked' in opened;
  const why = 'why' in opened ? opened.why : found.isNoText;
  const canTakePublic = half === 'public' && found.form?.kind !== 'public key' && content?.asymmetricKeyType === 'rsa';
  const type = content?.asymmetricKeyType ?? '';
  return {
    kind: found.form?.kind ?? 'unknown',
    form: found.form === undefined ? undefined : formName(found),
    encoding: found.encoding,
    algorithm: algorithms[type],
    bits: content?.asymmetricKeyDetails?.modulusLength,
    curve: content?.asymmetricKeyDetails?.namedCurve,
    fingerprint: content === undefined ? undefined : rsaFingerprint(content),
    isLocked: 'locked' in opened,
    fits: why === undefined,
    why,
    mend: canTakePublic ? 'take-public' : isKey && found.isNoText !== undefined ? 'rewrite' : undefined,
  };
}

/** The half a file is about: a certificate or the request for one is about a public key. */
export function halfOf(bytes: Uint8Array): Half {
  const kind = findKey(bytes).form?.kind;
  return kind === 'public key' || kind === 'certificate' || kind === 'certificate request' ? 'public' : 'private';
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
