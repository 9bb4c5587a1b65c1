import { createHash } from 'node:crypto';
import { type Pair, percentEncode } from '../../wire/form.js';
import type { ControlEncoding } from '../schemes/control-checksum.js';
import type { HmacKeyForm } from '../schemes/oauth1.js';
import type { SignatureStages } from '../schemes/request.js';
import { type Encoded, type OauthCase, rightOauth, sortEncoded } from './oauth-recipe.js';
import { decodedOnce, parseBaseString } from './parsed-base-string.js';
import type { StageName } from './stage-names.js';

/** One stage of a signature: its bytes as UTF-8, and their SHA-256 to compare another program's with. */
export interface StageText {
  readonly stage: StageName;
  readonly text: string;
  readonly sha256: string;
}

const stageText = (stage: StageName, text: string): StageText => ({
  stage,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
});

/** The texts of a signature. The control key, which follows the values of a checksum, is none of them. */
export function stageTexts(stages: SignatureStages): StageText[] {
  if (stages.scheme === 'none') return [];
  if (stages.scheme === 'control') return [stageText('string', stages.string), stageText('control', stages.digest)];
  const { parts, baseString, signature, header } = stages;
  return [
    stageText('parameters', parts.parameters),
    stageText('address', parts.url),
    stageText('base-string', baseString),
    stageText('signature', signature),
    stageText('authorization', header),
  ];
}

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

/** How each stage is made again. */
export function stageCommands(stages: SignatureStages, secret: string, form: HmacKeyForm): StageCommand[] {
  if (stages.scheme === 'none') return [];
  if (stages.scheme === 'control') return [digestCommand('string'), controlCommand(stages.encoding)];
  const texts = (['parameters', 'address', 'base-string', 'authorization'] as const).map(digestCommand);
  return [...texts, ...(stages.scheme === 'rsa-sha256' ? rsaCommands : [hmacCommand(secret, form)])];
}

/** The SHA-256 of a text, for any stage before the key is used. */
function digestCommand(stage: StageName): StageCommand {
  return { stage, lines: [`openssl dgst -sha256 -r ${stageFile(stage)}`] };
}

const keyText = "tr -d '\\r\\n' <control.key";

const written: Readonly<Record<ControlEncoding, string>> = {
  'hex-lower': 'openssl dgst -sha1 -r | cut -c1-40',
  'hex-upper': 'openssl dgst -sha1 -r | cut -c1-40 | tr a-f A-F',
  base64: 'openssl dgst -sha1 -binary | openssl base64 -A',
};

/** The checksum over the joined values and the control key. */
function controlCommand(encoding: ControlEncoding): StageCommand {
  return { stage: 'control', lines: [`{ cat string.txt; ${keyText}; } | ${written[encoding]}`] };
}

/** RSASSA-PKCS1-v1_5 with SHA-256, and its verification by the public key. */
const rsaCommands: readonly StageCommand[] = [
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
function hmacCommand(secret: string, form: HmacKeyForm): StageCommand {
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

/** A parameter as one side signed it. */
export interface SignedParameterValue {
  /** Decoded. */
  readonly value: string;
  /** `name=value` as it stands in the text that was signed; for a checksum the value alone. */
  readonly signed: string;
  /** Where that begins, in bytes. */
  readonly at: number;
  /** Characters of the decoded value that nobody sees: blanks that are no space, marks, control characters. */
  readonly odd: readonly OddCharacter[];
}

interface OddCharacter {
  /** Its place among the characters of the text, from 0. */
  readonly at: number;
  /** `U+00A0` */
  readonly codePoint: string;
}

function oddCharacters(text: string): OddCharacter[] {
  return [...text].flatMap((char, at) => {
    if (!/\p{C}|(?! )\p{Z}|\p{M}/u.test(char)) return [];
    const digits = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return [{ at, codePoint: `U+${digits}` }];
  });
}

/** One parameter of both sides. What only one side has is missing on the other. */
export interface ParameterRow {
  readonly name: string;
  readonly status: 'equal' | 'different' | 'missing' | 'added';
  readonly ours: SignedParameterValue | undefined;
  readonly theirs: SignedParameterValue | undefined;
}

interface Placed {
  readonly name: string;
  readonly side: SignedParameterValue;
}

/**
 * Method, address and parameters of a base string of theirs beside ours, in the order of ours. Nonce and timestamp are
 * to be theirs already. Throws TEXT_INVALID and URL_INVALID for a request that cannot be signed.
 */
export function compareParameters(given: OauthCase, theirs: string): ParameterRow[] {
  const right = rightOauth(given);
  const own = sortEncoded(
    right.parameters.map(
      (plain): Encoded => ({ plain, name: percentEncode(plain.name), value: percentEncode(plain.value) }),
    ),
  );
  const { method, address } = right;
  const read = parseBaseString(theirs);
  const elements = (one: string, other: string, pairs: readonly Pair[]): Placed[] => {
    const head = [part('method', one, 0), part('address', other, Buffer.byteLength(one) + 1)];
    let at = Buffer.byteLength(one) + Buffer.byteLength(other) + 2;
    const rest = pairs.map(([name, value]): Placed => {
      const signed = `${percentEncode(name.toWellFormed())}%3D${percentEncode(value.toWellFormed())}`;
      const plain = decodedOnce(value) ?? value;
      const side = { value: plain, signed, at, odd: oddCharacters(plain) };
      at += signed.length + 3;
      return { name: decodedOnce(name) ?? name, side };
    });
    return [...head, ...rest];
  };
  const [itsMethod = '', itsAddress = ''] = theirs.split('&');
  return besides(
    elements(
      percentEncode(method),
      percentEncode(address),
      own.map(({ name, value }): Pair => [name, value]),
    ),
    elements(itsMethod, itsAddress, read.pairs),
  );
}

function part(name: string, signed: string, at: number): Placed {
  return { name: `(${name})`, side: { value: decodedOnce(signed) ?? signed, signed, at, odd: [] } };
}

type Values = readonly { readonly wire: string; readonly value: string }[];

/** The values of a checksum of theirs beside those that belong into it. */
export function compareValues(ours: Values, theirs: Values): ParameterRow[] {
  const placed = (slots: Values) => {
    let at = 0;
    return slots.map(({ wire, value }): Placed => {
      const side = { value, signed: value, at, odd: oddCharacters(value) };
      at += Buffer.byteLength(value);
      return { name: wire, side };
    });
  };
  return besides(placed(ours), placed(theirs));
}

/** Ours in their order, each beside the one of theirs with the same name; then what only they have. */
function besides(ours: readonly Placed[], theirs: readonly Placed[]): ParameterRow[] {
  const left = [...theirs];
  const take = (fits: (each: Placed) => boolean) => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  // An equal one first, so that of several with one name the right ones are put side by side.
  const equal = ours.map((own) => take((each) => each.name === own.name && each.side.signed === own.side.signed));
  const rows = ours.map((own, at): ParameterRow => {
    const other = equal[at] ?? take((each) => each.name === own.name);
    const status = equal[at] !== undefined ? 'equal' : other === undefined ? 'missing' : 'different';
    return { name: own.name, status, ours: own.side, theirs: other?.side };
  });
  return [
    ...rows,
    ...left.map(({ name, side }): ParameterRow => ({ name, status: 'added', ours: undefined, theirs: side })),
  ];
}
