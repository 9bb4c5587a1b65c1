/** The result of a command, which `--fields` chooses from: each field with its meaning. */
export interface Result {
  /** The name of its schema: `journal` is `paycli.journal/1`. */
  readonly schema: string;
  /** Fields of the document; of a list, those beside it. A part of one follows it by its path. */
  readonly fields: Readonly<Record<string, string>>;
  /** The name of its list, and the fields of an entry. */
  readonly list?: string;
  readonly entry?: Readonly<Record<string, string>>;
}

const entry =
  'entry operation state order order.orderId order.clientOrderId profile class login endpointId gateway batch row attempts amount amount.minor amount.digits amount.currency amount.text card card.lastFour reason elsewhere waiting result madeAt changedAt';
const callback =
  'id at verified why order status type amount currency profile class readable repeats lastAt fields asked conflicts forwards';
const plan = 'plan digest operation profile class login gateway count totals file cards madeAt planner version';
const assumption = 'id switch about value origin default others acts source dependents';

interface Row {
  readonly fields: string;
  readonly list?: string;
  readonly entry?: string;
  /** What names mean here that mean something else in other results. */
  readonly means?: Readonly<Record<string, string>>;
}

/** What commands print, by schema: every field there may be. A document with another one does not compile. */
const rows = {
  // Of an operation. Fields of the gateway's reply are in `result`, and may be named without that prefix.
  reply: {
    fields:
      'schema ok operation profile order order.orderId order.clientOrderId amount amount.minor amount.digits amount.currency amount.text meaning waiting next exit sent httpStatus wokenBy matched result',
    means: {
      ok: 'true if the command ends with exit code 0; false, however, if status shows a declined order',
      amount: 'the amount, as sent',
    },
  },
  journal: {
    fields: 'schema ok total accepted asked unasked',
    list: 'entries',
    entry: `${entry} events`,
    means: { asked: 'orders that the gateway was asked about' },
  },
  resolve: {
    fields: 'schema settled',
    list: 'entries',
    entry: `${entry} doubt`,
    means: { settled: 'true if the outcome of each is known' },
  },
  resend: { fields: 'schema until entry' },
  orders: {
    fields: 'schema total statuses',
    list: 'orders',
    entry:
      'orderId clientOrderId operation status gatewayStatus errorCode state amount currency card reason followUps profile gateway endpointId madeAt',
    means: {
      operation: 'the operation that created the order; null for one that was made elsewhere',
      status: 'status in words',
      state: 'state in the journal of the request that made it',
      amount: 'the amount of that request',
      card: 'last four digits of the card',
    },
  },
  order: {
    fields:
      'schema orderId clientOrderId profile class gateway status meaning transaction stage amount initialAmount totalReturned currency card card.brand card.lastFour waiting notAsked next requests',
    means: {
      status: 'status of its newest transaction, as the gateway names it; null where the gateway did not tell',
      amount: 'amount of the newest transaction, in the reply of the gateway',
    },
  },
  can: {
    fields: 'schema orderId clientOrderId operation legal reason command',
    means: { operation: 'the operation', reason: 'why it is not allowed', command: 'the command that does it' },
  },
  timeline: {
    fields: 'schema order about waiting profile gateway',
    list: 'events',
    entry: 'at source title',
    means: { source: 'who recorded it: paycli or callbacks' },
  },
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
      'schema operation profile masked request request.method request.url request.headers request.fields request.bodyBytes values amount amount.body amount.minor signature signedBytes sha256 openssl',
  },
  recipe: { fields: 'schema interface id command path records effect opens basis protection fields rules' },
  diagnosis: { fields: 'schema match mistakes otherwise form reason parameters operation profile scheme recipe key' },
  code: { fields: 'schema operation profile language program' },
  'sign-doctor': {
    fields: 'schema ok url clientExit stoppedBy',
    list: 'requests',
    entry: 'number method path operation httpStatus ok result signature problems otherwise refused remedy more',
    means: { result: 'what the request is: correct, or not' },
  },
  key: {
    fields: 'schema file half kind form encoding algorithm bits curve fingerprint passphraseNeeded fits why next',
  },
  'key-check': { fields: 'schema pair verifies private public' },
  'key-file': { fields: 'schema file from form bits fingerprint' },
  'key-pair': {
    fields: 'schema privateKeyFile publicKeyFile form bits fingerprint publicKey profile supportText next',
  },
  sandbox: {
    fields: 'schema name file listening',
    list: 'merchants',
    entry: 'login controlKey publicKeyPem endpoints',
  },
  'sandbox-event': { fields: 'event url' },
  'sandbox-stopped': { fields: 'schema name stopped url' },
  merchant: { fields: 'schema login endpointId controlKey privateKeyPem' },
  outcomes: { fields: 'schema testCards testNumbers cvv paresAmounts amountEndings holderWord queueable' },
  'callback-scripts': { fields: 'schema scripts' },
  callbacks: {
    fields: 'schema listening',
    list: 'callbacks',
    entry: 'id orderId clientOrderId status url script state madeAt dueAt attempts',
  },
  clock: { fields: 'schema now machine next happened' },
  log: { fields: 'schema', list: 'events', entry: 'schema id login orderId kind title detail at machineAt fields' },
  audit: { fields: 'schema ok', list: 'findings', entry: 'rule title fix detail count orders firstAt lastAt request' },
  payer: { fields: 'schema orderId clientOrderId status verified3d returned to fields' },
  certify: {
    fields: 'schema ok verdict passed failed unjudged notRun seconds seed paycli at command',
    list: 'scenarios',
    entry: 'name tag title verdict reasons should why said runs movements polls fivePollsMs broken ms exchange',
  },
  'certify-list': { fields: 'schema', list: 'scenarios', entry: 'name tag title should why' },
  profiles: {
    fields: 'schema',
    list: 'profiles',
    entry: 'name class isDefault baseUrl login controlKeySince privateKeySince',
  },
  profile: {
    fields: 'schema chosenBy profile class builtin baseUrl login endpointId keys liveGuard values',
    means: { values: 'every value with where it comes from, and what it hides' },
  },
  'profile-set': { fields: 'schema profile file changed isDefault' },
  'profile-key': {
    fields: 'schema profile key fingerprint place oldPlace checked answer file isSameKey',
    means: { key: 'the key: control or private' },
  },
  'profile-removed': { fields: 'schema profile file removedKey wasDefault' },
  init: {
    fields:
      'schema ok profile class file isDefault baseUrl login endpointId endpoints maxAmount controlKey privateKey check next exit',
    means: { endpoints: 'other endpoints' },
  },
  doctor: {
    fields: 'schema ok profile',
    list: 'checks',
    entry: 'check result text next',
    means: { check: 'what was checked', result: 'pass, warn, fail or skip', text: 'what was found' },
  },
  assumptions: { fields: 'schema profile', list: 'assumptions', entry: assumption },
  assumption: { fields: `schema profile ${assumption}` },
  support: {
    fields: 'schema order order.orderId order.clientOrderId file bytes sent',
    list: 'files',
    entry: 'name bytes holds',
    means: { sent: 'always false: paycli does not send it anywhere' },
  },
  '3ds': {
    fields: 'schema kind base64 padding packing content fields wrong remarks',
    means: { wrong: 'what is wrong with it' },
  },
  version: { fields: 'schema paycli interface node' },
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

