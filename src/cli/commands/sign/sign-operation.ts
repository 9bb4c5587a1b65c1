import { stageNames } from '../../../signing/diagnose/diagnosis.js';
import type { Operation } from '../../../spec/index.js';
import { type Declared, defineCommand, on, oneOf, word } from '../../command.js';
import { plainExample } from '../../core/examples.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { operationInput } from '../../operation.js';
import { resultsNamed } from '../../other-results.js';
import { codeLanguages } from './flags.js';
import { unusedSendingFlags } from './operation-tool.js';

const heading = 'Signature:';

/** `sign OPERATION`, which shows what would be signed. */
export function signedOperation(row: Operation, others: readonly Operation[]): Declared {
  const { args, flags, read } = operationInput(row, others);
  return defineCommand({
    summary: row.brief,
    args,
    flags: {
      ...flags,
      explain: on('show every value with its origin and every stage of the signature', { heading }),
      stage: oneOf(stageNames, '<stage>', 'write exactly the bytes of one stage and nothing else', { heading }),
      nonce: word('<nonce>', 'oauth_nonce of the request to compare with (default: a new one)', { heading }),
      timestamp: word('<seconds>', 'its oauth_timestamp (default: now)', { heading }),
      code: oneOf(
        codeLanguages,
        '<language>',
        'print instead a program that signs and sends this request; it contains no key',
        {
          heading,
        },
      ),
      recipe: on('show instead what the operation needs: path, fields, scheme, order of the values in the checksum', {
        heading,
      }),
      ...unusedSendingFlags(row),
      ...connectionFlags,
      ...outputFlags,
    },
    examples: [`sign ${plainExample(row)} --explain`],
    effect: 'local',
    result: resultsNamed('sign', 'recipe', 'code'),
    run: async ({ args: given, flags: { recipe, code, ...options }, runtime }) => {
      const { row: chosen, typed } = read(given, options);
      if (code !== undefined) return (await import('./code.js')).runSignCode(code, chosen, typed, runtime);
      return recipe === true
        ? (await import('./recipe.js')).showRecipe(chosen, typed.options, runtime)
        : (await import('./show.js')).runSign(chosen, typed, runtime);
    },
  });
}
