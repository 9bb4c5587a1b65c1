import { loadProfile, readPemText, readSecret } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint, type PrivateKey, readPrivateKey } from '../../../signing/index.js';
import { cardNumbersIn, holdsSecurityCode } from '../../../wire/mask.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Session } from '../../session.js';

export interface BundleFile {
  readonly name: string;
  readonly text: string;
}

/** The public facts of a key of the active profile. */
export interface KeyFact {
  readonly key: 'control-key' | 'private-key';
  readonly fingerprint: string | null;
  /** Why it cannot be used; its content was then not searched for. */
  readonly problem: string | null;
}

/** A text that must not be in any file. */
interface KnownSecret {
  readonly kind: string;
  readonly text: string;
}

interface ProfileSecrets {
  readonly secrets: readonly KnownSecret[];
  readonly keys: readonly KeyFact[];
}

/** Reads each key of the active profile once: a pipe can be read only once. */
export async function readSecrets(options: CommonOptions, session: Session, runtime: Runtime): Promise<ProfileSecrets> {
  const secrets: KnownSecret[] = [];
  const keys: KeyFact[] = [];
  const reading = async (key: KeyFact['key'], read: () => Promise<string | null>) => {
    try {
      keys.push({ key, fingerprint: await read(), problem: null });
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      keys.push({ key, fingerprint: null, problem: error.message });
    }
  };
  const keep = (key: PrivateKey | undefined) => {
    secrets.push(...splitPem(String(key?.keyObject.export({ format: 'pem', type: 'pkcs8' }) ?? '')));
    return key?.fingerprint ?? null;
  };
  if (session.canAskStatus)
    await reading('control-key', async () => {
      const text = (await session.credentials({ scheme: 'control', values: [] })).controlKey?.open() ?? '';
      secrets.push({ kind: 'the control key', text });
      return keyFingerprint(text);
    });
  if (session.builtin)
    await reading('private-key', async () => keep((await session.credentials({ scheme: 'rsa-sha256' })).privateKey));
  const { profile } = await loadProfile({ profile: options.profile, overrides: options }, runtime);
  const { privateKey, passphrase } = profile ?? {};
  if (privateKey !== undefined)
    await reading('private-key', async () => {
      const { secret, from } = await readPemText(privateKey, runtime);
      secrets.push(...splitPem(secret.open()));
      const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, runtime)).secret;
      if (phrase !== undefined) secrets.push({ kind: 'a passphrase', text: phrase.open() });
      return keep(readPrivateKey(secret.open(), phrase, from));
    });
  return { secrets, keys };
}

/** Each line of a PEM text, and its bytes in hexadecimal. */
function splitPem(pem: string): KnownSecret[] {
  const lines = pem.split(/\s+/).filter((line) => /^[A-Za-z\d+/]{40,}={0,2}$/.test(line));
  const texts = lines.flatMap((line) => [line, Buffer.from(line, 'base64').toString('hex')]);
  return texts.map((text) => ({ kind: 'the private key', text }));
}

/** What was found and where; never the text itself. */
export interface FoundSecret {
  readonly file: string;
  readonly kind: string;
}

/** Patterns of secrets whose value is not known here. */
const shapes: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY/],
  ['a control', /(?<![a-z])control(?:[^\w\u2022]|value|is){1,12}(?:[\da-f]{40}(?![\da-f])|[a-z\d+/]{27}=)/i],
  ['a signature', /(?<![a-z])signature(?:[^\w\u2022]|value|is){1,12}[a-z\d+/%]{27,}={0,2}/i],
];

/**
 * Searches every file for the known secrets, for card numbers, and for text shaped like a secret. `ids` are numbers
 * assigned by the gateway, which may be as long as card numbers.
 */
export function scan(
  files: readonly BundleFile[],
  secrets: readonly KnownSecret[],
  ids: ReadonlySet<string>,
): FoundSecret[] {
  return files.flatMap(({ name, text }) => {
    const kinds = [
      ...secrets.filter((secret) => holdsSecret(secret.text, text)).map(({ kind }) => kind),
      ...shapes.filter(([, shape]) => shape.test(text)).map(([kind]) => kind),
      ...(holdsSecurityCode(text) ? ['a security code'] : []),
      ...(cardNumbersIn(text).some((number) => !ids.has(number)) ? ['a card number'] : []),
    ];
    return [...new Set(kinds)].map((kind) => ({ file: name, kind }));
  });
}

const minSubstringLength = 6;

/** As it is, as a string of JSON, or percent-encoded. A short secret must be a whole word: it occurs inside other words by chance. */
function holdsSecret(secret: string, text: string): boolean {
  const plain = text.toLowerCase();
  const wanted = secret.toLowerCase();
  const written = [wanted, JSON.stringify(wanted).slice(1, -1), encodeURIComponent(secret).toLowerCase()];
  if (secret.length >= minSubstringLength) return written.some((form) => plain.includes(form));
  const quoted = wanted.replace(/[^\p{L}\p{N}]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'u').test(plain);
}
