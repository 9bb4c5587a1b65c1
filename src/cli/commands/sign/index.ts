import type { Command } from 'commander';
import { exits } from '../../../errors/index.js';
import { stageNames } from '../../../signing/diagnose/stage-names.js';
import { assumeDefaults, type Operation } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check.js';
import type { ProgramContext } from '../../core/command-line.js';
import { addCommand, describe, type LoadCommand, profileExits } from '../../core/define-command.js';
import { plainExample } from '../../core/examples.js';
import { addOperations, type OperationLeaf } from '../../core/operation-commands.js';
import { addFlags, addSendingOptions, type Flag } from '../../core/options.js';
import type { Language } from './code.js';
import type { TheirsOptions } from './compare.js';

/** `sign OPERATION`, which shows what would be signed, and compares it with what others signed. */
const signItself = {
  name: 'sign',
  summary: 'Show what would be signed, and find out why a signature was refused',
  usage: '<operation> [flags]',
  examples: [
    'sign sale --profile sandbox --amount 10.42 --currency USD --test-card approved',
    'sign check request.txt',
    'sign sale --amount 10.42 --currency USD --email payer@example.com --client-order-id $ID --control $CONTROL',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'checkFailed'],
  prints: ['sign', 'recipe', 'diagnosis', 'code'],
} as const;

const others: Readonly<Record<string, LoadCommand>> = {
  check: async () => (await import('./check.js')).signCheck,
  doctor: async () => (await import('./doctor.js')).signDoctor,
  request: async () => (await import('./request-path.js')).signRequest,
};

/** `sign OPERATION`, and everything else that works on signatures. */
export async function addSign(sign: Command, context: ProgramContext): Promise<void> {
  const showHelp = async () => {
    sign.outputHelp();
    return exits.ok;
  };
  describe(sign, { ...signItself, run: showHelp });
  sign.action(() => sign.outputHelp());
  // Where an operation is meant they are not, and what they load costs start-up time.
  const wanted = context.commandLine.row === undefined ? Object.entries(others) : [];
  for (const [word, load] of wanted) await addCommand(sign, word, load, [], context);
  addOperations(sign, operationLeaf(context), context);
}

const languages: readonly Language[] = ['curl', 'php', 'node', 'python', 'java', 'csharp'];

const signatureFlags: readonly Flag[] = [
  { heading: 'Signature:' },
  ['--stage <stage>', 'write exactly the bytes of one stage and nothing else', { choices: stageNames }],
  ['--explain', 'show every value with its origin and every stage, as is done anyway'],
  ['--recipe', 'show instead what the operation needs: path, fields, scheme, order of the values in the checksum'],
  ['--code <language>', 'print instead a program that signs and sends this request', { choices: languages }],
  { heading: 'To compare with:' },
  ['--control <value>', 'the checksum (control) that another program made'],
  ['--signature <signature>', 'the oauth_signature that it made, with --nonce and --timestamp'],
  ['--header <file>', 'the Authorization header that it sent; - for standard input'],
  ['--base-string <file>', 'the base string, or the text of a checksum, that it signed; - for standard input'],
  ['--nonce <nonce>', 'its oauth_nonce (default: a new one)'],
  ['--timestamp <seconds>', 'its oauth_timestamp (default: now)'],
];

interface SignOptions extends TheirsOptions {
  readonly recipe?: true;
  readonly code?: Language;
}

function operationLeaf({ runtime }: ProgramContext): OperationLeaf {
  return {
    examples: (row) => [`sign ${plainExample(row)}`, ...comparingExample(row)],
    addOptions: (command, row) => {
      addFlags(command, signatureFlags);
      // The command line of a refused request may be given as it was: the flags of sending are known here, and do nothing.
      const before = command.options.length;
      addSendingOptions(command, row);
      for (const option of command.options.slice(before)) option.hideHelp();
    },
    run: async (row, typed, command) => {
      const options = command.opts<SignOptions>();
      if (options.recipe === true) return (await import('./recipe.js')).showRecipe(row, typed.options, runtime);
      if (options.code !== undefined) return (await import('./code.js')).runSignCode(options.code, row, typed, runtime);
      const { isCompared, runCompare } = await import('./compare.js');
      if (isCompared(options)) return runCompare(row, typed, options, runtime);
      return (await import('./show.js')).runSign(row, typed, runtime);
    },
  };
}

/** $CONTROL and the like stand for the values of the other side. */
function comparingExample(row: Operation): string[] {
  const order = row.opens ? '--client-order-id $ID ' : '';
  const { scheme } = protectionOf(row, assumeDefaults);
  if (scheme === 'none') return [];
  const theirs =
    scheme === 'control' ? '--control $CONTROL' : '--signature $SIGNATURE --nonce $NONCE --timestamp $TIMESTAMP';
  return [`sign ${plainExample(row)} ${order}${theirs}`];
}
