import { Command } from 'commander';
import { exitCodes, fail } from '../../errors/index.js';
import { states } from '../../journal/states.js';
import { allOperations, assumptions, type Operation, statuses, testCards } from '../../spec/index.js';
import { type Step, transactionKinds } from '../../spec/lifecycle.js';
import { addFlags, anyFieldFlags, connectionFlags, type Flag, globalFlags, timeoutFlag } from '../core/options.js';
import { environment, foreignEnvironment } from './environment.js';
import { wrapped } from './plain-text.js';
import { readTopics } from './topics.js';

/** The generated Markdown of README and help topics, by the name in the marker, from the tables the program runs on. */
const generatedParts: Readonly<Record<string, () => string>> = {
  operations: () =>
    table(
      ['command', 'what it does'],
      allOperations.map((row) => [`\`${row.command}\``, row.brief]),
    ),
  paths: () =>
    table(
      ['command', 'path', 'signature'],
      allOperations.map((row) => [row.command, row.path, signatureOf(row)]),
    ),
  topics: () =>
    readTopics()
      .map(({ name, brief }) => `- [${name}](src/cli/docs/topics/${name}.md): ${brief}\n`)
      .join(''),
  'exit-codes': () =>
    table(
      ['exit', 'meaning', 'sent?', 'safe to retry unchanged?'],
      exitCodes.map((row) => [String(row.code), row.meaning, row.sent, row.repeat]),
    ),
  'flags-of-fields': () => terms(termsOf(anyFieldFlags)),
  'flags-of-connection': () => terms(termsOf([...connectionFlags, timeoutFlag])),
  'flags-of-output': () => terms(termsOf(globalFlags)),
  environment: () => terms(environment),
  'environment-of-others': () => terms(foreignEnvironment),
  assumptions: () =>
    table(
      ['id', 'switch', 'default', 'or'],
      assumptions.map((row) => [
        row.id,
        row.switch,
        row.default,
        row.others.join(' | ').replace(longSwitchValue, '<CUR=n,…>'),
      ]),
    ),
  states: () => terms(Object.entries(states)),
  statuses: () =>
    table(
      ['status', 'final', 'success', 'meaning'],
      Object.entries(statuses).map(([word, { final, success, meaning }]) => [
        word,
        yesNo(final),
        final ? yesNo(success) : '',
        meaning,
      ]),
    ),
  steps: () => terms(Object.entries(steps)),
  'transaction-kinds': () =>
    table(
      ['transaction', 'transaction-type', 'order-stage begins with'],
      Object.entries(transactionKinds).map(([kind, { type, stage }]) => [kind, type, stage]),
    ),
  'test-cards': () =>
    table(
      ['--test-card', 'number', 'CVV', 'outcome'],
      testCards.map((card) => [card.name, card.number, card.cvv, card.about]),
    ),
};

/** Text with every `<!-- generated NAME -->` part updated. Throws USAGE for an unknown name. */
export function regenerate(text: string): string {
  return text.replace(/<!-- generated (\S+) -->\n[\s\S]*?<!-- end -->/g, (_, name: string) => {
    const part = generatedParts[name];
    if (part === undefined) throw fail('USAGE', { why: `unknown generated section ${name}`, name, command: '' });
    return `<!-- generated ${name} -->\n${part()}<!-- end -->`;
  });
}

/** What each step waits for. */
const steps: Readonly<Record<Step, string>> = {
  none: 'no step by you or the payer; the bank is processing it',
  form: 'the payer, on the hosted page',
  method: 'the result of the 3-D Secure method frame',
  frictionless: 'the result of the 3-D Secure method frame; no challenge will follow',
  challenge: 'the response to a 3-D Secure challenge',
  pareq: 'the response of a 3-D Secure 1.0.2 page',
  simplified: 'the payer, on the page in the status reply',
  validating: 'the payout check to finish',
  validated: 'your `paycli payout pay`; the payout check is done',
};

/** Too long for a table on a terminal. */
const longSwitchValue = '<CUR=n or endpoint/CUR=n, separated by commas>';

function yesNo(is: boolean): string {
  return is ? 'yes' : 'no';
}

function signatureOf(row: Operation): string {
  switch (row.protection.scheme) {
    case 'control':
      return 'control';
    case 'hmac-sha1':
      return 'HMAC-SHA1';
    case 'rsa-sha256':
      return 'RSA-SHA256';
    default:
      return 'none shown';
  }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/[|<]/g, '\\$&')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

function termsOf(flags: readonly Flag[]): readonly (readonly [term: string, meaning: string])[] {
  return addFlags(new Command(), flags).options.map(({ flags: term, description, argChoices = [] }) => [
    term,
    argChoices.length === 0 ? description : `${description}; one of ${argChoices.join(', ')}`,
  ]);
}

/** Columns of a line of the Markdown files. */
const columns = 120;

function terms(rows: readonly (readonly [term: string, meaning: string])[]): string {
  return rows.map(([term, meaning]) => `${wrapped(`- \`${term}\`: ${meaning}`, columns - 2).join('\n  ')}\n`).join('');
}
