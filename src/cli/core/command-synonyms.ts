import { fail, suggest } from '../../errors/index.js';
import { allOperations, operationNamed, operations } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';

/** The commands that words may mean, and a remark. */
interface Synonym {
  readonly commands: readonly string[];
  readonly remark?: string;
}

/** Words that other gateways and tools use for these commands, after the words of their group. */
const rows: readonly (readonly [commands: string, words: string, remark?: string])[] = [
  ['sale', 'charge, debit, pay, payment, purchase'],
  ['preauth', 'authorize, authorise, authorization, authorisation, auth, hold'],
  ['return', 'refund, reversal'],
  ['return | payout', 'credit'],
  ['void | return', 'reverse'],
  ['void', 'cancel'],
  ['capture | resolve', 'settle'],
  ['payout', 'disburse, disbursement, withdraw, withdrawal'],
  ['status', 'query, inquiry'],
  ['status --wait', 'wait, poll'],
  ['status | resolve', 'retry', 'neither sends the payment again'],
  ['account-verification', 'verify'],
  ['card-ref create', 'tokenize, tokenise, token'],
  ['recurring', 'recurring create'],
  ['pan-eligibility', 'pan-eligibility send'],
  ['upload-3ds', '3ds'],
  ['order', 'show, get, lookup, transaction'],
  [
    'order',
    'chargeback, dispute',
    'it shows what happened to an order; nothing sends a chargeback, which comes from the bank of the cardholder',
  ],
  ['orders', 'transactions, list, search, find, payments, order list'],
  ['order ORDER', 'order show'],
  ['journal', 'history'],
  ['journal | sandbox log', 'log, logs'],
  ['sandbox outcomes', 'outcomes'],
  ['sandbox log --findings', 'audit, sandbox audit'],
  ['sandbox clock +7d', 'sandbox clock advance'],
  ['sandbox clock TIME', 'sandbox clock set'],
  ['sandbox callbacks', 'sandbox callbacks list'],
  ['sandbox callbacks --script NAME', 'sandbox callbacks script'],
  ['sandbox merchant LOGIN', 'sandbox merchant add'],
  ['sandbox pay URL', 'form fill'],
  ['sandbox pay ORDER', '3ds run'],
  ['support', 'bundle'],
  ['init', 'setup, configure, login, profile add, profile create'],
  ['profile set', 'profile edit'],
  ['profile set-key', 'rotate-key, set-key, rotate, keys rotate, profile rotate, profile rotate-key'],
  ['profile remove', 'profile delete'],
  ['callback', 'webhook, webhooks'],
  ['callback listen', 'listen'],
  ['callback list', 'callback show'],
  ['callback send --stored', 'callback replay'],
  ['sign OPERATION --code curl', 'curl, sign curl'],
  ['sign check', 'sign diff, sign find-mistake'],
  ['batch plan', 'batch upload, batch create'],
  ['batch run', 'batch resume, batch work, batch send, batch start'],
  ['batch run --continue', 'batch continue'],
  ['batch pause', 'batch stop'],
  ['batch cancel', 'batch withdraw'],
  ['batch show', 'batch list, batch status'],
  ['batch show', 'batch archive', 'nothing is left to do about a finished plan'],
  ['batch show --out', 'batch report'],
  ['batch reconcile', 'reconcile'],
];

const synonyms: ReadonlyMap<string, Synonym> = new Map(
  rows.flatMap(([commands, words, remark]) =>
    words.split(', ').map((each) => [each, { commands: commands.split(' | '), ...(remark && { remark }) }] as const),
  ),
);

/** After `help`, words for a topic. An HTTP status means a refusal, which the runbooks explain. */
const topicSynonyms: Readonly<Record<string, string>> = {
  outcomes: 'sandbox',
  outcome: 'money-safety',
  states: 'money-safety',
  errors: 'output',
  'exit-codes': 'output',
  flags: 'output',
  keys: 'profiles',
  secrets: 'profiles',
  live: 'profiles',
  environment: 'profiles',
  '400': 'runbooks',
  '401': 'runbooks',
  '403': 'runbooks',
};

/** The words that mean something else after these words of a command. */
export function synonymsOf(path: string): readonly string[] {
  const start = path === '' ? '' : `${path} `;
  const words = [...synonyms.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  return words.filter((word) => !word.includes(' '));
}

/** What a word may mean, as the end of an error message; undefined where it means nothing. */
export function synonymHint(path: string, word: string, topics: readonly string[]): string | undefined {
  const topic = topics.length > 0 && Object.hasOwn(topicSynonyms, word) ? topicSynonyms[word] : undefined;
  if (topic !== undefined) return `; did you mean \`paycli help ${topic}\`?`;
  const synonym = synonymOf(path, word);
  if (synonym === undefined) return undefined;
  const { commands, remark } = synonym;
  const meant = commands.map((command) => `\`paycli ${command}\``).join(' or ');
  return `; did you mean ${meant}?${remark === undefined ? '' : ` (${remark})`}`;
}

/** The operations that another word for one may mean, by their commands: `refund` is `return`. */
export function operationsMeant(word: string): readonly string[] {
  const meant = synonymOf('', word.toLowerCase())?.commands ?? [];
  return meant.filter((command) => operationNamed(command) !== undefined);
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

/** After `sign` another word for an operation means what it means by itself. */
function synonymOf(path: string, word: string): Synonym | undefined {
  const key = `${path} ${word}`.trim();
  const found = synonyms.get(key);
  if (found !== undefined || !key.startsWith('sign ')) return found;
  const commands = operationsMeant(key.slice('sign '.length)).map((command) => `sign ${command}`);
  return commands.length === 0 ? undefined : { commands };
}
