import { isLosslessNumber, parse } from 'lossless-json';
import { decodeForm, type Pair } from './form.js';
import { membersIn, replyFields } from './reply-fields.js';

export type ReplyFlaw = 'empty' | 'content-type' | 'not-utf8' | 'unparseable' | 'not-an-object' | 'content-encoding';

export type ParsedReply =
  | { readonly ok: true; readonly fields: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly reason: ReplyFlaw };

const jsonType = 'application/vnd.pay+json';
const formTypes: readonly string[] = ['text/html', 'application/x-www-form-urlencoded'];
// Names as replies have them. Markup that happens to hold `=` and `&` fails here.
const fieldName = /^[\w.-]+$/;

/**
 * Reads the body of a reply into its fields, all as text (A13): numbers keep every digit, null counts as absent, nested values
 * stay JSON text; `membersOf` knows what each of them was. `format` is the value of A12. Says nothing about whether the fields belong to the record one asked for.
 */
export function parseReply(
  body: Uint8Array,
  contentType: string | undefined,
  format: 'json' | 'form',
  contentEncoding?: string,
): ParsedReply {
  if (isEncoded(body, contentEncoding)) return flaw('content-encoding');
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isForm = format === 'form' && formTypes.includes(mediaType);
  const text = utf8(body);
  if (text?.trim() === '') return flaw('empty');
  if (mediaType !== jsonType && !isForm) return flaw('content-type');
  if (text === undefined) return flaw('not-utf8');
  return isForm ? parsePairs(text) : parseObject(text);
}

// Nothing decodes replies, and Accept-Encoding is never sent: gzip and zstd are known by their first bytes even without the header.
function isEncoded(body: Uint8Array, contentEncoding = 'identity'): boolean {
  const [first, second] = body;
  return contentEncoding.trim().toLowerCase() !== 'identity' || (first === 0x1f && second === 0x8b) || (first === 0x28 && second === 0xb5);
}

function utf8(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function parseObject(text: string): ParsedReply {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return flaw('unparseable');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) return flaw('not-an-object');
  return { ok: true, fields: replyFields(membersIn(text)) };
}

function parsePairs(text: string): ParsedReply {
  let pairs: Pair[];
  try {
    pairs = decodeForm(text);
  } catch {
    return flaw('unparseable');
  }
  const trimmed = pairs.map(([name, value]) => [name.trim(), value.trim()] as const).filter(([name, value]) => name !== '' || value !== '');
  const fields = new Map(trimmed);
  const isClear = fields.has('type') && trimmed.every(([name, value]) => fieldName.test(name) && fields.get(name) === value);
  return isClear ? { ok: true, fields } : flaw('unparseable');
}

function flaw(reason: ReplyFlaw): ParsedReply {
  return { ok: false, reason };
}
