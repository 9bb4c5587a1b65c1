import { type Command, Option } from 'commander';
import type { DiffOptions, FindOptions } from './commands/sign-diagnose.js';
import type { VerifyOptions } from './commands/sign-verify.js';
import type { ProgramContext } from './context.js';
import { plainExample } from './help/examples.js';
import { withExamples } from './help/examples-text.js';
import { signExamples, theirsExample } from './help/sign-examples.js';
import { addOperations } from './operation-tree.js';
import { addConnectionOptions, addGlobalOptions } from './options.js';
import { addSignExports } from './sign-export-tools.js';
import { addOperationTool, allowSendingOptions, type OperationTool } from './sign-operation-tool.js';

/** `sign OPERATION`, and everything else that works on signatures. */
export function addSign(sign: Command, context: ProgramContext): void {
  described(sign, 'Show what would be signed, and find out why a signature was refused', 'sign').usage('<operation> [flags]');
  sign.action(() => sign.outputHelp());
  addVerify(sign, context);
  addDiff(sign, context);
  addFindMistake(sign, context);
  addRaw(sign.command('raw').helpGroup(byHand), context);
  addControl(sign.command('control').helpGroup(byHand), context);
  addSignExports(sign, context);
  addOperations(
    sign,
    {
      examples: (row) => [`sign ${plainExample(row)} --explain`],
      addOptions: (command, row) => {
        command.option('--explain', 'show every value with its origin and every stage of the signature');
        allowSendingOptions(command, row);
      },
      run: async (row, typed) => (await import('./commands/operation.js')).runOperation(row, typed, 'sign', context.runtime),
    },
    context,
  );
}

const byHand = 'By hand:';
const refused = 'When a signature was refused:';

function addVerify(sign: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const tool: OperationTool<VerifyOptions> = {
    name: 'verify',
    brief: 'Say whether the signature or control of a request is right',
    heading: refused,
    exampleFlags: (row) => theirsExample(row, '--control', '--signature'),
    addOptions: (command) => {
      addMade(command).addOption(authorizationFile()).addOption(publicKeyFile());
    },
    run: async (row, typed, options) => (await import('./commands/sign-verify.js')).runVerifyOperation(row, typed, options, runtime),
  };
  const verify = described(addOperationTool(sign, tool, context), tool.brief, 'verify');
  if (context.commandLine.row !== undefined) return;
  verify
    .optionsGroup('Request:')
    .option('--request-file <file>', 'a pasted curl command, HTTP request or JSON request; - for standard input')
    .addOption(new Option('--format <format>', 'what the file holds, when it cannot be told').choices(['curl', 'http', 'json']))
    .optionsGroup('Signature:')
    .addOption(publicKeyFile())
    .option('--key-file <file>', 'the HMAC key, for an address that is no operation of the interface');
  addGlobalOptions(addConnectionOptions(verify)).action(async () => {
    const { runVerifyRequest } = await import('./commands/sign-verify.js');
    finish.exit = await runVerifyRequest(verify.opts<VerifyOptions>(), runtime);
  });
}

function addDiff(sign: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const tool: OperationTool<DiffOptions> = {
    name: 'diff',
    brief: 'Show where the signature of another program parts from ours, and name the mistake',
    heading: refused,
    exampleFlags: (row) => theirsExample(row, '--theirs-control', '--theirs-signature'),
    addOptions: (command) => {
      addTheirs(command)
        .option('--theirs-control <value>', 'the control they made')
        .option('--theirs-string <file>', 'the text they hashed, without the key')
        .option('--nonce <nonce>', 'oauth_nonce, with --theirs-signature')
        .option('--timestamp <seconds>', 'oauth_timestamp, with --theirs-signature');
    },
    run: async (row, typed, options) => (await import('./commands/sign-diagnose.js')).runOperationDiff(row, typed, options, runtime),
  };
  const diff = described(addOperationTool(sign, tool, context), tool.brief, 'diff');
  if (context.commandLine.row !== undefined) return;
  addTheirs(addRawOptions(diff).optionsGroup('Signature:'));
  addGlobalOptions(diff).action(async () => {
    const { runRawDiff } = await import('./commands/sign-diagnose.js');
    finish.exit = await runRawDiff(diff.opts<DiffOptions>(), runtime);
  });
}

function addFindMistake(sign: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const tool: OperationTool<FindOptions> = {
    name: 'find-mistake',
    brief: 'Find the mistake behind a refused signature or control, by trying them all',
    heading: refused,
    exampleFlags: (row) => theirsExample(row, '--control', '--signature'),
    addOptions: (command) => void addMade(command),
    run: async (row, typed, options) => (await import('./commands/sign-diagnose.js')).runOperationFind(row, typed, options, runtime),
  };
  const find = described(addOperationTool(sign, tool, context), tool.brief, 'find-mistake');
  if (context.commandLine.row !== undefined) return;
  addRawOptions(find).optionsGroup('Signature:').option('--signature <signature>', 'the signature that was refused');
  addGlobalOptions(find).action(async () => {
    const { runRawFind } = await import('./commands/sign-diagnose.js');
    finish.exit = await runRawFind(find.opts<FindOptions>(), runtime);
  });
}

function addRaw(raw: Command, { runtime, finish }: ProgramContext): void {
  described(raw, 'Sign a request given by hand: any address, any fields (OAuth 1.0a)', 'raw').usage('[flags]');
  addGlobalOptions(addRawOptions(raw)).action(async () => {
    const { runSignRaw } = await import('./commands/sign-raw.js');
    finish.exit = await runSignRaw(raw.opts(), runtime);
  });
}

function addControl(control: Command, { runtime, finish }: ProgramContext): void {
  described(control, 'The control over values given by hand', 'control')
    .usage('[flags]')
    .option('--values-file <file>', 'a JSON array of texts, in the order of the recipe')
    .option('--key-file <file>', 'file with the merchant control key')
    .addOption(new Option('--encoding <form>', 'how it is written (hex-lower)').choices(['hex-lower', 'hex-upper', 'base64']));
  addGlobalOptions(control).action(async () => {
    const { runSignControl } = await import('./commands/sign-raw.js');
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
  return new Option('--authorization-file <file>', 'its Authorization header instead of the three; - for standard input');
}

function publicKeyFile(): Option {
  return new Option('--public-key-file <file>', 'the public RSA key (PEM), when the private one is not at hand');
}
