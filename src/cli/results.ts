/** The result of a command, which `--fields` chooses from: each field with its meaning. */
export interface Result {
  /** The name of its schema: `journal` is `paycli.journal/1`. */
  readonly schema: string;
  /** Fields of the document; of a list, those beside it. */
  readonly fields: Readonly<Record<string, string>>;
  /** The name of its list, and the fields of an entry. */
  readonly list?: string;
  readonly entry?: Readonly<Record<string, string>>;
}

/** A document that has no other fields than those of the result. */
export type DocumentOf<R extends Result> = R extends Result
  ? { readonly [Name in keyof R['fields'] | Extract<R['list'], string>]?: unknown }
  : never;

/** An entry of its list, in the same way. */
export type EntryOf<R extends Result> = { readonly [Name in keyof NonNullable<R['entry']>]?: unknown };

// Every field of the results of declared commands, with what it means; a part of one follows it by its path. A document
// with another field does not compile.

const name = 'name of the profile';
const kind = 'class of the profile: sandbox, test or live';
const baseUrl = 'base address of the gateway';

const schema = 'name and version of this format';
const ok = 'true if the command ends with exit code 0';
const exit = 'the exit code';

const orderParts = {
  'order.orderId': 'gateway order id',
  'order.clientOrderId': 'client order id (idempotency key)',
} as const;

const amountParts = {
  'amount.minor': 'in minor units (cents), as a string',
  'amount.digits': 'decimal digits of the currency',
  'amount.currency': 'ISO 4217 code',
  'amount.text': 'in major units, such as 10.42',
} as const;

/** Of an operation. Fields of the gateway's reply are in `result`, and may be named without that prefix. */
export const replyResult = {
  schema: '',
  fields: {
    schema,
    ok: `${ok}; false, however, if status shows a declined order`,
    operation: 'id of the operation',
    profile: name,
    order: 'the ids of the order',
    ...orderParts,
    amount: 'the amount, as sent',
    ...amountParts,
    meaning: 'the outcome in words',
    waiting: 'whom or what the order is waiting for',
    next: 'what to do next',
    exit,
    sent: 'false where nothing was sent, as the request had been sent before',
    httpStatus: 'HTTP status of the reply',
    wokenBy: 'the callback that ended the wait',
    matched: 'requests whose outcome was concluded from amounts',
    result: "fields of the gateway's reply, by their own names",
  },
} as const satisfies Result;

const journalEntry = {
  entry: 'number of the entry in the journal',
  operation: 'id of the operation',
  state: 'state of the request in the journal',
  order: 'the ids of the order',
  ...orderParts,
  profile: name,
  class: kind,
  login: 'merchant login',
  endpointId: 'endpoint, or endpoint group',
  gateway: 'base address of the gateway, or which sandbox',
  batch: 'the batch that it is a row of',
  row: 'its row in the batch',
  attempts: 'how often it was sent',
  amount: 'the amount',
  ...amountParts,
  card: 'the card, masked',
  'card.lastFour': 'last four digits of the card',
  reason: 'the reason in words',
  elsewhere: 'true if the gateway has this payment, made by another machine',
  waiting: 'whom or what the order is waiting for, and since when',
  result: "fields of the gateway's reply, by their own names",
  madeAt: 'when it was recorded',
  changedAt: 'when its state last changed',
};

/** The fields of every request in the journal. */
export type EntryDocument = Readonly<Record<Whole<keyof typeof journalEntry>, unknown>>;

/** Without the names of parts. */
type Whole<Name> = Name extends `${string}.${string}` ? never : Name;

export const journalResult = {
  schema: 'journal',
  fields: {
    schema,
    ok,
    total: 'how many entries there are',
    accepted: 'what the journal has lost, where it was accepted as restored',
    asked: 'orders that the gateway was asked about',
    unasked: 'orders that could not be asked about',
  },
  list: 'entries',
  entry: {
    ...journalEntry,
    events: 'everything that happened to it',
  },
} as const satisfies Result;

export type JournalDocument = DocumentOf<typeof journalResult>;

export const resolveResult = {
  schema: 'resolve',
  fields: {
    schema,
    settled: 'true if the outcome of each is known',
  },
  list: 'entries',
  entry: {
    ...journalEntry,
    doubt: 'why the gateway did not tell its outcome',
  },
} as const satisfies Result;

export type ResolveDocument = DocumentOf<typeof resolveResult>;

export const resendResult = {
  schema: 'resend',
  fields: {
    schema,
    until: 'until when it may be sent once more (UTC)',
    entry: 'the request in the journal',
  },
} as const satisfies Result;

