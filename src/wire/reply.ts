import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { decodeForm } from './form.js';

export type ReplyFlaw = 'empty' | 'content-type' | 'not-utf8' | 'unparseable' | 'not-an-object' | 'content-encoding';

type ParsedReply =
  | { readonly ok: true; readonly fields: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: ReplyFlaw };

const jsonType = 'application/vnd.pay+json';
const formTypes: readonly string[] = ['text/html', 'application/x-www-form-urlencoded'];
// Names as replies have them. Markup that happens to hold `=` and `&` fails here.
const fieldName = /^[\w.-]+$/;

/**
 * Reads the body of a reply into its fields, all as text (A13): numbers keep every digit, null counts as absent, nested
 * values stay JSON text; `membersOf` has the type of each. `format` is the value of A12. Does not check whether the
 * fields are those of the expected record.
 */
export function parseReply(
  body: Uint8Array,
  contentType: string | undefined,
  format: 'json' | 'form',
  contentEncoding = 'identity',
): ParsedReply {
  // Requests ask for `identity`, and replies are not decoded.
  if (contentEncoding.trim().toLowerCase() !== 'identity') return flaw('content-encoding');
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isForm = format === 'form' && formTypes.includes(mediaType);
  const text = utf8(body);
  if (text?.trim() === '') return flaw('empty');
  if (mediaType !== jsonType && !isForm) return flaw('content-type');
  if (text === undefined) return flaw('not-utf8');
  try {
    return isForm ? parsePairs(text) : parseObject(text);
  } catch {
    return flaw('unparseable');
  }
}

function utf8(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function parseObject(text: string): ParsedReply {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value))
    return flaw('not-an-object');
  return { ok: true, fields: replyFields(Object.entries(value).map(([name, member]) => memberOf(name, member))) };
}

function memberOf(name: string, value: unknown): ReplyMember {
  if (typeof value === 'string') return { name, text: value, isJson: false };
  if (isLosslessNumber(value)) return { name, text: value.value, isJson: false };
  return { name, text: stringify(value) ?? 'null', isJson: true };
}

function parsePairs(text: string): ParsedReply {
  const trimmed = decodeForm(text)
    .map(([name, value]) => [name.trim(), value.trim()] as const)
    .filter(([name, value]) => name !== '' || value !== '');
  const fields = new Map(trimmed);
  const isClear =
    fields.has('type') && trimmed.every(([name, value]) => fieldName.test(name) && fields.get(name) === value);
  return isClear ? { ok: true, fields } : flaw('unparseable');
}

function flaw(reason: ReplyFlaw): ParsedReply {
  return { ok: false, reason };
}

/** One field of a reply as it was received. */
interface ReplyMember {
  readonly name: string;
  /**
   * Its text; of a number all its digits (A13). What is neither text nor number is JSON as it was written, without
   * blanks.
   */
  readonly text: string;
  readonly isJson: boolean;
}

const memberLists = new WeakMap<ReadonlyMap<string, string>, readonly ReplyMember[]>();

/** The fields of a reply by name, all as text; null counts as absent. `membersOf` has the type of each. */
function replyFields(members: readonly ReplyMember[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const { name, text, isJson } of members) if (!isJson || text !== 'null') fields.set(name, text);
  memberLists.set(fields, members);
  return fields;
}

/** The fields of a reply in the order of the gateway; those of any other map are texts. */
export function membersOf(fields: ReadonlyMap<string, string>): readonly ReplyMember[] {
  return memberLists.get(fields) ?? [...fields].map(([name, text]) => ({ name, text, isJson: false }));
}

/** The same fields with other names and texts, such as masked ones; null, true and false stay. */
export function changeTexts(
  fields: ReadonlyMap<string, string>,
  changeName: (name: string) => string,
  changeText: (name: string, text: string) => string,
): ReadonlyMap<string, string> {
  const isWord = ({ isJson, text }: ReplyMember) => isJson && /^[a-z]/.test(text);
  const changed = membersOf(fields).map((member) => ({
    ...member,
    name: changeName(member.name),
    text: isWord(member) ? member.text : changeText(member.name, member.text),
  }));
  return replyFields(changed);
}
