import { stageNames } from '../../../signing/stages.js';
import { assumeDefaults, type Operation } from '../../../spec/index.js';
import { protectionOf } from '../../../wire/check.js';
import { type Declared, defineCommand, type Flag, type Flags, on, oneOf, word } from '../../command.js';
import { connectionFlags, outputFlags, sendingFlags } from '../../flags.js';
import { operationInput } from '../../operation.js';
import type { Language } from './code.js';

const languages: readonly Language[] = ['curl', 'php', 'node', 'python', 'java', 'csharp'];

const ofSignature = { heading: 'Signature:' };
const ofTheirs = { heading: 'To compare with:' };

const signatureFlags = {
  stage: oneOf(stageNames, '<stage>', 'write exactly the bytes of one stage and nothing else', ofSignature),
  explain: on('show every value with its origin and every stage, as is done anyway', ofSignature),
  code: oneOf(
    languages,
    '<language>',
    'print instead a program that signs and sends this request; it contains no key',
    ofSignature,
  ),
  control: word('<value>', 'the checksum (control) that another program made', ofTheirs),
  signature: word('<signature>', 'the oauth_signature that it made, with --nonce and --timestamp', ofTheirs),
  header: word('<file>', 'the Authorization header that it sent; - for standard input', ofTheirs),
  baseString: word(
    '<file>',
    'the base string, or the text of a checksum, that it signed; - for standard input',
    ofTheirs,
  ),
  nonce: word('<nonce>', 'its oauth_nonce (default: a new one)', ofTheirs),
  timestamp: word('<seconds>', 'its oauth_timestamp (default: now)', ofTheirs),
};

/** `sign OPERATION`, which shows what would be signed, and compares it with what others signed. */
export function signedOperation(row: Operation, others: readonly Operation[]): Declared {
  const { args, flags, read } = operationInput(row, others);
  return defineCommand({
    summary: row.brief,
    args,
    flags: { ...flags, ...signatureFlags, ...unusedSendingFlags(row), ...connectionFlags, ...outputFlags },
    conflicts: [
      ['code', 'control'],
      ['code', 'signature'],
      ['code', 'header'],
      ['code', 'baseString'],
    ],
    examples: [`sign ${plainExample(row)}`, ...comparingExample(row)],
    effect: 'local',
    result: ['sign', 'diagnosis', 'code'],
    run: async ({ args: given, flags: { code, ...options }, runtime }) => {
      const { row: chosen, typed } = read(given, options);
      if (code !== undefined) return (await import('./code.js')).runSignCode(code, chosen, typed, runtime);
      const { isCompared, runCompare } = await import('./compare.js');
      if (isCompared(options)) return runCompare(chosen, typed, options, runtime);
      return (await import('./show.js')).runSign(chosen, typed, runtime);
    },
  });
}

/**
 * The command line of a refused request may be given as it was, so the flags of sending are known here, and do nothing.
 */
function unusedSendingFlags(row: Operation): Flags {
  const flags = Object.entries<Flag>(sendingFlags(row) as Flags);
  return Object.fromEntries(flags.map(([key, flag]) => [key, { ...flag, isHidden: true }]));
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

/**
 * The first example of an operation without the sending flags and the amount of a follow-up, so that it can be signed
 * too, even for an order that is not in the journal.
 */
function plainExample(row: Operation): string {
  const plain = (row.examples[0] ?? row.command).replace(/ --(?:wait|all)\b/g, '');
  const whole = row.withoutAmount === 'whole order' ? plain.replace(/ --amount \S+/, '') : plain;
  const needsBoth = row.fields['clientOrderId']?.need === 'required';
  return needsBoth ? whole.replace(' $ORDER', ' $ORDER --client-order-id $ID') : whole;
}
