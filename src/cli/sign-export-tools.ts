import type { Command } from 'commander';
import type { Language } from './code/languages.js';
import type { ProgramContext } from './context.js';
import { withExamples } from './help/examples-text.js';
import { addGlobalOptions, type CommonOptions } from './options.js';
import { addOperationTool, type OperationTool } from './sign-operation-tool.js';

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
      (await import('./commands/sign-code.js')).runSignCode(language, row, typed, context.runtime);
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
    const { runSignVectors } = await import('./commands/sign-vectors.js');
    finish.exit = await runSignVectors(words.join(' '), vectors.opts(), runtime);
  });
}
