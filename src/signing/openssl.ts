import { percentEncode } from '../wire/form.js';
import type { ControlEncoding } from './schemes/control-checksum.js';
import type { HmacKeyForm } from './schemes/oauth1.js';
import type { SignatureStages } from './schemes/request.js';

/**
 * Lines for a POSIX shell that make the checksum or signature again by openssl. The key is read from control.key or
 * rsa.pem, and is no argument of any program. `secret` decides only which steps are needed; it is not in the result.
 */
export function opensslLines(stages: SignatureStages, secret: string, form: HmacKeyForm): string[] {
  if (stages.scheme === 'none') return [];
  if (stages.scheme === 'control')
    return [`{ printf %s ${quoted(stages.string)}; ${keyText}; } | ${written[stages.encoding]}`];
  const text = `printf %s ${quoted(stages.baseString)}`;
  return stages.scheme === 'rsa-sha256'
    ? [`${text} | openssl dgst -sha256 -sign rsa.pem | openssl base64 -A`]
    : hmacLines(text, secret, form);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const keyText = "tr -d '\\r\\n' <control.key";

const written: Readonly<Record<ControlEncoding, string>> = {
  'hex-lower': 'openssl dgst -sha1 -r | cut -c1-40',
  'hex-upper': 'openssl dgst -sha1 -r | cut -c1-40 | tr a-f A-F',
  base64: 'openssl dgst -sha1 -binary | openssl base64 -A',
};

/** What RFC 3986 leaves as it is stays; every other byte becomes % and two digits. */
const encode = [
  'encode() { od -An -v -tx1 | tr a-f A-F | awk \'BEGIN { for (i = 45; i < 127; i++) { c = sprintf("%c", i)',
  '  if (c ~ /[A-Za-z0-9._~-]/) plain[sprintf("%02X", i)] = c } }',
  '  { for (i = 1; i <= NF; i++) printf "%s", ($i in plain) ? plain[$i] : "%" $i }\'; }',
];

/** By the two digests of RFC 2104, since `openssl dgst -hmac` takes the key as an argument, which `ps` shows. */
function hmacLines(text: string, secret: string, form: HmacKeyForm): string[] {
  const key = form === 'encoded' ? percentEncode(secret) : secret;
  const isLong = Buffer.byteLength(key) + 1 > 64;
  const read = `{ ${keyText}${key === secret ? '' : ' | encode'}; printf '&'; }`;
  return [
    ...(key === secret ? [] : encode),
    `key=$(${read}${isLong ? ' | openssl dgst -sha1 -binary' : ''} | od -An -v -tx1)`,
    'pad() { m=$1; set -- $key; while [ $# -lt 64 ]; do set -- "$@" 00; done',
    `  printf "$(printf '\\\\%03o' $(for b; do echo $((0x$b ^ m)); done))"; }`,
    `{ pad 92; { pad 54; ${text}; } | openssl dgst -sha1 -binary; } | openssl dgst -sha1 -binary | openssl base64 -A`,
  ];
}
