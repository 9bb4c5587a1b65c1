import { fail, suggest } from '../errors/index.js';
import { knownReplyNames } from '../spec/index.js';
import { nameableWord } from '../wire/secret-names.js';
import { namesIn } from './format/document.js';

/** The names of the fields of a result, which `--fields` chooses from. */
export interface Result {
  /** Of the document; of a list, those beside it. A part of one follows it by its path. */
  readonly fields: readonly string[];
  /** The name of its list, and the names of an entry. */
  readonly list?: string | undefined;
  readonly entry?: readonly string[] | undefined;
}

const entry =
  'entry operation state order order.orderId order.clientOrderId profile class login endpointId gateway batch row attempts amount amount.minor amount.digits amount.currency amount.text card card.lastFour reason elsewhere waiting result madeAt changedAt';
const callback =
  'id at verified why order status type amount currency profile class readable repeats lastAt fields asked conflicts forwards';
const plan = 'plan digest operation profile class login gateway count totals file cards madeAt planner version';
const assumption = 'id switch about value origin default others acts source';

interface Row {
  readonly fields: string;
  readonly list?: string;
  readonly entry?: string;
}

/** What commands print, by schema: every field there may be. A document with another one does not compile. */
const rows = {
  // Of an operation. Fields of the gateway's reply are in `result`, and may be named without that prefix.
  reply: {
    fields:
      'schema ok operation profile order order.orderId order.clientOrderId amount amount.minor amount.digits amount.currency amount.text meaning waiting next exit sent httpStatus result',
  },
  journal: { fields: 'schema ok total accepted asked unasked', list: 'entries', entry: `${entry} events` },
  resolve: { fields: 'schema settled', list: 'entries', entry: `${entry} doubt` },
  resend: { fields: 'schema until entry' },
  orders: {
    fields: 'schema total statuses',
    list: 'orders',
    entry:
      'orderId clientOrderId operation status gatewayStatus errorCode state amount currency card reason followUps profile gateway endpointId madeAt',
  },
  order: {
    fields:
      'schema orderId clientOrderId profile class gateway status meaning transaction stage amount initialAmount totalReturned currency card card.brand card.lastFour waiting notAsked next requests',
  },
  can: { fields: 'schema orderId clientOrderId operation legal reason' },
  timeline: { fields: 'schema order profile gateway', list: 'events', entry: 'at source title' },
  'callback-list': { fields: 'schema', list: 'callbacks', entry: `${callback} order.orderId order.clientOrderId` },
  callback: { fields: `schema ${callback}` },
  'callback-send': { fields: 'schema ok forwarded exit' },
  'callback-verify': { fields: 'schema ok verified why exit fields mistakes' },
  'callback-listen': {
    fields:
      'schema event url forwards as answered settled forwarded reason id at verified why order status type amount currency profile class readable repeats lastAt fields asked conflicts new wrong contradictions forwardFailed notStored',
  },
  'batch-plan': { fields: `schema ${plan} withoutAmount largest repeated equal approvalNeeded run next` },
  batch: { fields: `schema ${plan} state reason states events` },
  batches: { fields: 'schema', list: 'batches', entry: `${plan} states state` },
  'batch-approval': { fields: 'schema plan digest by at until' },
  'batch-dry-run': { fields: 'schema plan signed totals' },
  'batch-event': { fields: 'schema plan event row state orderId clientOrderId reason ms why' },
  'batch-run': { fields: 'schema ok profile plan digest operation planned states stopped exit next' },
  'batch-summary': { fields: `schema ${plan} states approvals reportedBy at files` },
  reconciliation: {
    fields: 'schema file lines agrees totals',
    list: 'disagreements',
    entry: 'is why order statement journal',
  },
  sign: {
    fields:
      'schema operation profile masked request request.method request.url request.headers request.fields request.bodyBytes values amount amount.body amount.minor signature signedBytes openssl',
  },
  diagnosis: { fields: 'schema match mistakes form parameters operation profile scheme recipe key' },
  code: { fields: 'schema operation profile language program' },
  'sign-doctor': {
    fields: 'schema ok url clientExit stoppedBy',
    list: 'requests',
    entry: 'number method path operation httpStatus ok signature form mistakes refused',
  },
  key: {
    fields: 'schema file half kind form encoding algorithm bits curve fingerprint passphraseNeeded fits why next',
  },
  'key-check': { fields: 'schema pair verifies private public' },
  'key-file': { fields: 'schema file from form bits fingerprint' },
  'key-pair': { fields: 'schema privateKeyFile publicKeyFile form bits fingerprint publicKey next' },
  sandbox: {
    fields: 'schema name file listening',
    list: 'merchants',
    entry: 'login controlKey publicKeyPem endpoints',
  },
  'sandbox-event': { fields: 'event url' },
  'sandbox-stopped': { fields: 'schema name stopped url' },
  merchant: { fields: 'schema login endpointId controlKey privateKeyPem controlKeyFile privateKeyFile' },
  outcomes: { fields: 'schema testCards testNumbers cvv paresAmounts amountEndings queueable' },
  'callback-scripts': { fields: 'schema scripts' },
  callbacks: {
    fields: 'schema listening',
    list: 'callbacks',
    entry: 'id orderId clientOrderId status url script state madeAt dueAt attempts',
  },
  clock: { fields: 'schema now machine next happened' },
  log: { fields: 'schema', list: 'events', entry: 'schema id login orderId kind title detail at machineAt fields' },
  audit: { fields: 'schema ok', list: 'findings', entry: 'rule title fix detail count orders firstAt lastAt request' },
  payer: { fields: 'schema orderId clientOrderId status verified3d to fields' },
  certify: {
    fields: 'schema ok verdict passed failed unjudged notRun seconds paycli at command',
    list: 'scenarios',
    entry: 'name tag title verdict reasons should ms said movements errors',
  },
  'certify-list': { fields: 'schema', list: 'scenarios', entry: 'name tag title should' },
  profiles: { fields: 'schema', list: 'profiles', entry: 'name class isDefault baseUrl login' },
  profile: { fields: 'schema chosenBy profile class builtin baseUrl login endpointId keys values' },
  'profile-set': { fields: 'schema profile file changed isDefault' },
  'profile-key': { fields: 'schema profile key fingerprint place checked answer file' },
  'profile-removed': { fields: 'schema profile file removedKey wasDefault' },
  init: {
    fields: 'schema ok profile class file isDefault baseUrl login endpointId controlKey privateKey check next exit',
  },
  doctor: { fields: 'schema ok profile', list: 'checks', entry: 'check result text next' },
  assumptions: { fields: 'schema profile', list: 'assumptions', entry: assumption },
  assumption: { fields: `schema profile ${assumption}` },
  support: { fields: 'schema order order.orderId order.clientOrderId file sent' },
  '3ds': { fields: 'schema kind base64 packing content fields wrong' },
} as const satisfies Readonly<Record<string, Row>>;

