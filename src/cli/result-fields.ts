import { fail, suggest } from '../errors/index.js';
import { knownReplyNames } from '../spec/reply-names.js';
import { namesIn } from './present/pick.js';
import type { Document } from './present/shown.js';

const envelope: readonly string[] = ['schema', 'ok', 'operation', 'profile', 'order', 'order.orderId', 'order.clientOrderId'];
const rest: readonly string[] = ['amount', 'amount.minor', 'amount.digits', 'amount.currency', 'amount.text', 'meaning', 'next', 'exit'];
const result: readonly string[] = [...envelope, ...rest, 'httpStatus', 'wokenBy', 'result'];

/**
 * Refuses a name in --json=… or --select that no reply has, before anything is sent: afterwards the exit code belongs to the payment.
 * What a gateway sends beyond the names known is chosen as `result.NAME`. Throws USAGE.
 */
export function checkChosenOfReply(select: string | undefined, command: string): void {
  const isKnown = (name: string) =>
    result.includes(name) || name.startsWith('result.') || knownReplyNames.includes(name.split('.')[0] ?? '');
  const strange = namesIn(select)?.find((name) => !isKnown(name));
  if (strange === undefined) return;
  const all = [...result, ...knownReplyNames];
  const other = 'a field of the reply that is not among them is result.NAME';
  throw unknownName(strange, all, `${other}; there are: ${result.join(', ')}; and of the reply: ${knownReplyNames.join(', ')}`, command);
}

const entry =
  'entry operation state order profile class login endpointId gateway sequence attempts amount card reason result madeAt changedAt waiting';
const plan = 'plan digest operation profile class login gateway count totals file cards madeAt planner version engine states';
const stored =
  'id at verified why order status type amount currency profile class method contentType bytes repeats lastAt repeatOf fields asked';
const assumed = 'id switch default others acts source about value origin dependents';
const inspected = 'schema file half kind form encoding algorithm bits curve fingerprint encryption passphraseNeeded fits why';

/**
 * Every field there may be in an entry of a list, or in a document that is none, by its schema: an empty list has no entry that
 * would tell. What a command did or found out at the gateway is not here, since its exit code must say how that ended.
 */
const fieldsOf: Readonly<Record<string, string>> = {
  journal: `${entry} sender moves`,
  resolve: `${entry} sender`,
  resend: 'schema until entry',
  'journal-check': 'schema ok lines flaws accepted',
  batches: `${plan} newest`,
  batch: `schema ${plan} events`,
  'batch-summary': 'schema plan digest operation profile class login gateway planner madeAt file planned ends approvals versions at files',
  'callback-list': `${stored} conflicts forwards`,
  callback: `schema ${stored} conflicts forwards`,
  flow: 'operation legal reason command',
  can: 'schema orderId clientOrderId operation legal reason command',
  doctor: 'check result text next',
  timeline: 'at gapMs source kind title detail',
  profiles: 'name class file isDefault',
  profile: 'schema profile class builtin values keys',
  explain: 'key value origin hidden',
  whoami: 'schema chosenBy profile class builtin baseUrl login endpointId keys endpoints liveGuard',
  leases: 'lease profile login gateway operations max left uses from until',
  sandbox: 'login controlKey publicKeyPem endpoints',
  log: 'schema id login orderId kind title detail at machineAt fields',
  audit: 'rule title fix detail count orders firstAt lastAt request',
  clock: 'schema now machine next happened',
  outcomes: 'schema testCards testNumbers cvv paresAmounts amountEndings holderWord queueable',
  snapshots: 'value',
  callbacks: 'id orderId clientOrderId status url script state madeAt dueAt attempts',
  assumptions: assumed,
  assumption: `schema profile ${assumed}`,
  recipe: 'schema interface id command path records effect opens basis protection fields rules',
  version: 'schema paycli interface node',
  commands:
    'command aliases takesOperation isGroup heading summary description usage arguments flags effect network exits note examples operation path',
  key: `${inspected} findings blocks next`,
};

/** The fields of a schema such as `journal`; undefined where they are not known beforehand. */
export function knownFields(schema: string): readonly string[] | undefined {
  return fieldsOf[schema]?.split(' ');
}

/** Refuses a name that no result of this schema has, before the command does anything. Throws USAGE. */
export function checkChosenOf(schema: string, select: string | undefined, command: string): void {
  checkNames(namesIn(select) ?? [], knownFields(schema) ?? [], command);
}

/**
 * The same for what a command has found out already. Throws USAGE. A result that has no list of its fields here may tell of something
 * done, even show a key that is shown once: then gives what is to be remarked on, and all of it is to be shown.
 */
export function checkChosen({ schema }: Document, names: readonly string[], entries: readonly Document[]): string | undefined {
  const known = knownFields(/^paycli\.(.+)\/1$/.exec(String(schema))?.[1] ?? '');
  const there = [...new Set(entries.flatMap((each) => Object.keys(each)))];
  if (known !== undefined) checkNames(names, [...new Set([...known, ...there])], '');
  const strange =
    known === undefined && schema !== 'paycli/1' ? names.find((name) => !there.includes(name.split('.')[0] ?? '')) : undefined;
  return strange === undefined ? undefined : `this result has no field ${shownName(strange)}; there are: ${there.join(', ')}`;
}

function checkNames(names: readonly string[], keys: readonly string[], command: string): void {
  const isKnown = (name: string) => keys.includes(name.split('.')[0] ?? '') || (keys.includes('result') && knownReplyNames.includes(name));
  const strange = names.find((name) => !isKnown(name));
  if (strange !== undefined) throw unknownName(strange, keys, `there are: ${keys.join(', ')}`, command);
}

function unknownName(name: string, names: readonly string[], there: string, command: string): Error {
  return fail('USAGE', { why: `--json and --select: there is no field ${shownName(name)}${suggest(name, names)}; ${there}`, command });
}

function shownName(name: string): string {
  return /\d{6}/.test(name) ? 'that name' : name.slice(0, 40);
}
