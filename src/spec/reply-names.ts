import { type ReplyField, type ReplyFields, type ReplyKey, type ReplyKind, replyFields } from './replies.js';

/** The first of these reply fields that has a value, under any of its spellings; an empty one counts as absent. */
export function replyField(fields: ReadonlyMap<string, string>, ...keys: readonly ReplyKey[]): string | undefined {
  return replyNames(...keys)
    .map((name) => fields.get(name))
    .find((value) => value !== undefined && value !== '');
}

/** Every spelling of the names of these fields. */
export function replyNames(...keys: readonly ReplyKey[]): readonly string[] {
  return keys.flatMap((key) => spellings(replyFields[key]));
}

function spellings({ wire, also = [] }: ReplyField): readonly string[] {
  return [wire, ...also];
}

const allReplyFields: readonly ReplyField[] = Object.values(replyFields);

/** The name of every reply field that paycli knows. */
export const knownReplyNames = allReplyFields.flatMap(spellings);

/** The names of what a later command shows of a reply. */
export const keptNames = allReplyFields.filter(({ isKept }) => isKept).flatMap(spellings);

/** Kinds whose values are long numbers at times, and no card's. */
export const idKinds = ['gatewayId', 'clientOrderId', 'serial'] as const;

/** The names of the fields that hold one of these. */
export function namesOfKind(table: ReplyFields, ...kinds: readonly ReplyKind[]): ReadonlySet<string> {
  return new Set(Object.values(table).flatMap((each) => (kinds.includes(each.kind) ? spellings(each) : [])));
}

/** The field that has this name. */
export function fieldNamed(table: ReplyFields, name: string): ReplyField | undefined {
  return Object.values(table).find((each) => spellings(each).includes(name));
}
