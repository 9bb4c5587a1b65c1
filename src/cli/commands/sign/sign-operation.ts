import { type Command, Option } from 'commander';
import { exits } from '../../../errors/index.js';
import { stageNames } from '../../../signing/diagnose/diagnosis.js';
import type { ProgramContext } from '../../core/command-line.js';
import { describe, profileExits } from '../../core/define-command.js';
import { plainExample } from '../../core/examples.js';
import { addOperations, type OperationLeaf } from '../../core/operation-commands.js';
import { codeLanguages, type Language } from './flags.js';
import { allowSendingOptions } from './operation-tool.js';

/** `sign OPERATION`, which shows what would be signed. */
const signItself = {
  name: 'sign',
  summary: 'Show what would be signed, and find out why a signature was refused',
  usage: '<operation> [flags]',
  // Of all examples of `sign` those that read files find them in the folder they are run in; a test makes these.
  examples: [
    'sign sale --profile sandbox --amount 10.42 --currency USD --test-card approved --explain',
    'sign sale --profile sandbox --amount 10.42 --currency USD --test-card approved --code php',
    'sign verify --request-file request.txt',
    'sign find-mistake sale --amount 10.42 --currency USD --email payer@example.com --client-order-id $ID --control $CONTROL',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere'],
  prints: ['sign', 'recipe', 'code'],
} as const;

/** Sets the texts of `sign` itself, which shows its help. */
export function describeSign(sign: Command): void {
  const showHelp = async () => {
    sign.outputHelp();
    return exits.ok;
  };
  describe(sign, { ...signItself, run: showHelp });
  sign.action(() => sign.outputHelp());
}

/** Adds `sign OPERATION` for every operation. */
export function addSignedOperations(sign: Command, context: ProgramContext): void {
  addOperations(sign, operationLeaf(context), context);
}

function operationLeaf({ runtime }: ProgramContext): OperationLeaf {
  return {
    examples: (row) => [`sign ${plainExample(row)} --explain`],
    addOptions: (command, row) => {
      command
        .optionsGroup('Signature:')
        .option('--explain', 'show every value with its origin and every stage of the signature')
        .addOption(
          new Option('--stage <stage>', 'write exactly the bytes of one stage and nothing else').choices(stageNames),
        )
        .option('--nonce <nonce>', 'oauth_nonce of the request to compare with (default: a new one)')
        .option('--timestamp <seconds>', 'its oauth_timestamp (default: now)')
        .addOption(
          new Option(
            '--code <language>',
            'print instead a program that signs and sends this request; it contains no key',
          ).choices(codeLanguages),
        )
        .option(
          '--recipe',
          'show instead what the operation needs: path, fields, scheme, order of the values in the checksum',
        );
      allowSendingOptions(command, row);
    },
    run: async (row, typed, command) => {
      const { recipe, code } = command.opts<{ recipe?: true; code?: Language }>();
      if (code !== undefined) return (await import('./code.js')).runSignCode(code, row, typed, runtime);
      return recipe === true
        ? (await import('./recipe.js')).showRecipe(row, typed.options, runtime)
        : (await import('./show.js')).runSign(row, typed, runtime);
    },
  };
}
