import { type Compression, decompress, parseObject, readBase64, type Variant } from './encoding.js';
import { xmlLeaves } from './messages.js';

/** The result of inspecting a text; `wrong` is what breaks the message. */
export interface Inspection {
  readonly kind: MessageKind | undefined;
  /** Undefined when the text is no Base64. */
  readonly variant: Variant | undefined;
  readonly packing: Compression;
  readonly content: 'json' | 'xml' | 'other';
  /** The message as text; undefined when it is neither JSON nor XML. */
  readonly text: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly wrong: readonly string[];
}

// Names under which a browser posts these messages.
const named = /^(?:c[rR]eq|c[rR]es|Pa[rR]eq|[pP]a[rR]es|PAREQ|PARES|threeDSMethodData)=/;

/** Decodes a 3-D Secure message and checks it against its shape. Never throws. */
export function inspect(given: string): Inspection {
  const carried = bareText(given.trim());
  const reading = /^\s*[<{]/.test(carried) ? undefined : readBase64(carried);
  const plain = { packing: 'none', bytes: Buffer.from(carried) } as const;
  const { packing, bytes } = reading === undefined ? plain : decompress(reading.bytes);
  const text = bytes.toString('utf8');
  const json = parseObject(text);
  const isXml = json === undefined && /^\s*<\??\w/.test(text);
  const fields = json === undefined ? (isXml ? xmlLeaves(text) : {}) : scalars(json);
  const kind = json === undefined ? (isXml ? xmlKind(text) : undefined) : jsonKind(fields);
  const content = json === undefined ? (isXml ? 'xml' : 'other') : 'json';
  return {
    kind,
    variant: reading?.variant,
    packing,
    content,
    text: content === 'other' ? undefined : text,
    fields,
    wrong: [...carrierFaults(kind, reading?.variant, packing, content), ...partFaults(kind, fields)],
  };
}

/** Without the name of its field, and not percent-encoded. */
function bareText(text: string): string {
  const value = text.replace(named, '');
  if (!/%[0-9A-Fa-f]{2}/.test(value)) return value;
  return value.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function scalars(json: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
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
  variant: Variant | undefined,
  packing: Compression,
  content: Inspection['content'],
): string[] {
  if (content === 'other')
    return [variant === undefined ? 'it is not Base64, JSON or XML' : 'the decoded Base64 is neither JSON nor XML'];
  if (kind === undefined) return ['it is not a 3-D Secure message: not CReq, CRes, PaReq, PaRes or method data'];
  if (variant === undefined)
    return [`${kind} is sent as Base64, but this is plain ${content === 'json' ? 'JSON' : 'XML'}`];
  const faults: string[] = [];
  const isDeflated = messageShapes[kind].carrier === 'deflated';
  if (isDeflated && packing !== 'zlib')
    faults.push(`${kind} must be deflated with a zlib header before Base64; found: ${packing}`);
  if (isDeflated && variant === 'base64url')
    faults.push(`${kind} takes plain Base64 (+ and /), but this is base64url (- and _)`);
  if (!isDeflated && packing !== 'none') faults.push(`${kind} is not compressed before Base64; found: ${packing}`);
  return faults;
}

function partFaults(kind: MessageKind | undefined, fields: Readonly<Record<string, string>>): string[] {
  if (kind === undefined) return [];
  const { must = {}, may = {} } = messageShapes[kind];
  return Object.entries({ ...must, ...may }).flatMap(([name, [pattern, form]]) => {
    const value = fields[name];
    if (value === undefined) return name in must ? [`${name} is missing`] : [];
    return pattern.test(value) ? [] : [`${name} must be ${form}`];
  });
}

/** The messages of 3-D Secure that pass through a merchant's hands. */
export type MessageKind = 'CReq' | 'CRes' | 'PaReq' | 'PaRes' | 'method data' | 'method notification';

interface MessageShape {
  /** base64url of JSON for 2.x, Base64 of deflated XML for 1.0.2. */
  readonly carrier: 'base64url' | 'deflated';
  /** The members that are checked: their form in words, which fits after "must be"; those of `may` may be missing. */
  readonly must?: Parts;
  readonly may?: Parts;
}
type Parts = Readonly<Record<string, readonly [pattern: RegExp, form: string]>>;

const uuid = [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'a UUID (36 characters)'] as const;
const bytes20 = [/^[A-Za-z0-9+/]{27}=$/, '20 bytes in Base64'] as const;
const yesOrNo = [/^[YN]$/, 'Y or N'] as const;
const challenge = {
  ...{ threeDSServerTransID: uuid, acsTransID: uuid },
  messageVersion: [/^2\.[123]\.\d$/, '2.1.0, 2.2.0 or 2.3.1'],
} as const;
const purchase = {
  version: [/^1\.0\.[12]$/, '1.0.2'],
  xid: bytes20,
  purchAmount: [/^\d{1,12}$/, 'minor units in digits'],
  exponent: [/^[0-4]$/, 'the fraction digits of the currency'],
} as const;

const messageShapes: Readonly<Record<MessageKind, MessageShape>> = {
  CReq: { carrier: 'base64url', must: challenge, may: { challengeWindowSize: [/^0[1-5]$/, '01 to 05'] } },
  CRes: {
    carrier: 'base64url',
    must: { ...challenge, challengeCompletionInd: yesOrNo, transStatus: yesOrNo },
    may: { challengeCancel: [/^0[1-8]$/, '01 to 08'] },
  },
  'method data': {
    carrier: 'base64url',
    must: {
      threeDSServerTransID: uuid,
      threeDSMethodNotificationURL: [/^https?:\/\/[^\s/]/, 'an http or https address'],
    },
  },
  'method notification': { carrier: 'base64url', must: { threeDSServerTransID: uuid } },
  PaReq: { carrier: 'deflated', may: purchase },
  PaRes: {
    carrier: 'deflated',
    must: { status: [/^[YNUA]$/, 'Y, N, U or A'] },
    may: { ...purchase, eci: [/^\d{2}$/, 'two digits'], cavv: bytes20 },
  },
};
