import { requestFormats } from '../../../signing/requests/pasted-request.js';
import { assumeDefaults, type Operation } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check.js';
import { profileExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import type { DiffOptions, FindOptions } from './diagnose.js';
import { explainFlags, headings, madeFlags, publicKeyFlag, rawExample, rawFlags, theirsFlags } from './flags.js';
import { defineTool, type OperationTool } from './operation-tool.js';
import type { VerifyOptions } from './verify.js';

const signVerify = defineTool<VerifyOptions>({
  name: 'sign verify',
  summary: 'Verify the signature or checksum (control) of a request',
  heading: headings.refused,
  options: [
    { heading: 'Request:' },
    ['--request-file <file>', 'a pasted request: curl, HTTP, HAR, JSON or body; - for standard input'],
    ['--format <format>', 'format of the file, if it cannot be detected', { choices: requestFormats }],
    ['--entry <number>', 'which request, if the file has several, counted from 1'],
    ['--url <url>', 'the address, if the file does not show it'],
    ['--method <method>', 'the method, if the file does not show it'],
    ['--body-file <file>', 'the body, if the file does not show it, or with --url alone; - for standard input'],
    ['--authorization-file <file>', 'the Authorization header, if the file does not show it; - for standard input'],
    { heading: 'Signature:' },
    publicKeyFlag,
    ['--key-file <file>', 'the HMAC key, for an address that is not an operation of the API'],
    ...explainFlags,
    ...connectionFlags,
  ],
  examples: ['sign verify --request-file request.txt', 'sign verify --request-file - --format curl < request.txt'],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'checkFailed'],
  prints: ['diagnosis'],
  run: async ({ options, runtime }) => (await import('./verify.js')).runVerifyRequest(options, runtime),
  ofOperation: {
    exampleFlags: (row) => theirsExample(row, '--control', '--signature'),
    options: [
      ...madeFlags,
      [
        '--authorization-file <file>',
        'its Authorization header, instead of --signature, --nonce and --timestamp; - for standard input',
      ],
      publicKeyFlag,
      ...explainFlags,
    ],
    run: async (row, typed, options, runtime) =>
      (await import('./verify.js')).runVerifyOperation(row, typed, options, runtime),
  },
});

const signDiff = defineTool<DiffOptions>({
  name: 'sign diff',
  summary: 'Show where the signature of another program differs from ours, and name the mistake',
  heading: headings.refused,
  options: [...rawFlags, { heading: 'Signature:' }, ...theirsFlags],
  examples: [
    `sign diff ${rawExample} --theirs-header header.txt`,
    `sign diff ${rawExample} --theirs-base-string base-string.txt`,
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'checkFailed'],
  prints: ['diagnosis'],
  run: async ({ options, runtime }) => (await import('./diagnose.js')).runRawDiff(options, runtime),
  ofOperation: {
    exampleFlags: (row) => theirsExample(row, '--theirs-control', '--theirs-signature'),
    options: [
      ...theirsFlags,
      ['--theirs-control <value>', 'their checksum (control)'],
      ['--theirs-string <file>', 'the text they hashed, without the key'],
      ['--nonce <nonce>', 'oauth_nonce, with --theirs-signature'],
      ['--timestamp <seconds>', 'oauth_timestamp, with --theirs-signature'],
    ],
    run: async (row, typed, options, runtime) =>
      (await import('./diagnose.js')).runOperationDiff(row, typed, options, runtime),
  },
});

const signFindMistake = defineTool<FindOptions>({
  name: 'sign find-mistake',
  summary: 'Find the mistake behind a refused signature or checksum (control), by trying all known ones',
  heading: headings.refused,
  options: [...rawFlags, { heading: 'Signature:' }, ['--signature <signature>', 'the signature that was refused']],
  examples: [`sign find-mistake ${rawExample} --nonce a1b2 --timestamp 1893456000 --signature $SIGNATURE`],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'checkFailed'],
  prints: ['diagnosis'],
  run: async ({ options, runtime }) => (await import('./diagnose.js')).runRawFind(options, runtime),
  ofOperation: {
    exampleFlags: (row) => theirsExample(row, '--control', '--signature'),
    options: [...madeFlags],
    run: async (row, typed, options, runtime) =>
      (await import('./diagnose.js')).runOperationFind(row, typed, options, runtime),
  },
});

/** Commands for a request whose signature was refused. */
export const refusedTools: readonly OperationTool[] = [signVerify, signDiff, signFindMistake];

/** Flags for what the other side made of an operation; $CONTROL and the like stand for its values. */
function theirsExample(row: Operation, controlFlag: string, signatureFlag: string): string | undefined {
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
