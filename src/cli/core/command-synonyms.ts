import { fail, suggest } from '../../errors/index.js';
import { allOperations, operationNamed, operations } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';

/** Words that other gateways and other tools use, each with the commands that may be meant. */
const rows: readonly (readonly [commands: string, words: string])[] = [
  ['sale', 'charge, debit, pay, payment, purchase'],
  ['preauth', 'authorize, authorise, authorization, auth, hold'],
  ['return', 'refund, reversal'],
  ['return | payout', 'credit'],
  ['void | return', 'reverse'],
  ['void', 'cancel'],
  ['capture | resolve', 'settle'],
  ['payout', 'disburse, withdraw, withdrawal'],
  ['status', 'query, inquiry'],
  ['status --wait', 'wait, poll'],
  ['status | resolve', 'retry'],
  ['card-ref create', 'tokenize, tokenise, token'],
  ['upload-3ds', '3ds'],
  ['order', 'show, get, lookup, transaction, chargeback, dispute'],
  ['orders', 'transactions, list, search, find, payments'],
  ['journal', 'history, log, logs'],
  ['init', 'setup, configure, login, profile add, profile create'],
  ['profile show --origins', 'whoami'],
  ['profile set', 'profile edit'],
  ['profile set-key', 'rotate-key, set-key, rotate, keys rotate, profile rotate, profile rotate-key'],
  ['profile remove', 'profile delete'],
  ['callback', 'webhook, webhooks'],
  ['callback listen', 'listen'],
  ['callback list', 'callback show'],
  ['callback send --stored', 'callback replay'],
  ['sandbox outcomes', 'outcomes'],
  ['sandbox log --findings', 'audit, sandbox audit'],
  ['sandbox pay ORDER', 'form fill, 3ds run'],
  ['sign OPERATION --code curl', 'curl, sign curl'],
  ['sign check', 'diff, find-mistake, sign diff, sign find-mistake'],
  ['batch plan', 'batch upload, batch create'],
  ['batch run', 'batch resume, batch send, batch start, batch continue'],
  ['batch pause', 'batch stop'],
  ['batch cancel', 'batch withdraw'],
  ['batch show', 'batch list, batch status, batch report, batch archive'],
  ['batch reconcile', 'reconcile'],
];

const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  rows.flatMap(([commands, words]) => words.split(', ').map((each) => [each, commands.split(' | ')] as const)),
);

/** What a word after these of a command may mean, as the end of an error message; '' where it means nothing. */
export function synonymHint(path: string, word: string): string {
  const key = `${path} ${word}`.trim();
  const ofSigned = path === 'sign' ? operationsMeant(word).map((command) => `sign ${command}`) : [];
  const commands = synonyms.get(key) ?? ofSigned;
  const meant = commands.map((command) => `\`paycli ${command}\``).join(' or ');
  return commands.length === 0 ? '' : `; did you mean ${meant}?`;
}

/** The operations that another word for one may mean, by their commands: `refund` is `return`. */
export function operationsMeant(word: string): readonly string[] {
  return (synonyms.get(word.toLowerCase()) ?? []).filter((command) => operationNamed(command) !== undefined);
}

/** The operation of this name. Throws USAGE naming the nearest one. */
export function findOperation(name: string): (typeof operations)[number] {
  const row = operations.find((candidate) => candidate === operationNamed(name));
  if (row !== undefined) return row;
  throw fail('USAGE', {
    why: `there is no operation ${nameableWord(name) ?? 'of that name'}${suggestOperation(name)}`,
  });
}

/** A hint for a word that is not an operation. */
export function suggestOperation(name: string): string {
  const meant = operationsMeant(name);
  if (meant.length > 0) return `; did you mean ${meant.join(' or ')}?`;
  const known = allOperations.flatMap(({ command, aliases, id }) => [command, ...(aliases ?? []), id]);
  return suggest(name, known, '; `paycli --help` lists them');
}
