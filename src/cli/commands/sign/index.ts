import { type Command, Option } from 'commander';
import { assumeDefaults, type Operation } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check-request.js';
import type { ProgramContext } from '../../core/command-line.js';
import { plainExample, withExamples } from '../../core/examples.js';
import { addOperations } from '../../core/operation-commands.js';
import { addConnectionOptions, addGlobalOptions, type CommonOptions } from '../../core/options.js';
import type { Language } from './code.js';
import type { DiffOptions, FindOptions } from './diagnose.js';
import { addOperationTool, allowSendingOptions, type OperationTool } from './operation-tool.js';
import type { VerifyOptions } from './verify.js';

/** `sign OPERATION`, and everything else that works on signatures. */
export function addSign(sign: Command, context: ProgramContext): void {
  described(sign, 'Show what would be signed, and find out why a signature was refused', 'sign').usage(
    '<operation> [flags]',
  );
  sign.action(() => sign.outputHelp());
  addVerify(sign, context);
  addDiff(sign, context);
  addFindMistake(sign, context);
  addRaw(sign.command('raw').helpGroup(byHandHeading), context);
  addControl(sign.command('control').helpGroup(byHandHeading), context);
  addSignExports(sign, context);
  addOperations(
    sign,
    {
      examples: (row) => [`sign ${plainExample(row)} --explain`],
      addOptions: (command, row) => {
        command.option('--explain', 'show every value with its origin and every stage of the signature');
        allowSendingOptions(command, row);
      },
      run: async (row, typed) =>
        (await import('../operation/send.js')).runOperation(row, typed, 'sign', context.runtime),
    },
    context,
  );
}

const byHandHeading = 'By hand:';
const refusedHeading = 'When a signature was refused:';

function addVerify(sign: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const tool: OperationTool<VerifyOptions> = {
    name: 'verify',
    brief: 'Say whether the signature or control of a request is right',
    heading: refusedHeading,
    exampleFlags: (row) => theirsExample(row, '--control', '--signature'),
    addOptions: (command) => {
      addMade(command).addOption(authorizationFile()).addOption(publicKeyFile());
    },
    run: async (row, typed, options) => (await import('./verify.js')).runVerifyOperation(row, typed, options, runtime),
  };
  const verify = described(addOperationTool(sign, tool, context), tool.brief, 'verify');
  if (context.commandLine.row !== undefined) return;
  verify
    .optionsGroup('Request:')
    .option('--request-file <file>', 'a pasted curl command, HTTP request or JSON request; - for standard input')
    .addOption(
      new Option('--format <format>', 'what the file holds, when it cannot be told').choices(['curl', 'http', 'json']),
    )
    .optionsGroup('Signature:')
    .addOption(publicKeyFile())
    .option('--key-file <file>', 'the HMAC key, for an address that is no operation of the interface');
  addGlobalOptions(addConnectionOptions(verify)).action(async () => {
    const { runVerifyRequest } = await import('./verify.js');
    finish.exit = await runVerifyRequest(verify.opts<VerifyOptions>(), runtime);
  });
}

function addDiff(sign: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const tool: OperationTool<DiffOptions> = {
    name: 'diff',
    brief: 'Show where the signature of another program parts from ours, and name the mistake',
    heading: refusedHeading,
    exampleFlags: (row) => theirsExample(row, '--theirs-control', '--theirs-signature'),
    addOptions: (command) => {
      addTheirs(command)
        .option('--theirs-control <value>', 'the control they made')
        .option('--theirs-string <file>', 'the text they hashed, without the key')
        .option('--nonce <nonce>', 'oauth_nonce, with --theirs-signature')
        .option('--timestamp <seconds>', 'oauth_timestamp, with --theirs-signature');
    },
    run: async (row, typed, options) => (await import('./diagnose.js')).runOperationDiff(row, typed, options, runtime),
  };
  const diff = described(addOperationTool(sign, tool, context), tool.brief, 'diff');
  if (context.commandLine.row !== undefined) return;
  addTheirs(addRawOptions(diff).optionsGroup('Signature:'));
  addGlobalOptions(diff).action(async () => {
    const { runRawDiff } = await import('./diagnose.js');
    finish.exit = await runRawDiff(diff.opts<DiffOptions>(), runtime);
  });
}

function addFindMistake(sign: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const tool: OperationTool<FindOptions> = {
    name: 'find-mistake',
    brief: 'Find the mistake behind a refused signature or control, by trying them all',
    heading: refusedHeading,
    exampleFlags: (row) => theirsExample(row, '--control', '--signature'),
    addOptions: (command) => void addMade(command),
    run: async (row, typed, options) => (await import('./diagnose.js')).runOperationFind(row, typed, options, runtime),
  };
  const find = described(addOperationTool(sign, tool, context), tool.brief, 'find-mistake');
  if (context.commandLine.row !== undefined) return;
  addRawOptions(find).optionsGroup('Signature:').option('--signature <signature>', 'the signature that was refused');
  addGlobalOptions(find).action(async () => {
    const { runRawFind } = await import('./diagnose.js');
    finish.exit = await runRawFind(find.opts<FindOptions>(), runtime);
  });
}

function addRaw(raw: Command, { runtime, finish }: ProgramContext): void {
  described(raw, 'Sign a request given by hand: any address, any fields (OAuth 1.0a)', 'raw').usage('[flags]');
  addGlobalOptions(addRawOptions(raw)).action(async () => {
    const { runSignRaw } = await import('./raw.js');
    finish.exit = await runSignRaw(raw.opts(), runtime);
  });
}

