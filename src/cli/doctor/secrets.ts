import type { Profile } from '../../config/index.js';
import { readCaFile, readPemText, readSecret } from '../../config/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type PrivateKey, readPrivateKey, readPublicKey, signRsaSha256, verifyRsaSha256 } from '../../signing/index.js';
import { broken, type Found, foundError, pass, skip, warn } from './finding.js';

type Source = NonNullable<Profile['controlKey']>;

/** The merchant control key: there, readable by nobody else, and of one piece. */
export async function findControlKey({ controlKey }: Profile, runtime: Runtime): Promise<Found> {
  if (controlKey === undefined)
    return warn(
      'the profile has none, so it can neither sign most operations nor ask for an outcome',
      'set control-key-file in the profile',
    );
  if (isOnce(controlKey)) return skip(onceOnly);
  try {
    const { from, warning } = await readSecret(controlKey, runtime);
    return warning === undefined ? pass(from) : warn(warning, 'write the key alone into it, as one line');
  } catch (error) {
    return foundError(error);
  }
}

/** The RSA key: readable by nobody else, long enough, and what it signs verifies. */
export async function findPrivateKey(profile: Profile, runtime: Runtime): Promise<Found> {
  const { privateKey, passphrase } = profile;
  if (privateKey === undefined) return skip('the profile has none; only operations signed with RSA-SHA256 need one');
  if (isOnce(privateKey) || (passphrase !== undefined && isOnce(passphrase))) return skip(onceOnly);
  try {
    const { secret, from } = await readPemText(privateKey, runtime);
    const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, runtime)).secret;
    return judge(readPrivateKey(secret.open(), phrase, from), privateKey, from, runtime);
  } catch (error) {
    return foundError(error);
  }
}

function judge(key: PrivateKey, source: Source, from: string, { files }: Runtime): Found {
  const facts = `RSA ${key.bits} bits, ${key.form}, fingerprint ${key.fingerprint}, from ${from}`;
  const neighbour = source.kind === 'file' ? source.path.replace(/(?:\.pem)?$/, '.pub.pem') : undefined;
  if (neighbour === undefined || !files.exists(neighbour)) return pass(facts);
  const open = readPublicKey(files.readText(neighbour, 65_536), neighbour);
  const text = 'paycli doctor';
  if (verifyRsaSha256(text, signRsaSha256(text, key.keyObject), open.keyObject)) return pass(`${facts}; ${neighbour} is its other half`);
  return broken(`${neighbour} is no half of it`, `\`paycli keys check-pair\` compares the two; the gateway must have the right public key`);
}

/** An own certificate authority. */
export function findAuthority({ caFile }: Profile, { files }: Runtime): Found {
  if (caFile === undefined) return pass('the usual authorities');
  try {
    readCaFile(caFile, files);
    return pass(`the usual ones and those in ${caFile}`);
  } catch (error) {
    return foundError(error);
  }
}

const onceOnly = 'it comes through a pipe, which can be read once only';

function isOnce({ kind }: Source): boolean {
  return kind === 'stdin' || kind === 'descriptor';
}
