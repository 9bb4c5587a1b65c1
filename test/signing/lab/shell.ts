import { spawnSync } from 'node:child_process';
import { baseString, type Order } from '../diagnose/signer.js';
import type { Made } from './made.js';
import { controlRequests, oauthOrders, plainRequest } from './requests.js';

type Line = readonly [channel: string, expected: string, command: string];

const mac = 'openssl dgst -sha1 -hmac "$SECRET&" -binary';
const encoded = 'openssl dgst -sha1 -hmac "$ENCODED&" -binary';
const parameters = (encode: string) =>
  `P=$(printf %s "$PAIRS" | jq -rj '${encode}'); printf %s "POST&$URI&$(jq -nrj --arg p "$P" '$p|@uri')"`;

/** What people type: in the order of RFC 5849, with one thing wrong. */
export const hmacLines: readonly Line[] = [
  ['text', 'any', `echo "$BASE" | ${encoded} | base64`],
  ['text', 'any', `printf '%s\\r\\n' "$BASE" | ${encoded} | base64`],
  ['text', 'any', `printf '%s ' "$BASE" | ${encoded} | base64`],
  ['text', 'any', `openssl dgst -sha1 -hmac "$ENCODED&" -binary <<< "$BASE" | base64`],
  ['key', 'signing-key', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$ENCODED" -binary | base64`],
  ['key', 'signing-key', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$SECRET" -binary | base64`],
  ['key', 'signing-key', `printf %s "$BASE" | ${mac} | base64`],
  ['key', 'signing-key', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$ENCODED&"$'\\n' -binary | base64`],
  [
    'key',
    'signing-key',
    `printf %s "$BASE" | openssl dgst -sha1 -hmac "$(printf %s "$SECRET" | base64)&" -binary | base64`,
  ],
  ['key', 'signing-key', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$(echo "$SECRET" | base64)&" -binary | base64`],
  [
    'key',
    'signing-key',
    `printf %s "$BASE" | openssl dgst -sha1 -hmac "$(printf %s "$SECRET" | tr -d -)&" -binary | base64`,
  ],
  ['digest', 'digest', `printf %s "$BASE" | openssl dgst -sha256 -hmac "$ENCODED&" -binary | base64`],
  ['digest', 'digest', `printf %s "$BASE$ENCODED&" | openssl dgst -sha1 -binary | base64`],
  ['digest', 'digest', `printf %s "$BASE" | openssl dgst -sha1 -binary | base64`],
  ['writing', 'digest', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$ENCODED&" | sed 's/.*= //'`],
  ['writing', 'digest', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$ENCODED&"`],
  ['writing', 'digest', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$ENCODED&" -c | sed 's/.*= //'`],
  [
    'writing',
    'digest',
    `printf %s "$BASE" | openssl dgst -sha1 -hmac "$ENCODED&" | sed 's/.*= //' | tr -d '\\n' | base64`,
  ],
  ['writing', 'digest', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$ENCODED&" | sed 's/.*= //' | base64`],
  ['writing', 'digest', `printf %s "$BASE" | ${encoded} | base64 | base64`],
  ['writing', 'digest', `printf %s "$BASE" | ${encoded} | base64 | tr -d =`],
  ['writing', 'digest', `printf %s "$BASE" | ${encoded} | base64 | jq -Rr @uri`],
  ['writing', 'header-not-encoded', `printf %s "$BASE" | ${encoded} | base64 | tr + ' '`],
  // As jq 1.6 encodes, which leaves !*'() as they are.
  ['encoder', 'any', `${parameters('map(map(@uri))|sort|map(join("="))|join("&")')} | ${encoded} | base64`],
  ['order', 'any', `${parameters('[.[]|map(@uri)|join("=")]|join("&")')} | ${encoded} | base64`],
  [
    'source',
    'any',
    `${parameters('map(select(.[1]!="")|map(@uri))|sort|map(join("="))|join("&")')} | ${encoded} | base64`,
  ],
  ['encoder', 'any', `${parameters('[.[]|join("=")]|sort|join("&")')} | ${encoded} | base64`],
  [
    'encoder',
    'any',
    `F=(); while IFS= read -r p; do F+=(--data-urlencode "$p"); done < <(printf %s "$PAIRS" | jq -r 'sort[]|join("=")'); P=$(curl -sG -o /dev/null -w '%{url_effective}' "\${F[@]}" file:///dev/null); P=\${P#*\\?}; printf %s "POST&$URI&$(jq -nrj --arg p "$P" '$p|@uri')" | ${encoded} | base64`,
  ],
];

const rsa = 'openssl dgst -sha256 -sign "$KEY"';
const flat = 'openssl base64 -A';

export const rsaLines: readonly Line[] = [
  ['text', 'any', `echo "$BASE" | ${rsa} | ${flat}`],
  ['text', 'any', `printf '%s\\r\\n' "$BASE" | ${rsa} | ${flat}`],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha1 -sign "$KEY" | ${flat}`],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha512 -sign "$KEY" | ${flat}`],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha384 -sign "$KEY" | ${flat}`],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -md5 -sign "$KEY" | ${flat}`],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | ${rsa} -sigopt rsa_padding_mode:pss | ${flat}`],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | ${rsa} -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:-1 | ${flat}`,
  ],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | ${rsa} -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:20 | ${flat}`,
  ],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | openssl dgst -sha384 -sign "$KEY" -sigopt rsa_padding_mode:pss | ${flat}`,
  ],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha256 -binary | ${rsa} | ${flat}`],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | openssl dgst -sha256 -r | cut -d' ' -f1 | tr -d '\\n' | ${rsa} | ${flat}`,
  ],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha256 -r | cut -d' ' -f1 | ${rsa} | ${flat}`],
  ['digest', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha1 -binary | ${rsa} | ${flat}`],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | openssl dgst -sha1 -binary | openssl pkeyutl -sign -inkey "$KEY" | ${flat}`,
  ],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | openssl dgst -sha256 -binary | openssl pkeyutl -sign -inkey "$KEY" | ${flat}`,
  ],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | openssl dgst -md5 -binary | openssl pkeyutl -sign -inkey "$KEY" | ${flat}`,
  ],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | openssl dgst -sha1 -r | cut -d' ' -f1 | tr -d '\\n' | openssl pkeyutl -sign -inkey "$KEY" | ${flat}`,
  ],
  [
    'digest',
    'rsa-key-or-method',
    `printf %s "$BASE" | openssl dgst -sha256 -binary | openssl pkeyutl -sign -inkey "$KEY" -pkeyopt digest:sha256 -pkeyopt rsa_padding_mode:pss | ${flat}`,
  ],
  ['key', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha256 -sign "$OTHER" | ${flat}`],
  ['key', 'any', `echo "$BASE" | openssl dgst -sha256 -sign "$OTHER" | ${flat}`],
  ['key', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha1 -sign "$OTHER" | ${flat}`],
  ['key', 'any', `printf %s "$BASE" | openssl dgst -sha256 -sign "$OTHER" | openssl base64`],
  ['key', 'rsa-key-or-method', `printf %s "$BASE" | openssl dgst -sha1 -hmac "$(cat "$KEY")" -binary | ${flat}`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | openssl base64`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | base64`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | base64 | sed 's/$/\\r/'`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | base64 | tr '\\n' ' '`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} -hex | sed 's/.*= //'`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} -hex`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} -hex -c | sed 's/.*= //'`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | openssl base64 -A | openssl base64 -A`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | openssl base64 | openssl base64 -A`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | ${flat} | tr -d =`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | ${flat} | tr +/ -_`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | ${flat} | jq -Rrj @uri`],
  ['writing', 'digest', `printf %s "$BASE" | ${rsa} | ${flat} | jq -Rrj '@uri|@uri'`],
  ['writing', 'header-not-encoded', `printf %s "$BASE" | ${rsa} | ${flat} | tr + ' '`],
];

