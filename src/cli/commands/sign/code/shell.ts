import { plainHeaders } from '../../../../signing/schemes/request.js';
import {
  type CodePlan,
  type ControlPlan,
  commented,
  inputsOf,
  introduction,
  type OauthPlan,
  type PlannedField,
  type PlannedSigning,
  paragraphs,
  slotsOf,
  type Variable,
} from './plan.js';

/** A POSIX shell script with curl and openssl. */
export function shellScript(plan: CodePlan, run: string): string {
  const { address, variables, fields, signing } = plan;
  const needs = 'curl, openssl and the usual tools of a POSIX shell';
  return paragraphs([
    [
      '#!/bin/sh',
      ...commented('#', [...introduction(plan, { needs, run, cards: 'prompted for, or read from' }), ...hidden(plan)]),
    ],
    ['set -eu', 'LC_ALL=C', 'export LC_ALL'],
    encode,
    signing.scheme === 'hmac-sha1' ? hmac : '',
    inputsOf(plan).length === 0 ? '' : ask,
    readKey[signing.scheme],
    [...variables.map(assignment), `url=${quoted(address)}$endpoint_id`],
    ['set --', ...fields.map((field) => `  ${argument(field)}`)].join(' \\\n'),
    ...signed(signing),
    post(signing),
  ]);
}

function hidden(plan: CodePlan): readonly string[] {
  if (plan.signing.scheme === 'none' && inputsOf(plan).length === 0) return [];
  return [
    '',
    'No secret is passed as a program argument, where `ps` would show it (printf is part of dash, bash, ksh and busybox).',
  ];
}

/** In single quotes nothing has a meaning for the shell but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function assignment({ name, value, remark }: Variable): string {
  const text = 'text' in value ? quoted(value.text) : `\${${name.toUpperCase()}:-$(ask ${quoted(value.input)})}`;
  return `${name}=${text}${remark === undefined ? '' : ` # ${remark}`}`;
}

function argument({ wire, value }: PlannedField): string {
  if ('text' in value) return quoted(`${wire}=${value.text}`);
  return /^[\w.-]+$/.test(wire) ? `"${wire}=$${value.variable}"` : `${quoted(`${wire}=`)}"$${value.variable}"`;
}

const encode = `# Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986).
encode() {
  printf %s "$1" | od -An -v -tx1 | awk '
    BEGIN { for (i = 33; i < 127; i++) { c = sprintf("%c", i); if (c ~ /[A-Za-z0-9._~-]/) plain[sprintf("%02x", i)] = c } }
    { for (i = 1; i <= NF; i++) printf "%s", (($i in plain) ? plain[$i] : "%" toupper($i)) }'
}`;

// The openssl program takes the key of an HMAC as an argument and in no other way.
export const hmac = `# HMAC-SHA1 of $2 under the key $1, in Base64: the two digests of RFC 2104, since openssl wants the key as an argument.
hmac_sha1() (
  block=$(if [ \${#1} -gt 64 ]; then printf %s "$1" | openssl dgst -sha1 -binary; else printf %s "$1"; fi | od -An -v -tx1)
  # shellcheck disable=SC2086
  { pad 92 $block; { pad 54 $block; printf %s "$2"; } | openssl dgst -sha1 -binary; } | openssl dgst -sha1 -binary | openssl base64 -A
)

# The bytes of a key, padded with zeros to 64, each XORed with $1.
pad() {
  mask=$1
  shift
  while [ $# -lt 64 ]; do set -- "$@" 00; done
  # shellcheck disable=SC2059
  printf "$(for byte in "$@"; do printf '\\\\%03o' $((0x$byte ^ mask)); done)"
}`;

const ask = `# Input is not echoed.
ask() (
  before=$(stty -g </dev/tty)
  trap 'stty "$before" </dev/tty' EXIT
  trap 'exit 130' INT
  stty -echo </dev/tty
  printf '%s: ' "$1" >/dev/tty
  IFS= read -r answer </dev/tty
  echo >/dev/tty
  printf %s "$answer"
)`;

const controlKey = `key=\${CONTROL_KEY:-}
unset CONTROL_KEY
if [ -n "\${CONTROL_KEY_FILE:-}" ]; then key=$(tr -d '\\r\\n' <"$CONTROL_KEY_FILE"); fi
if [ -z "$key" ]; then
  echo 'CONTROL_KEY_FILE must name the file with the merchant control key' >&2
  exit 2
fi`;

const privateKey = `if [ ! -r "\${PRIVATE_KEY_FILE:-}" ]; then
  echo 'PRIVATE_KEY_FILE must name the PEM file with the RSA private key' >&2
  exit 2
fi`;

const readKey: Readonly<Record<PlannedSigning['scheme'], string>> = {
  control: controlKey,
  'hmac-sha1': controlKey,
  'rsa-sha256': privateKey,
  none: '',
};

const body = `body=
for field in "$@"; do
  body="$body\${body:+&}$(encode "\${field%%=*}")=$(encode "\${field#*=}")"
done`;

/** Everything from the fields to the body and, for OAuth, the header. */
function signed(signing: PlannedSigning): readonly (string | readonly string[])[] {
  switch (signing.scheme) {
    case 'control':
      return [control(signing), body];
    case 'hmac-sha1':
      return signing.repeatsInBody
        ? [protocol(signing), body, header(signing)]
        : [body, protocol(signing), header(signing)];
    case 'rsa-sha256':
      return [body, protocol(signing), header(signing)];
    case 'none':
      return [body];
  }
}

