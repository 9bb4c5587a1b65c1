import type { Basis, SwitchName } from './assumptions.js';
import { type Condition, dictionary, type Exception, type Field, type FieldName } from './fields.js';
import type { ReplyRecord } from './replies.js';

/** Where a rule comes from, and when it holds. */
interface RuleGround<Key extends string> {
  readonly basis: Basis;
  /** It holds only while a switch has this value. */
  readonly when?: Condition;
  /** It does not hold for a request with all of these: one the interface itself shows. */
  readonly unlessAll?: readonly Key[];
}

// Rules between fields. An empty value counts as absent.
export const together = <const K extends string>(...fields: readonly K[]) => ({ rule: 'together', fields }) as const;
export const atLeastOne = <const K extends string>(...fields: readonly K[]) =>
  ({ rule: 'atLeastOne', fields }) as const;
/**
 * A group is named by its members; a member is a field, or `field=value` for one value of it. One group must be complete
 * and no member of another may be present.
 */
export const exactlyOne = <const K extends string>(...groups: readonly (readonly K[])[]) =>
  ({ rule: 'exactlyOne', groups }) as const;
/** Met by any one of the others. */
export const onlyWith = <const K extends string>(field: K, ...others: readonly K[]) =>
  ({ rule: 'onlyWith', field, others }) as const;
/** Met by all of the others. */
export const needs = <const K extends string>(field: K, ...others: readonly K[]) =>
  ({ rule: 'needs', field, others }) as const;
export const requiredWhen = <const K extends string>(field: K, values: readonly string[], fields: readonly K[]) =>
  ({ rule: 'requiredWhen', field, values, fields }) as const;
/** Compares two dates as days and two amounts as numbers. */
export const notAfter = <const K extends string>(field: K, other: K) => ({ rule: 'notAfter', field, other }) as const;
export const forbidden = <const K extends string>(fields: readonly K[], why: string) =>
  ({ rule: 'forbidden', fields, why }) as const;

export type RuleForm<Key extends string = string> =
  | ReturnType<typeof together<Key>>
  | ReturnType<typeof atLeastOne<Key>>
  | ReturnType<typeof exactlyOne<Key | `${Key}=${string}`>>
  | ReturnType<typeof onlyWith<Key>>
  | ReturnType<typeof needs<Key>>
  | ReturnType<typeof requiredWhen<Key>>
  | ReturnType<typeof notAfter<Key>>
  | ReturnType<typeof forbidden<Key>>;

export type Rule<Key extends string = string> = RuleForm<Key> & RuleGround<Key>;

/** Countries whose addresses need a state. */
export const stateRule = requiredWhen('country', ['US', 'CA', 'AU'], ['state']);

export const control = <const K extends string>(...values: readonly K[]) => ({ scheme: 'control', values }) as const;
export const hmac = { scheme: 'hmac-sha1' } as const;
export const rsa = { scheme: 'rsa-sha256' } as const;
export const unsigned = { scheme: 'none' } as const;
export const switched = <const V extends Readonly<Record<string, PlainProtection>>>(by: SwitchName, values: V) =>
  ({ scheme: 'switched', by, values }) as const;

/** A checksum may contain each field of the row, the merchant login, and the endpoint id of the path. */
export type PlainProtection<Key extends string = string> =
  | ReturnType<typeof control<Key | 'login' | 'endpointId'>>
  | typeof hmac
  | typeof rsa
  | typeof unsigned;

export type Protection<Key extends string = string> =
  | PlainProtection<Key>
  | ReturnType<typeof switched<Readonly<Record<string, PlainProtection<Key>>>>>;

type Moves = 'charges' | 'holds' | 'charges or holds' | 'captures' | 'releases' | 'returns' | 'pays out' | 'transfers';

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
  readonly moves?: Moves;
  /** Ids of the operations whose orders it follows on, for a request that changes an order. */
  readonly follows?: readonly string[];
  /** The step of 3-D Secure whose result it uploads. */
  readonly answers?: 'method' | 'challenge' | 'pareq';
  /** True when it creates an order; false for a follow-up on one, or a read. */
  readonly opens: boolean;
  /** How a status answer names it; left out where status does not show its outcome: only other evidence resolves it. */
  readonly namedByStatus?: StatusName;
  /** What it moves when it names no amount: the whole amount of its order, nothing, or an unknown amount. */
  readonly withoutAmount: 'whole order' | 'nothing' | 'unknown';
  /** True where `batch plan` accepts a file of it. */
  readonly inBatches?: boolean;
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

/**
 * A row of the table: its fields by their names in the dictionary, in the order they are sent. A checksum, a rule or a
 * destination that names a field the row lacks does not compile.
 */
interface Row<Id extends string, Key extends FieldName, Excepted extends FieldName, Followed extends string>
  extends Omit<Operation, 'opens' | 'withoutAmount' | 'basis' | 'rules' | 'fields' | 'destination' | 'protection'> {
  readonly id: Id;
  readonly basis?: Basis;
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
    basis,
    ...columns,
    fields: Object.fromEntries(entries.map(fieldOf)) as Record<Key, Field>,
    rules: (row.rules ?? []).map((rule) => ({ basis: ruleBasis, ...rule })),
  };
}
