import type { Basis, SwitchName } from './assumptions.js';
import { type Condition, dictionary, type Exception, type Field, type FieldName } from './fields.js';

/** Where a rule comes from, and when it holds. */
interface RuleGround<Key extends string> {
  readonly basis: Basis;
  /** It holds only while a switch has this value. */
  readonly when?: Condition;
  /** It does not hold for a request with all of these: one the interface itself shows. */
  readonly unlessAll?: readonly Key[];
}

/**
 * Rules between fields. An empty value counts as absent. In `exactlyOne` a group is named by its members; a member is a
 * field, or `field=value` for one value of it. One group must be complete and no member of another may be present.
 * `onlyWith` is met by any one of the others, `needs` by all of them. `notAfter` compares two dates as days and two
 * amounts as numbers.
 */
export type Rule<Key extends string = string> = RuleForm<Key> & RuleGround<Key>;

export type RuleForm<Key extends string = string> =
  | { readonly rule: 'together'; readonly fields: readonly Key[] }
  | { readonly rule: 'atLeastOne'; readonly fields: readonly Key[] }
  | { readonly rule: 'exactlyOne'; readonly groups: readonly (readonly (Key | `${Key}=${string}`)[])[] }
  | { readonly rule: 'onlyWith'; readonly field: Key; readonly others: readonly Key[] }
  | { readonly rule: 'needs'; readonly field: Key; readonly others: readonly Key[] }
  | {
      readonly rule: 'requiredWhen';
      readonly field: Key;
      readonly values: readonly string[];
      readonly fields: readonly Key[];
    }
  | { readonly rule: 'notAfter'; readonly field: Key; readonly other: Key }
  | { readonly rule: 'forbidden'; readonly fields: readonly Key[]; readonly why: string };

export const together = <const K extends string>(...fields: K[]) => ({ rule: 'together', fields }) as const;
export const atLeastOne = <const K extends string>(...fields: K[]) => ({ rule: 'atLeastOne', fields }) as const;
export const exactlyOne = <const K extends string>(...groups: K[][]) => ({ rule: 'exactlyOne', groups }) as const;
export const onlyWith = <const K extends string>(field: K, ...others: K[]) =>
  ({ rule: 'onlyWith', field, others }) as const;
export const needs = <const K extends string>(field: K, ...others: K[]) => ({ rule: 'needs', field, others }) as const;
export const requiredWhen = <const K extends string>(field: K, values: readonly string[], fields: readonly K[]) =>
  ({ rule: 'requiredWhen', field, values, fields }) as const;
export const notAfter = <const K extends string>(field: K, other: K) => ({ rule: 'notAfter', field, other }) as const;
export const forbidden = <const K extends string>(fields: readonly K[], why: string) =>
  ({ rule: 'forbidden', fields, why }) as const;

/** Countries whose addresses need a state. */
export const stateRule = requiredWhen('country', ['US', 'CA', 'AU'], ['state']);

/** What a checksum may contain: each field of the row, the merchant login, or the endpoint id of the path. */
export type SignedValue<Key extends string = string> = Key | 'login' | 'endpointId';

export type PlainProtection<Key extends string = string> =
  | { readonly scheme: 'control'; readonly values: readonly SignedValue<Key>[] }
  | { readonly scheme: 'hmac-sha1' }
  | { readonly scheme: 'rsa-sha256' }
  | { readonly scheme: 'none' };

export type Protection<Key extends string = string> =
  | PlainProtection<Key>
  | {
      readonly scheme: 'switched';
      readonly by: SwitchName;
      readonly values: Readonly<Record<string, PlainProtection<Key>>>;
    };

export const control = <const K extends string>(...values: K[]) => ({ scheme: 'control', values }) as const;
export const hmac = { scheme: 'hmac-sha1' } as const;
export const rsa = { scheme: 'rsa-sha256' } as const;
export const unsigned = { scheme: 'none' } as const;
export const switched = <const V extends Record<string, PlainProtection>>(by: SwitchName, values: V) =>
  ({ scheme: 'switched', by, values }) as const;

export type ReplyRecord =
  | 'AsyncResponse'
  | 'AsyncCheckoutFormRedirect'
  | 'CardRefAsyncResponse'
  | 'CardRefV4AsyncResponse'
  | 'CardInfoAsyncResponse'
  | 'StatusResponse'
  | 'CreateRecurringPaymentResponse';