function addControl(control: Command, { runtime, finish }: ProgramContext): void {
  described(control, 'The control over values given by hand', 'control')
    .usage('[flags]')
    .option('--values-file <file>', 'a JSON array of texts, in the order of the recipe')
    .option('--key-file <file>', 'file with the merchant control key')
    .addOption(
      new Option('--encoding <form>', 'how it is written (hex-lower)').choices(['hex-lower', 'hex-upper', 'base64']),
    );
  addGlobalOptions(control).action(async () => {
    const { runSignControl } = await import('./raw.js');
    finish.exit = await runSignControl(control.opts(), runtime);
  });
}

function described(command: Command, brief: string, name: keyof typeof signExamples): Command {
  return command.summary(brief).description(withExamples(brief, signExamples[name]));
}

/** The request of `sign raw`. */
function addRawOptions(command: Command): Command {
  return command
    .optionsGroup('Request:')
    .option('--method <method>', 'HTTP method (POST)')
    .option('--url <url>', 'the address, with its query')
    .option('--params-file <file>', 'the fields of the body, a JSON array of [name, value]; none when left out')
    .addOption(new Option('--signature-method <method>', 'how to sign').choices(['HMAC-SHA1', 'RSA-SHA256']))
    .option('--consumer-key <key>', 'oauth_consumer_key, the merchant login')
    .option('--key-file <file>', 'the consumer secret, or the RSA key as PEM')
    .option('--passphrase-file <file>', 'the passphrase of that key')
    .option('--nonce <nonce>', 'oauth_nonce')
    .option('--timestamp <seconds>', 'oauth_timestamp')
    .option('--token <token>', 'oauth_token')
    .option('--token-secret-file <file>', 'the token secret')
    .option('--realm <realm>', 'realm of the header, which is not signed')
    .option('--no-version', 'leave oauth_version out');
}

/** What the other program made of it. */
function addTheirs(command: Command): Command {
  return command
    .option('--theirs-signature <signature>', 'the oauth_signature they made')
    .option('--theirs-base-string <file>', 'the base string they signed; - for standard input')
    .option('--theirs-header <file>', 'the Authorization header they sent; - for standard input');
}

/** A result to be checked against an operation. */
function addMade(command: Command): Command {
  return command
    .option('--control <value>', 'the control of the request')
    .option('--signature <signature>', 'its oauth_signature')
    .option('--nonce <nonce>', 'its oauth_nonce')
    .option('--timestamp <seconds>', 'its oauth_timestamp');
}

function authorizationFile(): Option {
  return new Option(
    '--authorization-file <file>',
    'its Authorization header instead of the three; - for standard input',
  );
}

function publicKeyFile(): Option {
  return new Option('--public-key-file <file>', 'the public RSA key (PEM), when the private one is not at hand');
}

const programs: readonly (readonly [language: Language, brief: string])[] = [
  ['curl', 'A shell script with curl and openssl that signs and sends a request'],
  ['php', 'A PHP program that signs and sends a request, without any package'],
  ['python', 'The same in Python, with the standard library alone'],
];

const heading = 'For your own client:';

/** What others take along from here: programs that sign, and vectors to test one's own against. */
export function addSignExports(sign: Command, context: ProgramContext): void {
  addVectors(sign.command('vectors').helpGroup(heading), context);
  for (const [language, brief] of programs) {
    const run: OperationTool<CommonOptions>['run'] = async (row, typed) =>
      (await import('./code.js')).runSignCode(language, row, typed, context.runtime);
    const tool = { name: language, brief, heading, exampleFlags: () => '', addOptions: () => undefined, run };
    addOperationTool(sign, tool, context)
      .summary(brief)
      .description(
        withExamples(brief, [
          `sign ${language} sale --amount 10.42 --currency USD --test-card approved`,
          `sign ${language} status --client-order-id order-17`,
        ]),
      );
  }
}

const aboutVectors = `${withExamples('Test vectors in JSON for a client in any language, of one operation or of all', [
  'sign vectors sale',
  'sign vectors --seed my-tests',
])}

Keys are made from the seed and are nobody's. The same seed gives the same bytes.

  keys      uuid and reserved: control keys, the second with characters
            that an HMAC key has encoded; rsa and rsaPublic: an RSA key
  vectors   a list of:
    scheme  control, hmac-sha1, rsa-sha256 or none
    assume  the switch that decides on the scheme, where there is one
    request method, url, login, endpointId, fields in the order they are
            sent, key (its name in keys); OAuth: nonce, timestamp,
            signatureMethod, version; control: amountInMinorUnits
    stages  control: slots, string (the key follows it), bytes, encoding;
            OAuth: encoded, sorted, parts, baseString, for HMAC signingKey
    result  control, or signature and authorization; and the body
    wrong   what one mistake makes of it: its name and variant (those of
            \`sign find-mistake\`) and the wrong control or signature`;

function addVectors(vectors: Command, { runtime, finish }: ProgramContext): void {
  vectors
    .summary('Test vectors in JSON for a client in any language')
    .description(aboutVectors)
    .usage('[operation] [flags]')
    .argument('[operation...]', 'such as sale, or card-ref create; all of them when left out')
    .option('--seed <text>', 'what keys, ids and values are made from (paycli)');
  addGlobalOptions(vectors).action(async (words: string[]) => {
    const { runSignVectors } = await import('./vectors.js');
    finish.exit = await runSignVectors(words.join(' '), vectors.opts(), runtime);
  });
}

/** A request given by hand. */
const byHand =
  '--url https://gateway.example/api/v4/transfer/4001 --signature-method HMAC-SHA1 --consumer-key my-shop --key-file control.key --params-file fields.json';

/**
 * Examples of the commands around signatures, without the word `paycli`. They read control.key, fields.json,
 * values.json, request.txt, header.txt and base-string.txt of the folder they are run in; a test makes these and runs
 * each line.
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
