import { loadProfile, type Profile, readPemText, readSecret } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint, readPrivateKey } from '../../../signing/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Session } from '../../session.js';
import type { KnownSecret } from './scan.js';

/** The public facts of a key of the active profile. */
export interface KeyFact {
  readonly key: 'control-key' | 'private-key';
  readonly fingerprint: string | null;
  /** Why it cannot be used; its content was then not searched for. */
  readonly problem: string | null;
}

interface ProfileSecrets {
  readonly secrets: readonly KnownSecret[];
  readonly keys: readonly KeyFact[];
}

/** Reads each key of the active profile once: a pipe can be read only once. */
export async function readSecrets(options: CommonOptions, session: Session, runtime: Runtime): Promise<ProfileSecrets> {
  const all = [await ofControlKey(session)];
  if (session.builtin) all.push(await ofBuiltinKey(session));
  else {
    const { profile } = await loadProfile({ profile: options.profile, overrides: options }, runtime);
    if (profile?.privateKey !== undefined) all.push(await ofPrivateKey(profile, profile.privateKey, runtime));
  }
  return { secrets: all.flatMap(({ secrets }) => secrets), keys: all.flatMap(({ keys }) => keys) };
}

async function ofControlKey(session: Session): Promise<ProfileSecrets> {
  if (!session.canAskStatus) return { secrets: [], keys: [] };
  return readingKey('control-key', async () => {
    const { controlKey } = await session.credentials({ scheme: 'control', values: [] });
    const text = controlKey?.open() ?? '';
    return { fingerprint: keyFingerprint(text), secrets: [{ kind: 'the control key', text }] };
  });
}

async function ofBuiltinKey(session: Session): Promise<ProfileSecrets> {
  return readingKey('private-key', async () => {
    const { privateKey } = await session.credentials({ scheme: 'rsa-sha256' });
    const pem = privateKey?.keyObject.export({ format: 'pem', type: 'pkcs8' }) ?? '';
    return { fingerprint: privateKey?.fingerprint ?? null, secrets: linesOf(String(pem)) };
  });
}

async function ofPrivateKey(
  { passphrase }: Profile,
  source: NonNullable<Profile['privateKey']>,
  runtime: Runtime,
): Promise<ProfileSecrets> {
  const secrets: KnownSecret[] = [];
  const found = await readingKey('private-key', async () => {
    const { secret, from } = await readPemText(source, runtime);
    secrets.push(...linesOf(secret.open()));
    const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, runtime)).secret;
    if (phrase !== undefined) secrets.push({ kind: 'a passphrase', text: phrase.open() });
    const key = readPrivateKey(secret.open(), phrase, from);
    secrets.push(...linesOf(String(key.keyObject.export({ format: 'pem', type: 'pkcs8' }))));
    return { fingerprint: key.fingerprint, secrets: [] };
  });
  return { ...found, secrets };
}

async function readingKey(
  key: KeyFact['key'],
  read: () => Promise<{ readonly fingerprint: string | null; readonly secrets: readonly KnownSecret[] }>,
): Promise<ProfileSecrets> {
  try {
    const { fingerprint, secrets } = await read();
    return { secrets, keys: [{ key, fingerprint, problem: null }] };
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return { secrets: [], keys: [{ key, fingerprint: null, problem: error.message }] };
  }
}

const kind = 'the private key';

/** Each line of a PEM text, and its bytes in hexadecimal. */
function linesOf(pem: string): KnownSecret[] {
  const lines = pem.split(/\s+/).filter((line) => /^[A-Za-z\d+/]{40,}={0,2}$/.test(line));
  return lines.flatMap((line) => [
    { kind, text: line },
    { kind, text: Buffer.from(line, 'base64').toString('hex') },
  ]);
}
