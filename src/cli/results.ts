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

// Every field of the results of declared commands, with what it means. A document with another field does not compile.

const name = 'name of the profile';
const kind = 'class of the profile: sandbox, test or live';
const baseUrl = 'base address of the gateway';

export const journalResult = {
  schema: 'journal',
  fields: {
    schema: 'name and version of this format',
    ok: 'true if the command ends with exit code 0',
    total: 'how many entries there are',
    accepted: 'what the journal has lost, where it was accepted as restored',
    asked: 'orders that the gateway was asked about',
    unasked: 'orders that could not be asked about',
    lines: 'how many lines were verified',
    flaws: 'what is wrong with them',
  },
  list: 'entries',
  entry: {
    entry: 'number of the entry in the journal',
    operation: 'id of the operation',
    state: 'state of the request in the journal',
    order: 'the ids of the order',
    profile: name,
    class: kind,
    login: 'merchant login',
    endpointId: 'endpoint, or endpoint group',
    gateway: 'base address of the gateway, or which sandbox',
    sequence: 'which request on its order it is',
    attempts: 'how often it was sent',
    amount: 'the amount',
    wholeAmount: 'the amount of a request for all that was left',
    card: 'the card, masked',
    reason: 'the reason in words',
    waiting: 'whom or what the order is waiting for, and since when',
    result: "fields of the gateway's reply, by their own names",
    madeAt: 'when it was recorded',
    changedAt: 'when its state last changed',
    sender: 'the process that sent it',
    moves: 'every change of its state',
  },
} as const satisfies Result;

export type JournalDocument = DocumentOf<typeof journalResult>;

const keysSince = 'since when it has this key';

export const profilesResult = {
  schema: 'profiles',
  fields: { schema: 'name and version of this format' },
  list: 'profiles',
  entry: {
    name,
    class: kind,
    isDefault: 'true for the default profile',
    baseUrl,
    login: 'merchant login',
    controlKeySince: keysSince,
    privateKeySince: keysSince,
  },
} as const satisfies Result;

export const profileResult = {
  schema: 'profile',
  fields: {
    schema: 'name and version of this format',
    chosenBy: 'what chose the profile',
    profile: name,
    class: kind,
    builtin: 'true for the built-in sandbox',
    baseUrl,
    login: 'merchant login',
    endpointId: 'endpoint, or endpoint group',
    keys: 'its keys, by fingerprint, and why one cannot be used',
    liveGuard: 'what a payment from a live profile needs',
    values: 'every value with where it comes from, and what it hides',
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

const schema = 'name and version of this format';
const ok = 'true if the command ends with exit code 0';
const exit = 'the exit code';

export const callbacksResult = {
  schema: 'callback-list',
  fields: { schema },
  list: 'callbacks',
  entry: callbackFields,
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

/** The results of declared commands, by their schema. */
export const declaredResults: Readonly<Record<string, Result>> = {
  journal: journalResult,
  profiles: profilesResult,
  profile: profileResult,
  'callback-list': callbacksResult,
  callback: callbackResult,
  'callback-send': callbackSendResult,
  'callback-verify': callbackVerifyResult,
};
