import { pathFrom, readSecretText, secretWarning } from '../../../config/file-access.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { ControlTheirs, OauthTheirs } from '../../../signing/diagnose/index.js';
import {
  type NonceAndTimestamp,
  type PrivateKey,
  type PublicKey,
  readPrivateKey,
  readPublicKey,
  splitAuthorizationHeader,
} from '../../../signing/index.js';
import { flagOf } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { readInput, readOr, sourceOf } from '../../core/text-input.js';

/** A text of the user's without the line end that editors and `echo` put behind it. */
async function readLine(path: string, runtime: Runtime): Promise<string> {
  return withoutLineEnd(await readInput(path, runtime));
}

/** What was left out of a text before it was compared. */
export interface TrimmedPiece {
  readonly name: string;
  readonly codePoint: string;
  /** Where it stood, in bytes. */
  readonly at: number;
}

/**
 * A text that somebody signed: a byte order mark at its beginning and one line end behind it are left out, which
 * editors and shells put there, and told. Throws TEXT_INVALID.
 */
async function readSignedText(
  path: string,
  runtime: Runtime,
): Promise<{ readonly text: string; readonly trimmed: readonly TrimmedPiece[] }> {
  const whole =
    path === '-'
      ? await runtime.terminal.readStdin({ withMark: true })
      : readMarked(path, runtime, (why) => fail('TEXT_INVALID', { field: sourceOf(path), why }));
  const mark = whole.startsWith('\uFEFF') ? 1 : 0;
  const text = withoutLineEnd(whole.slice(mark));
  const end = whole.slice(mark + text.length);
  const at = Buffer.byteLength(whole) - end.length;
  return {
    text,
    trimmed: [
      ...(mark === 0 ? [] : [{ name: 'byte order mark', codePoint: 'U+FEFF', at: 0 }]),
      ...(end === '' ? [] : [end === '\n' ? { ...lineFeed, at } : { ...bothEnds, at }]),
    ],
  };
}

const lineFeed = { name: 'line feed', codePoint: 'U+000A' };
const bothEnds = { name: 'carriage return and line feed', codePoint: 'U+000D U+000A' };

/**
 * A secret in a file: exactly one line end is dropped, blanks count and are warned about. Whose file it is does not
 * matter here, where nothing is sent. Throws SECRET_UNREADABLE.
 */
export function readSecretFile(path: string, report: Reporter, runtime: Runtime): string {
  const secret = withoutLineEnd(readKeyText(path, runtime));
  const odd = secretWarning(secret);
  if (odd !== undefined) report.warn([`${sourceOf(path)} ${odd}`]);
  return secret;
}

/** A private key in PEM, with its passphrase in another file. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
export function readPrivateKeyFile(
  path: string,
  passphraseFile: string | undefined,
  report: Reporter,
  runtime: Runtime,
): PrivateKey {
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
  return readMarked(path, runtime, (why) =>
    fail('SECRET_UNREADABLE', { what: sourceOf(path), why, how: 'name a file that holds the key and nothing else' }),
  );
}

/** A text byte for byte: a byte order mark in front is part of it. */
function readMarked(path: string, { files }: Runtime, refuse: (why: string) => Error): string {
  return readOr(() => readSecretText(pathFrom(path, files.folders.working, files.folders.home), files), refuse);
}

/** Without the one line end that editors and `echo` put behind a text. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

type Values = Readonly<Record<string, string | undefined>>;
type Given<V extends Values> = { readonly [Key in keyof V]: NonNullable<V[Key]> };

/**
 * The values of flags that must be there, by the flags' names in camel case. Throws USAGE with all that are missing.
 */
export function requireFlags<V extends Values>(command: string, values: V): Given<V> {
  if (isComplete(values)) return values;
  const missing = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [flagOf(name)] : []));
  throw fail('USAGE', { why: `missing: ${missing.join(', ')}`, flags: missing.join(', '), command });
}

function isComplete<V extends Values>(values: V): values is V & Given<V> {
  return Object.values(values).every((value) => value !== undefined);
}

/** What the other side made of the same request. */
export interface TheirsOptions extends CommonOptions {
  readonly theirsSignature?: string;
  readonly theirsBaseString?: string;
  readonly theirsHeader?: string;
  readonly theirsControl?: string;
  readonly theirsString?: string;
}

interface Trimmed {
  readonly trimmed?: readonly TrimmedPiece[];
}

/** Throws USAGE unless exactly one of the three is given. */
export async function readOauthTheirs(
  options: TheirsOptions,
  command: string,
  runtime: Runtime,
): Promise<OauthTheirs & Trimmed> {
  const { theirsSignature: signature, theirsBaseString, theirsHeader } = options;
  requireOne(
    { '--theirs-signature': signature, '--theirs-base-string': theirsBaseString, '--theirs-header': theirsHeader },
    command,
  );
  if (signature !== undefined) return { signature };
  if (theirsBaseString !== undefined) {
    const { text, trimmed } = await readSignedText(theirsBaseString, runtime);
    return { baseString: text, trimmed };
  }
  return { header: await readHeader(theirsHeader ?? '', runtime) };
}

/** Throws USAGE unless exactly one of the two is given. */
export async function readControlTheirs(
  options: TheirsOptions,
  command: string,
  runtime: Runtime,
): Promise<ControlTheirs & Trimmed> {
  const { theirsControl: control, theirsString } = options;
  requireOne({ '--theirs-control': control, '--theirs-string': theirsString }, command);
  if (control !== undefined) return { control };
  const { text, trimmed } = await readSignedText(theirsString ?? '', runtime);
  return { string: text, trimmed };
}

/** The value of an Authorization header, with or without the name of the header in front. */
export async function readHeader(path: string, runtime: Runtime): Promise<string> {
  return (await readLine(path, runtime)).trim().replace(/^authorization:\s*/i, '');
}

/**
 * Nonce and timestamp of a header; elsewhere they are given, or taken from the base string by the comparison itself.
 */
export function nonceAndTimestampIn(theirs: OauthTheirs): NonceAndTimestamp {
  const header = 'header' in theirs ? theirs.header : undefined;
  return { nonce: parameterIn(header, 'oauth_nonce') ?? '', timestamp: parameterIn(header, 'oauth_timestamp') ?? '' };
}

/** A parameter of an Authorization header, decoded; undefined where the header cannot be read. */
export function parameterIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  try {
    const found = splitAuthorizationHeader(header).pairs.find(([each]) => each === name)?.[1];
    return found === undefined ? undefined : decodeURIComponent(found);
  } catch (error) {
    if (isPaycliError(error) || error instanceof URIError) return undefined;
    throw error;
  }
}

export function secondsNow({ clock }: Runtime): number {
  return Math.floor(clock.now() / 1000);
}

function requireOne(given: Readonly<Record<string, string | undefined>>, command: string): void {
  if (Object.values(given).filter((value) => value !== undefined).length === 1) return;
  const flags = Object.keys(given).join(', ');
  throw fail('USAGE', { why: `use exactly one of ${flags}`, flags, command });
}
