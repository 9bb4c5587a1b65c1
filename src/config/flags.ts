import type { Files } from '../runtime/ports.js';
import { parseBaseUrl, parseEndpointId } from '../wire/address.js';
import type { Draft, SecretKey, SecretSource, Sourced, TextKey } from './draft.js';
import { pathFrom } from './paths.js';

/** What the command line says about the connection. Never a secret itself, only where it is. */
export interface ConnectionFlags {
  readonly baseUrl?: string | undefined;
  readonly login?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly controlKeyFile?: string | undefined;
  readonly controlKeyStdin?: boolean | undefined;
  readonly controlKeyFd?: number | undefined;
  readonly privateKeyFile?: string | undefined;
  readonly passphraseFile?: string | undefined;
  readonly passphraseFd?: number | undefined;
  readonly caFile?: string | undefined;
}

/** Throws URL_INVALID or FIELD_INVALID, as for any flag. */
export function readFlags(flags: ConnectionFlags, files: Files): Draft {
  const { working, home } = files.folders;
  const path = (written: string) => pathFrom(written, working, home);
  const texts: Partial<Record<TextKey, Sourced<string>>> = {};
  const put = (key: TextKey, value: string | undefined, parse: (text: string) => string) => {
    if (value !== undefined) texts[key] = { value: parse(value), origin: `flag --${key}` };
  };
  put('base-url', flags.baseUrl, parseBaseUrl);
  put('login', flags.login, (text) => text);
  put('endpoint-id', flags.endpointId, parseEndpointId);
  put('ca-file', flags.caFile, path);
  const secrets: Partial<Record<SecretKey, SecretSource>> = {};
  const file = (key: SecretKey, written: string | undefined) => {
    if (written !== undefined) secrets[key] = { kind: 'file', path: path(written), origin: `flag --${key}-file` };
  };
  const descriptor = (key: SecretKey, number: number | undefined) => {
    if (number !== undefined) secrets[key] = { kind: 'descriptor', descriptor: number, origin: `flag --${key}-fd` };
  };
  file('control-key', flags.controlKeyFile);
  if (flags.controlKeyStdin === true) secrets['control-key'] = { kind: 'stdin', origin: 'flag --control-key-stdin' };
  descriptor('control-key', flags.controlKeyFd);
  file('private-key', flags.privateKeyFile);
  file('passphrase', flags.passphraseFile);
  descriptor('passphrase', flags.passphraseFd);
  return { texts, secrets };
}

/** True when the flags speak of a gateway; an endpoint id or an authority alone goes with any profile. */
export function speakOfConnection({ texts, secrets }: Draft): boolean {
  return texts['base-url'] !== undefined || texts.login !== undefined || Object.keys(secrets).length > 0;
}