/** One operation of the interface. Facts only: how it is presented lives with the commands. */
export interface Operation {
  readonly id: string;
  /** Words of the subcommand, such as `card-ref create`. */
  readonly command: string;
  readonly aliases?: readonly string[];
  /** Path after the base address, without the endpoint id that follows it. */
  readonly path: `/api/${string}`;
  readonly brief: string;
  /**
   * Command lines without the word `paycli`, on the built-in sandbox. $ORDER and $ID are the order id and client
   * order id of an earlier order, $CARD for a card reference, $TDS for a 3-D Secure transaction id, $CRES and $PARES
   * for results. A test runs each of them.
   */
  readonly examples: readonly string[];
  /** In the order they are sent. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly rules: readonly Rule[];
  readonly protection: Protection;
  /** `request` is null where the interface names no record. */
  readonly records: { readonly request: string | null; readonly reply: ReplyRecord };
  /** `read` may be repeated; `write` and `money` never. */
  readonly effect: 'read' | 'write' | 'money';
  /** Fields that say who is paid, for an operation that sends money away. */
  readonly destination?: readonly string[];
  /** What it does with money, in the words of the field; it moves none where this is left out. */
  readonly moves?:
    | 'charges'
    | 'holds'
    | 'charges or holds'
    | 'captures'
    | 'releases'
    | 'returns'
    | 'pays out'
    | 'transfers';
  /** Ids of the operations whose orders it follows on, for a request that changes an order. */
  readonly follows?: readonly string[];
  /** The step of 3-D Secure whose result it uploads. */
  readonly answers?: 'method' | 'challenge' | 'pareq';
  /** True when it creates an order; false for a follow-up on one, or a read. */
  readonly opens: boolean;
  /**
   * How a status answer names it; undefined where status does not show its outcome: only other evidence resolves it.
   */
  readonly namedByStatus: StatusName | undefined;
  /** What it moves when it names no amount: the whole amount of its order, nothing, or an unknown amount. */
  readonly withoutAmount: 'whole order' | 'nothing' | 'unknown';
  /** True where `batch plan` accepts a file of it. */
  readonly inBatches: boolean;
  readonly basis: Basis;
}

/**
 * True for a recurring payment, which only registers a card: each charge is an order of its own, made by the gateway or
 * a later call, and status shows none of it.
 */
export function isRegistration({ records }: Pick<Operation, 'records'>): boolean {
  return records.reply === 'CreateRecurringPaymentResponse';
}

/** How a status answer names a transaction (A17). */
export interface StatusName {
  /** Words of transaction-type. */
  readonly types: readonly string[];
  /** What order-stage must begin with, and must not, where the type is shared. */
  readonly stage?: string;
  readonly notStage?: string;
}

/** An operation whose ids and field names are literal types. */
export interface OperationOf<Id extends string, Key extends string, Followed extends string> extends Operation {
  readonly id: Id;
  readonly follows?: readonly Followed[];
  readonly fields: Readonly<Record<Key, Field>>;
}

/** Columns of an operation that follow from others of its row, or need not be said in it. */
type Derived = 'opens' | 'withoutAmount';
type Defaults = 'namedByStatus' | 'inBatches' | 'basis';

/**
 * A row of the table: its fields by their names in the dictionary, in the order they are sent. A checksum, a rule or a
 * destination that names a field the row lacks does not compile.
 */
interface Row<Id extends string, Key extends FieldName, Excepted extends FieldName, Followed extends string>
  extends Omit<Operation, Derived | Defaults | 'rules' | 'fields' | 'destination' | 'protection'>,
    Partial<Pick<Operation, Defaults>> {
  readonly id: Id;
  readonly follows?: readonly Followed[];
  readonly fields: Readonly<Record<Key, Field['need']>>;
  /** What differs from the dictionary. */
  readonly except?: Readonly<Record<Excepted, Exception>> & Readonly<Record<Exclude<Excepted, NoInfer<Key>>, never>>;
  /** What the names of its fields rest on, where that is not what the operation itself rests on. */
  readonly fieldBasis?: Basis;
  /** A rule without a basis rests on what the operation rests on, and in one that is stated on what its fields do. */
  readonly rules?: readonly (RuleForm<NoInfer<Key>> & Partial<RuleGround<NoInfer<Key>>>)[];
  readonly destination?: readonly NoInfer<Key>[];
  readonly protection: Protection<NoInfer<Key>>;
}

/** The operation that a row of the table describes. */
export function defineOperation<
  const Id extends string,
  Key extends FieldName,
  Excepted extends FieldName = never,
  const Followed extends string = never,
>(row: Row<Id, Key, Excepted, Followed>): OperationOf<Id, Key, Followed> {
  const { except = {}, basis = 'stated', fieldBasis = basis, ...columns } = row;
  const ruleBasis = basis === 'stated' ? fieldBasis : basis;
  const exceptions: Readonly<Partial<Record<string, Exception>>> = except;
  const fieldOf = ([key, need]: [Key, Field['need']]): [Key, Field] => {
    const field = { basis: fieldBasis, ...dictionary[key], ...exceptions[key] };
    const isAssumed = need === 'required' && basis !== 'stated' && field.basis !== basis;
    return [key, { ...field, need, ...(isAssumed && { needBasis: basis }) }];
  };
  const entries = Object.entries(row.fields) as [Key, Field['need']][];
  const { moves, follows, effect } = row;
  const movesWhole = follows !== undefined && moves !== undefined && moves !== 'releases';
  return {
    opens: follows === undefined && effect !== 'read',
    withoutAmount: movesWhole ? 'whole order' : 'nothing',
    ...{ namedByStatus: undefined, inBatches: false, basis },
    ...columns,
    fields: Object.fromEntries(entries.map(fieldOf)) as Record<Key, Field>,
    rules: (row.rules ?? []).map((rule) => ({ basis: ruleBasis, ...rule })),
  };
}
