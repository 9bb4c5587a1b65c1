import { fail, isPaycliError, type PaycliError, problemsText } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import { kindOf } from '../spec/index.js';
import { parseBaseUrl, parseEndpointId } from '../wire/address.js';
import { pathFrom } from './file-access.js';
import type { Draft, SecretKey, SecretSource, Sourced, TextKey } from './settings.js';

/** The flags of the connection. Never a secret itself, only where it is. */
export interface ConnectionFlags {
  readonly baseUrl?: string | undefined;
  readonly login?: string | undefined;
  readonly endpointId?: string | undefined;
  /** Here and below: a path, or - for standard input. */
  readonly controlKeyFile?: string | undefined;
  /** Here and below: the number of an open descriptor. */
  readonly controlKeyFd?: string | undefined;
  readonly privateKeyFile?: string | undefined;
  readonly privateKeyFd?: string | undefined;
  readonly passphraseFile?: string | undefined;
  readonly passphraseFd?: string | undefined;
  readonly caFile?: string | undefined;
}

/** Throws URL_INVALID or FIELD_INVALID, as for any flag; with several mistakes, FIELD_INVALID for all of them. */
export function readFlags(flags: ConnectionFlags, files: Files): Draft {
  const { working, home } = files.folders;
  const path = (written: string) => pathFrom(written, working, home);
  const texts: Partial<Record<TextKey, Sourced<string>>> = {};
  const faults: PaycliError[] = [];
  const put = (key: TextKey, value: string | undefined, parse: (text: string) => string) => {
    if (value !== undefined)
      collectError(faults, () => (texts[key] = { value: parse(value), origin: `flag --${key}` }));
  };
  put('base-url', flags.baseUrl, parseBaseUrl);
  put('login', flags.login, parseLogin);
  put('endpoint-id', flags.endpointId, parseEndpointId);
  put('ca-file', flags.caFile, path);
  const written = {
    'control-key': [flags.controlKeyFile, flags.controlKeyFd],
    'private-key': [flags.privateKeyFile, flags.privateKeyFd],
    passphrase: [flags.passphraseFile, flags.passphraseFd],
  } as const satisfies Record<SecretKey, unknown>;
  const secrets: Partial<Record<SecretKey, SecretSource>> = {};
  for (const key of ['control-key', 'private-key', 'passphrase'] as const) {
    collectError(faults, () => {
      const source = secretIn(key, written[key], path);
      if (source !== undefined) secrets[key] = source;
    });
  }
  const onStdin = Object.values(secrets).filter(({ kind }) => kind === 'stdin');
  if (onStdin.length > 1)
    faults.push(
      fail('FIELD_INVALID', {
        problems: `only one of ${onStdin.map(({ origin }) => origin.replace('flag ', '')).join(', ')} can read standard input`,
        flags: onStdin.map(({ origin }) => origin.replace('flag ', '')).join(', '),
      }),
    );
  const [only] = faults;
  if (only === undefined) return { texts, secrets };
  throw faults.length === 1
    ? only
    : fail('FIELD_INVALID', { problems: problemsText(faults.map(({ message }) => message)) });
}

function collectError(faults: PaycliError[], step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    faults.push(error);
  }
}

function parseLogin(text: string): string {
  const { pattern, form } = kindOf('login');
  if (!pattern.test(text)) throw fail('FIELD_INVALID', { problems: `--login: use ${form}` });
  return text;
}

function secretIn(
  key: SecretKey,
  [file, descriptor]: readonly [string | undefined, string | undefined],
  path: (written: string) => string,
): SecretSource | undefined {
  if (file !== undefined && descriptor !== undefined)
    throw fail('FIELD_INVALID', { problems: `--${key}-file and --${key}-fd both name the secret; use one of them` });
  if (file === '-' || descriptor === '0')
    return { kind: 'stdin', origin: `flag --${key}-${file === undefined ? 'fd' : 'file'}` };
  if (file !== undefined) return { kind: 'file', path: path(file), origin: `flag --${key}-file` };
  if (descriptor === undefined) return undefined;
  // 1 and 2 are for output. The text is not repeated: it may be the key itself, put there by mistake.
  if (!/^(?:[3-9]|[1-9]\d{1,3})$/.test(descriptor))
    throw fail('FIELD_INVALID', {
      problems: `--${key}-fd: use the number of an open descriptor, 3 or above, or 0 for standard input`,
    });
  return { kind: 'descriptor', descriptor: Number(descriptor), origin: `flag --${key}-fd` };
}

/** True when the flags describe a gateway; an endpoint id or an authority alone goes with any profile. */
export function describesConnection({ texts, secrets }: Draft): boolean {
  return texts['base-url'] !== undefined || texts.login !== undefined || Object.keys(secrets).length > 0;
}