const sha = "sha1sum | cut -d' ' -f1";

/** The values are $1 to $5, as many as there are. */
export const controlLines: readonly Line[] = [
  ['key', 'key-whitespace', `IFS=; echo "$*$SECRET" | ${sha}`],
  ['join', 'order', `IFS=,; printf %s "$*,$SECRET" | ${sha}`],
  ['join', 'order', `IFS='|'; printf %s "$*$SECRET" | ${sha}`],
  ['join', 'order', `printf %s "$*" "$SECRET" | ${sha}`],
  ['join', 'order', `printf '%s\\n' "$@" "$SECRET" | ${sha}`],
  ['join', 'order', `printf '%s\\n' "$@" | cat - <(printf %s "$SECRET") | ${sha}`],
  ['join', 'order', `IFS=; printf %s "$SECRET$*" | ${sha}`],
  ['digest', 'digest', `IFS=; printf %s "$*$SECRET" | sha256sum | cut -d' ' -f1`],
  ['digest', 'digest', `IFS=; printf %s "$*$SECRET" | md5sum | cut -d' ' -f1`],
  ['digest', 'digest', `IFS=; printf %s "$*" | openssl dgst -sha1 -hmac "$SECRET" -r | cut -d' ' -f1`],
  ['digest', 'digest', `IFS=; printf %s "$*$SECRET" | ${sha} | ${sha}`],
  ['digest', 'digest', `IFS=; printf %s "$*$SECRET" | ${sha} | tr -d '\\n' | ${sha}`],
  ['digest', 'digest', `IFS=; printf %s "$*$SECRET" | ${sha} | tr -d '\\n' | tr a-f A-F | ${sha}`],
  ['writing', 'any', `IFS=; printf %s "$*$SECRET" | sha1sum`],
  ['writing', 'any', `IFS=; printf %s "$*$SECRET" | openssl dgst -sha1`],
  ['writing', 'upper-case', `IFS=; printf %s "$*$SECRET" | ${sha} | tr a-f A-F`],
  ['writing', 'base64', `IFS=; printf %s "$*$SECRET" | openssl dgst -sha1 -binary | base64`],
  ['writing', 'base64', `IFS=; printf %s "$*$SECRET" | ${sha} | base64`],
  ['values', 'charset', `V=; for v; do V+=$(jq -nrj --arg v "$v" '$v|@uri'); done; printf %s "$V$SECRET" | ${sha}`],
  [
    'values',
    'any',
    `V=; for v; do V+=$(jq -nrj --arg v "$v" '$v|tonumber? // $v'); done; printf %s "$V$SECRET" | ${sha}`,
  ],
  ['values', 'any', `V=; for v; do V+=$(jq -nc --arg v "$v" '$v'); done; printf %s "$V$SECRET" | ${sha}`],
  ['values', 'any', `V=; for v in $@; do V+=$v; done; printf %s "$V$SECRET" | ${sha}`],
];

