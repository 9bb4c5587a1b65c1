import { assumeDefaults, type Operation } from '../../spec/index.js';
import { protectionOf } from '../../wire/check.js';

/** A request given by hand. */
const byHand =
  '--url https://gateway.example/api/v4/transfer/4001 --signature-method HMAC-SHA1 --consumer-key my-shop --key-file control.key --params-file fields.json';

/**
 * Examples of the commands around signatures, without the word `paycli`. They read control.key, fields.json, values.json,
 * request.txt, header.txt and base-string.txt of the folder they are run in; a test makes these and runs each line.
 */
export const signExamples = {
  sign: [
    'sign sale --amount 10.42 --currency USD --test-card approved --explain',
    'sign verify --request-file request.txt',
    'sign find-mistake sale --amount 10.42 --currency USD --email payer@example.com --client-order-id $ID --control $CONTROL',
  ],
  raw: [`sign raw ${byHand}`, `sign raw ${byHand} --nonce a1b2 --timestamp 1893456000 --json`],
  control: ['sign control --values-file values.json --key-file control.key'],
  verify: ['sign verify --request-file request.txt', 'sign verify --request-file - --format curl < request.txt'],
  diff: [`sign diff ${byHand} --theirs-header header.txt`, `sign diff ${byHand} --theirs-base-string base-string.txt`],
  'find-mistake': [`sign find-mistake ${byHand} --nonce a1b2 --timestamp 1893456000 --signature $SIGNATURE`],
} as const;

/** Flags for what the other side made of an operation; $CONTROL and the like stand for its values. */
export function theirsExample(row: Operation, controlFlag: string, signatureFlag: string): string | undefined {
  const order = row.opens ? '--client-order-id $ID ' : '';
  switch (protectionOf(row, assumeDefaults).scheme) {
    case 'none':
      return undefined;
    case 'control':
      return `${order}${controlFlag} $CONTROL`;
    default:
      return `${order}${signatureFlag} $SIGNATURE --nonce $NONCE --timestamp $TIMESTAMP`;
  }
}
