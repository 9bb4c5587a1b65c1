import { stageNames } from '../../../signing/diagnose/diagnosis.js';
import type { Flag } from '../../core/options.js';

/** The request of `sign raw`. */
export const rawFlags: readonly Flag[] = [
  { heading: 'Request:' },
  ['--method <method>', 'HTTP method (POST)'],
  ['--url <url>', 'the address, with its query'],
  ['--params-file <file>', 'the fields of the body, a JSON array of [name, value] (default: none)'],
  ['--signature-method <method>', 'how to sign', { choices: ['HMAC-SHA1', 'RSA-SHA256'] }],
  ['--consumer-key <key>', 'oauth_consumer_key, the merchant login'],
  ['--key-file <file>', 'the consumer secret, or the RSA key as PEM'],
  ['--passphrase-file <file>', 'the passphrase of that key'],
  ['--nonce <nonce>', 'oauth_nonce'],
  ['--timestamp <seconds>', 'oauth_timestamp'],
  ['--token <token>', 'oauth_token'],
  ['--token-secret-file <file>', 'the token secret'],
  ['--realm <realm>', 'realm of the header, which is not signed'],
  ['--no-version', 'leave oauth_version out'],
];

/** Those of a request in the examples. */
export const rawExample =
  '--url https://gateway.example/api/v4/transfer/4001 --signature-method HMAC-SHA1 --consumer-key my-shop --key-file control.key --params-file fields.json';

/** What the other program made of it. */
export const theirsFlags: readonly Flag[] = [
  ['--theirs-signature <signature>', 'their oauth_signature'],
  ['--theirs-base-string <file>', 'the base string they signed; - for standard input'],
  ['--theirs-header <file>', 'the Authorization header they sent; - for standard input'],
];

/** A result to be checked against an operation. */
export const madeFlags: readonly Flag[] = [
  ['--control <value>', 'the checksum (control) of the request'],
  ['--signature <signature>', 'its oauth_signature'],
  ['--nonce <nonce>', 'its oauth_nonce'],
  ['--timestamp <seconds>', 'its oauth_timestamp'],
];

/** One stage alone. */
export const stageFlag: Flag = [
  '--stage <stage>',
  'write exactly the bytes of one stage and nothing else',
  { choices: stageNames },
];

/** Both sides, and how ours comes about. */
export const explainFlags: readonly Flag[] = [
  ['--explain', 'show their parameters next to ours, every stage, and the openssl commands that reproduce it'],
  stageFlag,
];

export const publicKeyFlag: Flag = [
  '--public-key-file <file>',
  'the public RSA key (PEM), if the private one is not available',
];

/** The languages of `sign OPERATION --code`. */
export const codeLanguages = ['curl', 'php', 'node', 'python', 'java', 'csharp'] as const;

export type Language = (typeof codeLanguages)[number];

/** The headings of `sign --help`. */
export const headings = {
  refused: 'When a signature was refused:',
  byHand: 'Manual signing:',
} as const;