/** The results of these schemas. */
export function resultsNamed(...schemas: readonly Schema[]): readonly Result[] {
  return schemas.map((schema) => readRow(schema, rows[schema]));
}

/** The same by a name that may be none. */
export function resultNamed(schema: string): Result | undefined {
  const all: Readonly<Record<string, Row>> = rows;
  return all[schema] === undefined ? undefined : readRow(schema, all[schema]);
}

function readRow(schema: string, { fields, list, entry: names, means = {} }: Row): Result {
  const read = (text: string) =>
    Object.fromEntries(text.split(' ').map((name) => [name, means[name] ?? meanings[name] ?? '']));
  return { schema, fields: read(fields), ...(list === undefined ? {} : { list, entry: read(names ?? '') }) };
}

/** What a field means, by its name, where that does not say it all. */
const meanings: Readonly<Record<string, string>> = {
  paycli: 'its version',
  interface: 'version of the API',
  node: 'version of Node.js',
  schema: 'name and version of this format',
  ok: 'true if the command ends with exit code 0',
  exit: 'the exit code',
  next: 'what to do next',
  why: 'the reason in words',
  reason: 'the reason in words',
  profile: 'name of the profile',
  class: 'class of the profile: sandbox, test or live',
  login: 'merchant login',
  endpointId: 'endpoint, or endpoint group',
  baseUrl: 'base address of the gateway',
  gateway: 'base address of the gateway, or which sandbox',
  operation: 'id of the operation',
  order: 'the ids of the order',
  orderId: 'gateway order id',
  clientOrderId: 'client order id (idempotency key)',
  'order.orderId': 'gateway order id',
  'order.clientOrderId': 'client order id (idempotency key)',
  'amount.minor': 'in minor units (cents), as a string',
  'amount.digits': 'decimal digits of the currency',
  'amount.currency': 'ISO 4217 code',
  'amount.text': 'in major units, such as 10.42',
  currency: 'ISO 4217 code of the currency',
  card: 'the card, masked',
  'card.brand': 'card brand',
  'card.lastFour': 'last four digits of the card',
  meaning: 'the outcome in words',
  waiting: 'whom or what the order is waiting for, and since when',
  httpStatus: 'HTTP status of the reply',
  sent: 'false where nothing was sent, as the request had been sent before',
  wokenBy: 'the callback that ended the wait',
  matched: 'requests whose outcome was concluded from amounts',
  result: "fields of the gateway's reply, by their own names",
  entry: 'number of the entry in the journal',
  batch: 'the batch that it is a row of',
  row: 'its row in the batch',
  attempts: 'how often it was sent',
  elsewhere: 'true if the gateway has this payment, made by another machine',
  madeAt: 'when it was recorded (UTC)',
  changedAt: 'when its state last changed',
  events: 'everything that happened to it',
  total: 'how many there are',
  accepted: 'what the journal has lost, where it was accepted as restored',
  unasked: 'orders that could not be asked about',
  doubt: 'why the gateway did not tell its outcome',
  until: 'until when it is valid (UTC)',
  at: 'when (UTC)',
  type: 'its transaction type',
  title: 'in one line',
  bytes: 'size in bytes',
  verified: 'fits, wrong or no-key: what its checksum says',
  readable: 'true if its key is on this machine',
  repeats: 'how often it was repeated',
  lastAt: 'when it was last received (UTC)',
  asked: 'what the status query after it showed',
  conflicts: 'where it contradicts the journal',
  forwards: 'where it was forwarded, with the answers',
  forwarded: 'where it was forwarded, with the answer',
  mistakes: 'how its checksum was made instead, where that was found',
  transaction: 'type of the newest transaction, as the gateway names it',
  stage: 'order stage, as the gateway names it',
  initialAmount: 'amount of the order, in the reply of the gateway',
  totalReturned: 'all that was returned or released, in the reply of the gateway',
  notAsked: 'why the gateway did not tell the status; null where it did',
  requests: 'what was sent on it from here, oldest first, by the journal',
  legal: 'true if the order allows it, as far as its status tells',
  statuses: 'how many of them have each status',
  gatewayStatus: 'the last word of the gateway',
  errorCode: 'error code of the gateway',
  followUps: 'later requests on it that were sent from here, oldest first',
  plan: 'id of the plan',
  digest: 'SHA-256 that an approval names',
  by: 'who approved it',
  totals: 'sum of the rows by currency',
  planned: 'how many rows the plan has',
  withoutAmount: 'rows without an amount',
  run: 'the command that sends its rows',
  isDefault: 'true for the default profile',
  controlKeySince: 'since when it has this key',
  privateKeySince: 'since when it has this key',
  chosenBy: 'what chose the profile',
  builtin: 'true for the built-in sandbox',
  keys: 'its keys, by fingerprint, and why one cannot be used',
  liveGuard: 'what a payment from a live profile needs',
  changed: 'the settings that were changed',
  fingerprint: 'fingerprint of the key',
  place: 'where it is stored',
  oldPlace: 'where the old key still is',
  checked: 'true if the gateway accepted it',
  answer: 'what the gateway answered to the check',
  isSameKey: 'whether the profile had this very key before',
  removedKey: 'where the removed key was',
  wasDefault: 'true if it was the default profile',
  maxAmount: 'largest single payment',
  controlKey: 'where the control key is, and its fingerprint',
  privateKey: 'the RSA key, by fingerprint',
  check: 'what the gateway answered',
  switch: 'its name in a profile',
  others: 'the other values',
  acts: 'what it applies to: client, sandbox or both',
  source: 'what it is based on',
  dependents: 'commands that depend on it',
  holds: 'what the file contains',
  base64: 'which alphabet of Base64',
  packing: 'how it was compressed',
  content: 'json, xml or other',
  remarks: 'what is unusual',
  supportText: 'text to send to the gateway with the public key',
  masked: 'true if card data is masked in the stages',
  openssl: 'a command that computes the same',
  verdict: 'passed, failed, or why it was not judged',
  said: 'the outcome it reported',
  movements: 'money that moved at the gateway',
};
