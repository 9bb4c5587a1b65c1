import { pathFrom, shown } from '../../config/paths.js';
import { reasonOf } from '../../config/reason.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type PrivateKey, type PublicKey, readPrivateKey, readPublicKey } from '../../signing/index.js';
import type { Reporter } from '../reporter.js';

/** A text the user hands in; `-` is standard input. Throws TEXT_INVALID. */
export async function readInput(path: string, runtime: Runtime): Promise<string> {
  if (path === '-') return runtime.terminal.readStdin();
  return readFrom(path, runtime, (why) => fail('TEXT_INVALID', { field: sourceOf(path), why }));
}

/** The same without the line end that editors and `echo` put behind a text. */
export async function readLine(path: string, runtime: Runtime): Promise<string> {
  return withoutLineEnd(await readInput(path, runtime));
}

/** A file that must be JSON. Throws TEXT_INVALID. */
export async function readJson(path: string, runtime: Runtime): Promise<unknown> {
  const text = await readInput(path, runtime);
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's words: they quote the text, which may hold card data.
    throw fail('TEXT_INVALID', { field: sourceOf(path), why: 'it is not JSON' });
  }
}

/** How an input is called in messages. */
export function sourceOf(path: string): string {
  return path === '-' ? 'standard input' : `file ${shown(path)}`;
}

/**
 * A secret in a file: exactly one line end is dropped, blanks count and are warned about. Whose file it is does not matter here,
 * where nothing is sent. Throws SECRET_UNREADABLE.
 */
export function readSecretFile(path: string, report: Reporter, runtime: Runtime): string {
  const secret = withoutLineEnd(readKeyText(path, runtime));
  if (/^\s|\s$/u.test(secret))
    report.warn([`${sourceOf(path)} begins or ends with a blank or line break, which counts as part of the secret`]);
  return secret;
}

/** A private key in PEM, with its passphrase in another file. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export function readPrivateKeyFile(path: string, passphraseFile: string | undefined, report: Reporter, runtime: Runtime): PrivateKey {
  const passphrase = passphraseFile === undefined ? undefined : readSecretFile(passphraseFile, report, runtime);
  return readPrivateKey(readKeyText(path, runtime), passphrase, sourceOf(path));
}

/** A public key in PEM. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export function readPublicKeyFile(path: string, runtime: Runtime): PublicKey {
  return readPublicKey(readKeyText(path, runtime), sourceOf(path));
}

/** True for a PEM file that says it holds a public key. */
export function holdsPublicKey(path: string, runtime: Runtime): boolean {
  return /-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(readKeyText(path, runtime));
}

function readKeyText(path: string, runtime: Runtime): string {
  return readFrom(path, runtime, (why) =>
    fail('SECRET_UNREADABLE', { what: sourceOf(path), why, how: 'name a file that holds the key and nothing else' }),
  );
}

function readFrom(path: string, { files }: Runtime, refuse: (why: string) => Error): string {
  try {
    return files.readText(pathFrom(path, files.folders.working, files.folders.home));
  } catch (error) {
    throw refuse(reasonOf(error));
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
