import { fail, suggest } from '../../errors/index.js';
import { allOperations, operationNamed, operations } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';

/** The commands that a word may mean, with a remark. */
interface Synonym {
  readonly commands: readonly string[];
  readonly remark?: string;
}

const [sale, preauth, payout, status, newCardRef, setKey, order, orders, logs, init] = [
  { commands: ['sale'] },
  { commands: ['preauth'] },
  { commands: ['payout'] },
  { commands: ['status'] },
  { commands: ['card-ref create'] },
  { commands: ['profile set-key'] },
  { commands: ['order'] },
  { commands: ['orders'] },
  { commands: ['journal', 'sandbox log'] },
  { commands: ['init'] },
];

const chargeback: Synonym = {
  commands: ['order'],
  remark: 'it shows what happened to an order; nothing sends a chargeback, which comes from the bank of the cardholder',
};

/** Words that other gateways and tools use for a command, after the words of their group. */
const synonyms: Readonly<Record<string, Synonym>> = {
  wait: { commands: ['status --wait'] },
  poll: { commands: ['status --wait'] },
  show: order,
  get: order,
  lookup: order,
  transaction: order,
  transactions: orders,
  curl: { commands: ['sign OPERATION --code curl'] },
  refund: { commands: ['return'] },
  credit: { commands: ['return', 'payout'] },
  reversal: { commands: ['return'] },
  reverse: { commands: ['void', 'return'] },
  cancel: { commands: ['void'] },
  chargeback,
  dispute: chargeback,
  disburse: payout,
  disbursement: payout,
  withdraw: payout,
  withdrawal: payout,
  query: status,
  inquiry: status,
  authorize: preauth,
  authorise: preauth,
  authorization: preauth,
  authorisation: preauth,
  auth: preauth,
  hold: preauth,
  charge: sale,
  debit: sale,
  pay: sale,
  payment: sale,
  purchase: sale,
  webhook: { commands: ['callback'] },
  webhooks: { commands: ['callback'] },
  tokenize: newCardRef,
  tokenise: newCardRef,
  token: newCardRef,
  verify: { commands: ['account-verification'] },
  '3ds': { commands: ['upload-3ds'] },
  retry: { commands: ['status', 'resolve'], remark: 'neither sends the payment again' },
  settle: { commands: ['capture', 'resolve'] },
  reconcile: { commands: ['batch reconcile'] },
  list: orders,
  search: orders,
  find: orders,
  payments: orders,
  history: { commands: ['journal'] },
  log: logs,
  logs,
  outcomes: { commands: ['sandbox outcomes'] },
  listen: { commands: ['callback listen'] },
  bundle: { commands: ['support'] },
  audit: { commands: ['sandbox log --findings'] },
  'sandbox audit': { commands: ['sandbox log --findings'] },
  'sandbox clock advance': { commands: ['sandbox clock +7d'] },
  'sandbox clock set': { commands: ['sandbox clock TIME'] },
  'sandbox callbacks list': { commands: ['sandbox callbacks'] },
  'sandbox callbacks script': { commands: ['sandbox callbacks --script NAME'] },
  'sandbox merchant add': { commands: ['sandbox merchant LOGIN'] },
  'form fill': { commands: ['sandbox pay URL'] },
  '3ds run': { commands: ['sandbox pay ORDER'] },
  'rotate-key': setKey,
  'set-key': setKey,
  rotate: setKey,
  setup: init,
  configure: init,
  login: init,
  'keys rotate': setKey,
  'profile rotate': setKey,
  'profile rotate-key': setKey,
  'profile add': init,
  'profile create': init,
  'profile edit': { commands: ['profile set'] },
  'profile delete': { commands: ['profile remove'] },
  'callback show': { commands: ['callback list'] },
  'callback replay': { commands: ['callback send --stored'] },
  'batch resume': { commands: ['batch run'] },
  'batch continue': { commands: ['batch run --continue'] },
  'batch work': { commands: ['batch run'] },
  'batch archive': { commands: ['batch show'], remark: 'nothing is left to do about a finished plan' },
  'batch list': { commands: ['batch show'] },
  'batch report': { commands: ['batch show --out'] },
  'batch status': { commands: ['batch show'] },
  'batch send': { commands: ['batch run'] },
  'batch start': { commands: ['batch run'] },
  'batch upload': { commands: ['batch plan'] },
  'batch create': { commands: ['batch plan'] },
  'batch stop': { commands: ['batch pause'] },
  'batch withdraw': { commands: ['batch cancel'] },
  'recurring create': { commands: ['recurring'] },
  'pan-eligibility send': { commands: ['pan-eligibility'] },
};

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
export function synonymsOf(path: string): string[] {
  const start = path === '' ? '' : `${path} `;
  return Object.keys(synonyms).flatMap((key) => {
    const word = key.startsWith(start) ? key.slice(start.length) : '';
    return word === '' || word.includes(' ') ? [] : [word];
  });
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

/** The operation of this name. Throws USAGE naming the nearest one; `command` is the one whose help the error names. */
export function findOperation(name: string, command: string): (typeof operations)[number] {
  const row = operations.find((candidate) => candidate === operationNamed(name));
  if (row !== undefined) return row;
  throw fail('USAGE', {
    why: `there is no operation ${nameableWord(name) ?? 'of that name'}${suggestOperation(name)}`,
    command,
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
  if (Object.hasOwn(synonyms, key)) return synonyms[key];
  const words = key.split(' ');
  if (words[0] !== 'sign') return undefined;
  const operation = words.slice(1).join(' ');
  const found = Object.hasOwn(synonyms, operation) ? synonyms[operation] : undefined;
  const commands = found?.commands.filter((command) => operationNamed(command) !== undefined) ?? [];
  return commands.length === 0 ? undefined : { ...found, commands: commands.map((command) => `sign ${command}`) };
}
