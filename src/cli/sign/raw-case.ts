import { fail } from '../../errors/index.js';
import { freshNow } from '../../payments/exchange.js';
import type { Runtime } from '../../runtime/ports.js';
import type { OauthCase, OauthTheirs } from '../../signing/diagnose/index.js';
import type { Fresh } from '../../signing/index.js';
import type { Pair } from '../../wire/form.js';
import type { CommonOptions } from '../options.js';
import type { Reporter } from '../reporter.js';
import { holdsPublicKey, readJson, readPrivateKeyFile, readPublicKeyFile, readSecretFile, sourceOf } from './files.js';
import { needed } from './needed.js';
import { freshIn, secondsNow } from './theirs.js';

/** The flags of `sign raw`, which `sign diff` and `sign find-mistake` take as well. */
export interface RawOptions extends CommonOptions {
  readonly method?: string;
  readonly url?: string;
  readonly signatureMethod?: 'HMAC-SHA1' | 'RSA-SHA256';
  readonly consumerKey?: string;
  readonly keyFile?: string;
  readonly tokenSecretFile?: string;
  readonly paramsFile?: string;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly token?: string;
  readonly realm?: string;
  /** False with --no-version. */
  readonly version?: boolean;
}

type Keys = Pick<OauthCase, 'secret' | 'tokenSecret' | 'privateKey' | 'publicKey'>;

/** The request to sign. Nonce and timestamp that are not given are made now. */
export async function caseToSign(options: RawOptions, report: Reporter, runtime: Runtime): Promise<OauthCase> {
  return caseOf('sign raw', options, freshNow(runtime), (path) => keysToSign(path, options, report, runtime), runtime);
}

/**
 * The request whose signature is known; the public half of an RSA key is enough. Nonce and timestamp must be given where the other
 * side's text does not tell them.
 */
export async function caseToCompare(
  command: string,
  options: RawOptions,
  theirs: OauthTheirs,
  report: Reporter,
  runtime: Runtime,
): Promise<OauthCase> {
  if ('signature' in theirs) needed(command, { ...wanted(options), nonce: options.nonce, timestamp: options.timestamp });
  const keys = (path: string): Keys =>
    options.signatureMethod === 'RSA-SHA256' && holdsPublicKey(path, runtime)
      ? { publicKey: readPublicKeyFile(path, runtime).keyObject }
      : keysToSign(path, options, report, runtime);
  return { ...(await caseOf(command, options, freshIn(theirs), keys, runtime)), now: secondsNow(runtime) };
}

function wanted({ url, signatureMethod, consumerKey, keyFile }: RawOptions) {
  return { url, signatureMethod, consumerKey, keyFile };
}

async function caseOf(
  command: string,
  options: RawOptions,
  fresh: Fresh,
  keysIn: (path: string) => Keys,
  runtime: Runtime,
): Promise<OauthCase> {
  const { url, signatureMethod, consumerKey, keyFile } = needed(command, wanted(options));
  return {
    method: options.method ?? 'POST',
    url,
    body: options.paramsFile === undefined ? [] : await readPairs(options.paramsFile, runtime),
    signatureMethod,
    consumerKey,
    nonce: options.nonce ?? fresh.nonce,
    timestamp: options.timestamp ?? fresh.timestamp,
    hasVersion: options.version !== false,
    token: options.token,
    realm: options.realm,
    ...keysIn(keyFile),
  };
}

function keysToSign(path: string, options: RawOptions, report: Reporter, runtime: Runtime): Keys {
  const { signatureMethod, passphraseFile, tokenSecretFile } = options;
  if (signatureMethod === 'RSA-SHA256') return { privateKey: readPrivateKeyFile(path, passphraseFile, report, runtime).keyObject };
  const secret = readSecretFile(path, report, runtime);
  if (secret === '')
    throw fail('SECRET_UNREADABLE', { what: sourceOf(path), why: 'it is empty', how: 'write the consumer secret into it' });
  return { secret, tokenSecret: tokenSecretFile === undefined ? '' : readSecretFile(tokenSecretFile, report, runtime) };
}

/** `[["amount", "10.42"], …]`, in the order of the body. Throws TEXT_INVALID. */
async function readPairs(path: string, runtime: Runtime): Promise<readonly Pair[]> {
  const given = await readJson(path, runtime);
  const refuse = (why: string) => fail('TEXT_INVALID', { field: sourceOf(path), why });
  if (!Array.isArray(given)) throw refuse('it must be a JSON array of pairs such as [["amount", "10.42"]]');
  return given.map((item: unknown, at): Pair => {
    const [name, value, ...more]: readonly unknown[] = Array.isArray(item) ? item : [];
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0)
      throw refuse(`item ${at + 1} must be two texts such as ["amount", "10.42"]; numbers are written in quotes, too`);
    return [name, value];
  });
}
