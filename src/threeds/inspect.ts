import { type Base64Reading, type Padding, readBase64, type Variant } from './base64.js';
import { parseObject } from './json.js';
import { type Packing, type Unpacked, unpack } from './packing.js';
import { leavesOf } from './payer.js';
import { type MessageKind, shapes } from './shapes.js';

/** What a text turns out to be. `wrong` breaks the message, `remark` is only unusual. */
export interface Inspection {
  readonly kind: MessageKind | undefined;
  /** Undefined when the text is no Base64. */
  readonly variant: Variant | undefined;
  readonly padding: Padding | undefined;
  readonly packing: Packing;
  readonly content: 'json' | 'xml' | 'other';
  /** The message as text; undefined when it is neither JSON nor XML. */
  readonly text: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly wrong: readonly string[];
  readonly remarks: readonly string[];
}

/** Ids the message should be about; those left out are not compared. */
export interface Expected {
  readonly tdsId?: string | undefined;
  readonly acsId?: string | undefined;
  readonly xid?: string | undefined;
}

// Names under which a browser posts these messages.
const named = /^(?:c[rR]eq|c[rR]es|Pa[rR]eq|[pP]a[rR]es|PAREQ|PARES|threeDSMethodData)=/;

/** Undoes the carrier of a 3-D Secure message and holds it against its shape. Never throws. */
export function inspect(given: string, expected: Expected = {}): Inspection {
  const remarks: string[] = [];
  const carried = bareText(given.trim(), remarks);
  const reading = /^\s*[<{]/.test(carried) ? undefined : readBase64(carried);
  const { packing, bytes }: Unpacked = reading === undefined ? { packing: 'none', bytes: Buffer.from(carried) } : unpack(reading.bytes);
  const text = bytes.toString('utf8');
  const json = parseObject(text);
  const isXml = json === undefined && /^\s*<\??\w/.test(text);
  const fields = json === undefined ? (isXml ? leavesOf(text) : {}) : scalars(json);
  const kind = json === undefined ? (isXml ? xmlKind(text) : undefined) : jsonKind(fields);
  const content = json === undefined ? (isXml ? 'xml' : 'other') : 'json';
  return {
    kind,
    variant: reading?.variant,
    padding: reading?.padding,
    packing,
    content,
    text: content === 'other' ? undefined : text,
    fields,
    wrong: [...carrierFaults(kind, reading, packing, content), ...partFaults(kind, fields), ...idFaults(fields, expected)],
    remarks: [...remarks, ...carrierRemarks(kind, reading)],
  };
}

function bareText(text: string, remarks: string[]): string {
  const name = named.exec(text)?.[0];
  if (name !== undefined) remarks.push(`the field name ${name.slice(0, -1)} was in front of it`);
  const value = text.slice(name?.length ?? 0);
  if (!/%[0-9A-Fa-f]{2}/.test(value) || !URL.canParse(`http://x/?${value}`)) return value;
  remarks.push('it was percent-encoded');
  return value.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function scalars(json: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]));
}

function jsonKind(fields: Readonly<Record<string, string>>): MessageKind | undefined {
  const { messageType } = fields;
  if (messageType === 'CReq' || messageType === 'CRes') return messageType;
  if (messageType !== undefined) return undefined;
  if (fields['threeDSMethodNotificationURL'] !== undefined) return 'method data';
  return fields['threeDSServerTransID'] === undefined ? undefined : 'method notification';
}

function xmlKind(xml: string): MessageKind | undefined {
  if (/<(?:\w+:)?PAReq[\s>]/.test(xml)) return 'PaReq';
  return /<(?:\w+:)?PARes[\s>]/.test(xml) ? 'PaRes' : undefined;
}

function carrierFaults(
  kind: MessageKind | undefined,
  reading: Base64Reading | undefined,
  packing: Packing,
  content: Inspection['content'],
): string[] {
  if (content === 'other')
    return [reading === undefined ? 'it is no Base64, no JSON and no XML' : 'behind the Base64 is neither JSON nor XML'];
  if (kind === undefined) return ['it is no message of 3-D Secure: neither CReq, CRes, PaReq, PaRes nor method data'];
  if (reading === undefined) return [`${kind} travels as Base64, and this is bare ${content === 'json' ? 'JSON' : 'XML'}`];
  const faults = reading.padding === 'wrong' ? ['its padding is wrong: the = signs do not fill the last group of four'] : [];
  const isDeflated = shapes[kind].carrier === 'deflated';
  if (isDeflated && packing !== 'zlib')
    faults.push(`${kind} must be deflated with a zlib head before Base64; found: ${packing === 'none' ? 'not compressed' : packing}`);
  if (isDeflated && reading.variant === 'base64url') faults.push(`${kind} takes plain Base64 (+ and /), and this is base64url (- and _)`);
  if (!isDeflated && packing !== 'none') faults.push(`${kind} is not compressed before Base64; found: ${packing}`);
  return faults;
}

/** The gateway takes both alphabets for 2.x; an issuer's server need not. */
function carrierRemarks(kind: MessageKind | undefined, reading: Base64Reading | undefined): string[] {
  if (kind === undefined || reading === undefined || shapes[kind].carrier === 'deflated') return [];
  const remarks = reading.variant === 'base64' ? [`${kind} is usually base64url (- and _), and this is plain Base64 (+ and /)`] : [];
  return reading.padding === 'present' ? [...remarks, `${kind} usually goes without padding`] : remarks;
}

function partFaults(kind: MessageKind | undefined, fields: Readonly<Record<string, string>>): string[] {
  if (kind === undefined) return [];
  return shapes[kind].parts.flatMap(({ name, pattern, form, isOptional }) => {
    const value = fields[name];
    if (value === undefined) return isOptional === true ? [] : [`${name} is missing`];
    return pattern.test(value) ? [] : [`${name} must be ${form}`];
  });
}

function idFaults(fields: Readonly<Record<string, string>>, expected: Expected): string[] {
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ['threeDSServerTransID', expected.tdsId],
    ['acsTransID', expected.acsId],
    ['xid', expected.xid],
  ];
  return pairs.flatMap(([name, wanted]) => {
    const got = fields[name];
    if (wanted === undefined || got === undefined || got.toLowerCase() === wanted.toLowerCase()) return [];
    return [`${name} is another one than that of the order, ${wanted}`];
  });
}