/** The name of a kind of document, as in `paycli.journal/1`. */
export type Schema = keyof typeof rows;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type ListIn<R> = R extends { readonly list: infer List extends string } ? List : never;
type EntryIn<R> = R extends { readonly entry: infer Entry extends string } ? Words<Entry> : never;

/** A document that has no other fields than those of the result. */
export type DocumentOf<S extends Schema> = S extends Schema
  ? { readonly [Name in Words<(typeof rows)[S]['fields']> | ListIn<(typeof rows)[S]>]?: unknown }
  : never;

/** An entry of its list, in the same way. */
export type EntryOf<S extends Schema> = { readonly [Name in EntryIn<(typeof rows)[S]>]?: unknown };

/** The fields of every request in the journal, without the names of parts. */
export type EntryDocument = Readonly<Record<Whole<Words<typeof entry>>, unknown>>;

type Whole<Name> = Name extends `${string}.${string}` ? never : Name;

/** The result of a schema; undefined for a name that is none. */
export function resultNamed(schema: string): Result | undefined {
  const all: Readonly<Record<string, Row>> = rows;
  const row = all[schema];
  // Every document may have warnings.
  return row && { fields: [...row.fields.split(' '), 'warnings'], list: row.list, entry: row.entry?.split(' ') };
}

/** Every field that --fields takes of these results; those of a gateway's reply by their own names as well. */
export function fieldNames(schemas: readonly Schema[], isDryRun: boolean): readonly string[] {
  // With --dry-run an operation prints what it would sign.
  const shown: readonly Schema[] = isDryRun && schemas.includes('reply') ? ['sign'] : schemas;
  const names = shown.flatMap((schema) => {
    const { fields = [], list = [], entry = [] } = resultNamed(schema) ?? {};
    return [...entry, ...[list].flat(), ...fields];
  });
  return [...new Set([...names, ...(names.includes('result') ? knownReplyNames : [])])];
}

/**
 * Refuses an unknown field in --fields before the command does anything: afterwards the exit code must tell the
 * outcome. Unknown fields of a gateway reply are selected as `result.NAME`. Throws USAGE.
 */
export function checkNames(select: string | undefined, schemas: readonly Schema[], isDryRun: boolean): void {
  const known = fieldNames(schemas, isDryRun);
  const name = namesIn(select)?.find((each) => !isKnown(each, known));
  if (name === undefined) return;
  const shown = nameableWord(name) ?? 'of that name';
  const available = known.length === 0 ? 'this command prints none' : `available: ${known.join(', ')}`;
  throw fail('USAGE', {
    why: `--fields: there is no field ${shown}${suggest(name, known)}; ${available}`,
    name: shown,
  });
}

/** Also a part of one whose parts are not listed. */
function isKnown(name: string, known: readonly string[]): boolean {
  const [first = ''] = name.split('.');
  return known.includes(name) || (known.includes(first) && !known.some((each) => each.startsWith(`${first}.`)));
}