function control(signing: ControlPlan): readonly string[] {
  const { variables, remark } = slotsOf(signing);
  const digest = {
    'hex-lower': "openssl dgst -sha1 -r | cut -d ' ' -f 1",
    'hex-upper': "openssl dgst -sha1 -r | cut -d ' ' -f 1 | tr a-f A-F",
    base64: 'openssl dgst -sha1 -binary | openssl base64 -A',
  };
  return [
    ...commented('#', remark),
    `control=$(printf %s "${[...variables, 'key'].map((name) => `$${name}`).join('')}" | ${digest[signing.encoding]})`,
    'set -- "$@" "control=$control"',
  ];
}

const protocol = ({ method }: OauthPlan) => `nonce=$(openssl rand -hex 16)
timestamp=$(date +%s)
set -- "$@" \\
  "oauth_consumer_key=$login" \\
  "oauth_nonce=$nonce" \\
  oauth_signature_method=${method} \\
  "oauth_timestamp=$timestamp" \\
  oauth_version=1.0`;

/** RFC 5849 3.4.1 and 3.5.1. */
function header(signing: OauthPlan): string {
  return `# All names and values encoded, then sorted by name and value.
parameters=$(
  for field in "$@"; do
    printf '%s\\t%s\\n' "$(encode "\${field%%=*}")" "$(encode "\${field#*=}")"
  done | sort -t "$(printf '\\t')" -k 1,1 -k 2,2 | tr '\\t\\n' '=&'
)
text="POST&$(encode "$url")&$(encode "\${parameters%&}")"
signature=$(${signature(signing)})
authorization="OAuth oauth_consumer_key=\\"$(encode "$login")\\", oauth_nonce=\\"$nonce\\", oauth_signature_method=\\"${signing.method}\\", \\
oauth_timestamp=\\"$timestamp\\", oauth_version=\\"1.0\\", oauth_signature=\\"$(encode "$signature")\\""`;
}

function signature(signing: OauthPlan): string {
  if (signing.scheme === 'rsa-sha256')
    return 'printf %s "$text" | openssl dgst -sha256 -sign "$PRIVATE_KEY_FILE" | openssl base64 -A';
  return `hmac_sha1 "${signing.keyForm === 'raw' ? '$key' : '$(encode "$key")'}&" "$text"`;
}

function post({ scheme }: PlannedSigning): readonly string[] {
  const headers = Object.entries(plainHeaders).map(([name, value]) => quoted(`${name}: ${value}`));
  if (scheme === 'hmac-sha1' || scheme === 'rsa-sha256') headers.push('"Authorization: $authorization"');
  return [
    `reply=$(printf %s "$body" | curl --silent --show-error --max-time 60 --write-out '\\n%{http_code}' --data-binary @- \\`,
    ...headers.map((text) => `  --header ${text} \\`),
    '  "$url")',
    `printf '%s\\n' "\${reply%????}"`,
    `echo "HTTP \${reply#"\${reply%???}"}" >&2`,
    'case $reply in *200) ;; *) exit 1 ;; esac',
  ];
}