const callbackFields = {
  id: 'its number',
  at: 'when it was received (UTC)',
  verified: 'fits, wrong or no-key: what its checksum says',
  why: 'the same in words',
  order: 'the ids it names',
  status: 'the status it names',
  type: 'its transaction type',
  amount: 'the amount it names',
  currency: 'its currency',
  profile: name,
  class: kind,
  readable: 'true if its key is on this machine',
  method: 'HTTP method',
  contentType: 'Content-Type of the request',
  bytes: 'size in bytes',
  repeats: 'how often it was repeated',
  lastAt: 'when it was last received (UTC)',
  repeatOf: 'id of an earlier callback with the same ids and different content',
  fields: 'its fields, secrets masked',
  asked: 'what the status query after it showed',
  conflicts: 'where it contradicts the journal',
  forwards: 'where it was forwarded, with the answers',
};

export const callbacksResult = {
  schema: 'callback-list',
  fields: { schema },
  list: 'callbacks',
  entry: { ...callbackFields, ...orderParts },
} as const satisfies Result;

export const callbackResult = { schema: 'callback', fields: { schema, ...callbackFields } } as const satisfies Result;

export const callbackSendResult = {
  schema: 'callback-send',
  fields: { schema, ok, forwarded: 'where it was forwarded, with the answer', exit },
} as const satisfies Result;

export const callbackVerifyResult = {
  schema: 'callback-verify',
  fields: {
    schema,
    ok,
    verified: 'fits, wrong or no-key: what its checksum says',
    why: 'the same in words',
    note: 'of which other order the journal has the id',
    exit,
    fields: 'its fields, secrets masked',
    mistakes: 'how its checksum was made instead, where that was found',
  },
} as const satisfies Result;

const orderIds = {
  orderId: 'gateway order id',
  clientOrderId: 'client order id (idempotency key)',
} as const;

export const orderResult = {
  schema: 'order',
  fields: {
    schema,
    ...orderIds,
    profile: name,
    class: kind,
    gateway: baseUrl,
    status: 'status of its newest transaction, as the gateway names it; null where the gateway did not tell',
    meaning: 'the status in words',
    transaction: 'type of the newest transaction, as the gateway names it',
    stage: 'order stage, as the gateway names it',
    amount: 'amount of the newest transaction, in the reply of the gateway',
    initialAmount: 'amount of the order, in the reply of the gateway',
    totalReturned: 'all that was returned or released, in the reply of the gateway',
    currency: 'ISO 4217 code of the currency',
    card: 'the card, masked',
    'card.brand': 'card brand',
    'card.lastFour': 'last four digits of the card',
    waiting: 'whom or what the order is waiting for, and since when',
    notAsked: 'why the gateway did not tell the status; null where it did',
    next: 'what to do next',
    requests: 'what was sent on it from here, oldest first, by the journal',
  },
} as const satisfies Result;

export type OrderDocument = DocumentOf<typeof orderResult>;

export const canResult = {
  schema: 'can',
  fields: {
    schema,
    ...orderIds,
    operation: 'the operation',
    legal: 'true if the order allows it, as far as its status tells',
    reason: 'why it is not allowed',
    command: 'the command that does it',
  },
} as const satisfies Result;

export type CanDocument = DocumentOf<typeof canResult>;

export const timelineResult = {
  schema: 'timeline',
  fields: {
    schema,
    order: 'the ids of the order',
    about: 'what it is about',
    waiting: 'whom or what the order is waiting for, and since when',
    profile: name,
    gateway: baseUrl,
  },
  list: 'events',
  entry: {
    at: 'when (UTC)',
    source: 'who recorded it: paycli or callbacks',
    kind: 'kind of event',
    title: 'in one line',
  },
} as const satisfies Result;

export type TimelineDocument = DocumentOf<typeof timelineResult>;

export const ordersResult = {
  schema: 'orders',
  fields: {
    schema,
    total: 'how many there are, without --limit',
    statuses: 'how many of them have each status',
  },
  list: 'orders',
  entry: {
    ...orderIds,
    operation: 'the operation that created the order; null for one that was made elsewhere',
    status: 'status in words',
    gatewayStatus: 'the last word of the gateway',
    errorCode: 'error code of the gateway',
    state: 'state in the journal of the request that made it',
    amount: 'the amount of that request',
    currency: 'ISO 4217 code of the currency',
    card: 'last four digits of the card',
    reason: 'the reason in words',
    followUps: 'later requests on it that were sent from here, oldest first',
    profile: name,
    gateway: baseUrl,
    endpointId: 'endpoint, or endpoint group',
    madeAt: 'when it was recorded',
  },
} as const satisfies Result;

export type OrdersDocument = DocumentOf<typeof ordersResult>;

export const batchApprovalResult = {
  schema: 'batch-approval',
  fields: {
    schema,
    plan: 'id of the plan',
    digest: 'SHA-256 that the approval names',
    by: 'who approved it',
    at: 'when (UTC)',
    until: 'until when it is valid (UTC)',
  },
} as const satisfies Result;
