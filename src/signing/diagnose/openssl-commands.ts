import { percentEncode } from '../../wire/form.js';
import type { ControlEncoding } from '../schemes/control-checksum.js';
import type { HmacKeyForm } from '../schemes/oauth1.js';
import type { StageName } from './diagnosis.js';

/** How a stage is made again by openssl, from files that `--stage` writes. */
export interface StageCommand {
  readonly stage: StageName;
  /** Lines for a POSIX shell. The key is read from control.key or rsa.pem, and is no argument of any program. */
  readonly lines: readonly string[];
}

/** Where a stage is kept in the commands. */
export function stageFile(stage: StageName): string {
  return `${stage}.txt`;
}

/** The SHA-256 of a text, for any stage before the key is used. */
export function digestCommand(stage: StageName): StageCommand {
  return { stage, lines: [`openssl dgst -sha256 -r ${stageFile(stage)}`] };
}

const keyText = "tr -d '\\r\\n' <control.key";

const written: Readonly<Record<ControlEncoding, string>> = {
  'hex-lower': 'openssl dgst -sha1 -r | cut -c1-40',
  'hex-upper': 'openssl dgst -sha1 -r | cut -c1-40 | tr a-f A-F',
  base64: 'openssl dgst -sha1 -binary | openssl base64 -A',
};

/** The checksum over the joined values and the control key. */
export function controlCommand(encoding: ControlEncoding): StageCommand {
  return { stage: 'control', lines: [`{ cat string.txt; ${keyText}; } | ${written[encoding]}`] };
}

/** RSASSA-PKCS1-v1_5 with SHA-256, and its verification by the public key. */
export const rsaCommands: readonly StageCommand[] = [
  {
    stage: 'signature',
    lines: [
      'openssl dgst -sha256 -sign rsa.pem base-string.txt | openssl base64 -A',
      '# and with the public key:',
      'openssl base64 -d -A -in signature.txt -out signature.bin',
      'openssl dgst -sha256 -verify public.pem -signature signature.bin base-string.txt',
    ],
  },
];

/** What RFC 3986 leaves as it is stays; every other byte becomes % and two digits. */
const encode = [
  'encode() { od -An -v -tx1 | tr a-f A-F | awk \'BEGIN { for (i = 45; i < 127; i++) { c = sprintf("%c", i)',
  '  if (c ~ /[A-Za-z0-9._~-]/) plain[sprintf("%02X", i)] = c } }',
  '  { for (i = 1; i <= NF; i++) printf "%s", ($i in plain) ? plain[$i] : "%" $i }\'; }',
];

/**
 * HMAC-SHA1 by the two digests of RFC 2104, since `openssl dgst -hmac` takes the key as an argument, which `ps` shows.
 * `secret` decides only which steps are needed; it is not in the result.
 */
export function hmacCommand(secret: string, form: HmacKeyForm = 'encoded'): StageCommand {
  const isEncoded = form === 'encoded' && percentEncode(secret) !== secret;
  const key = `{ ${keyText}${isEncoded ? ' | encode' : ''}; printf '&'; }`;
  const isLong = Buffer.byteLength(form === 'encoded' ? percentEncode(secret) : secret) + 1 > 64;
  return {
    stage: 'signature',
    lines: [
      ...(isEncoded ? encode : []),
      `key=$(${key}${isLong ? ' | openssl dgst -sha1 -binary' : ''} | od -An -v -tx1)`,
      'pad() { m=$1; set -- $key; while [ $# -lt 64 ]; do set -- "$@" 00; done',
      `  printf "$(printf '\\\\%03o' $(for b; do echo $((0x$b ^ m)); done))"; }`,
      '{ pad 92; { pad 54; cat base-string.txt; } | openssl dgst -sha1 -binary; } \\',
      '  | openssl dgst -sha1 -binary | openssl base64 -A',
    ],
  };
}