export interface KeyFiles {
  readonly key: string;
  readonly other: string;
}

function run(command: string, env: NodeJS.ProcessEnv, words: readonly string[] = []): string {
  const { stdout } = spawnSync('bash', ['-c', command, 'lab', ...words], {
    env: { ...process.env, LC_ALL: 'C.UTF-8', ...env },
    encoding: 'utf8',
  });
  // A shell hands on what it read without the last line end.
  return stdout.replace(/\n+$/, '');
}

function signedBy(order: Order, line: string, keys: KeyFiles): string {
  const request = plainRequest(order);
  const encodedText = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return run(line, {
    BASE: baseString(order),
    SECRET: order.secret,
    ENCODED: encodedText(order.secret),
    URI: encodedText(String(request['uri'])),
    PAIRS: JSON.stringify([request['oauth'], request['query'], request['body']].flat()),
    KEY: keys.key,
    OTHER: keys.other,
  });
}

/** A value for each line and each request. Its shell runs when the value is asked for, and once. */
export function madeByShell(keys: KeyFiles): { readonly oauth: readonly Made[]; readonly control: readonly Made[] } {
  const made = (request: number, [channel, expected, line]: Line, make: () => string): Made => {
    let value: string | undefined;
    return {
      request,
      channels: [channel],
      expected: [expected],
      what: [line],
      get value() {
        value ??= make();
        return value;
      },
    };
  };
  return {
    oauth: oauthOrders.flatMap((order, at) =>
      (order.signatureMethod === 'RSA-SHA256' ? rsaLines : hmacLines).map((line) =>
        made(at, line, () => signedBy(order, line[2], keys)),
      ),
    ),
    control: controlRequests.flatMap(({ given }, at) =>
      controlLines.map((line) =>
        made(at, line, () =>
          run(
            line[2],
            { SECRET: given.key },
            given.slots.map(({ value }) => value),
          ),
        ),
      ),
    ),
  };
}
