import {
  beginLines,
  formByLabel,
  formByStart,
  formOfDer,
  incompleteKey,
  type KeyForm,
  pemText,
  symmetricKey,
} from './key-formats.js';
import { keysWrittenOtherwise, type WrittenOtherwise } from './written-otherwise.js';

/** What may be odd about the way a key is written down. `harmless` oddities never keep a key from being read. */
export const flaws = {
  der: { text: 'it is DER (binary), but PEM is required', harmless: false },
  'utf-16': { text: 'it is UTF-16 text, but UTF-8 is required', harmless: false },
  'byte-order-mark': { text: 'it begins with a byte order mark', harmless: true },
  'windows-line-ends': { text: 'it has Windows line endings', harmless: true },
  quotes: { text: 'it is in quotes', harmless: true },
  'escaped-line-breaks': { text: 'its line breaks are written out as \\n', harmless: false },
  'one-line': { text: 'its -----BEGIN and -----END lines are not on separate lines', harmless: false },
  'blank-lines': { text: 'it contains blank lines', harmless: false },
  'long-lines': { text: 'its Base64 has lines of more than 76 characters', harmless: true },
  'missing-header': { text: 'its -----BEGIN line is missing', harmless: false },
  'missing-footer': { text: 'its -----END line is missing', harmless: false },
  'wrong-label': { text: 'its -----BEGIN or -----END line does not match its content', harmless: false },
  jwk: { text: 'it is a JSON Web Key, but PEM is required', harmless: false },
  xml: { text: 'it is XML as .NET writes keys, but PEM is required', harmless: false },
  'base64-of-pem': { text: 'it is PEM, encoded in Base64 once more', harmless: false },
  'several-keys': { text: 'it contains several keys; keep only the one to use', harmless: false },
  'several-blocks': { text: 'it contains several PEM blocks; keep only one key per file', harmless: false },
} as const;

export type FlawName = keyof typeof flaws;

/** Those that do keep a key from being read, in words. */
export function blockingFlaws(found: readonly FlawName[]): readonly string[] {
  return found.map((name) => flaws[name]).flatMap(({ text, harmless }) => (harmless ? [] : [text]));
}

export interface NormalizedKey {
  readonly encoding: 'PEM' | 'Base64' | 'DER' | 'JWK' | 'XML' | 'text' | 'binary';
  /** One clean PEM block; the text as it was when there is no whole key or certificate in it. */
  readonly text: string;
  readonly flaws: readonly FlawName[];
  readonly form?: KeyForm | undefined;
  /** Only when it is whole. */
  readonly der?: Uint8Array | undefined;
  /** Lines of OpenSSL's old encryption. */
  readonly headers: readonly string[];
  /** What each PEM block or JSON Web Key is, when there are several. */
  readonly blocks: readonly string[];
}

/**
 * Finds the key or certificate in the bytes of a file and writes it down cleanly. Decodes nothing and judges nothing.
 */
export function normalizeKey(bytes: Uint8Array): NormalizedKey {
  const form = formOfDer(bytes);
  const nothing = { text: '', flaws: [], headers: [], blocks: [] };
  if (form !== undefined)
    return { ...nothing, encoding: 'DER', text: pemOf(form, bytes), flaws: ['der'], form, der: bytes };
  const decoded = decode(bytes);
  return decoded === undefined ? { ...nothing, encoding: 'binary' } : normalizeKeyText(decoded.text, decoded.flaws);
}

export function normalizeKeyText(text: string, before: readonly FlawName[] = []): NormalizedKey {
  const [begin, ...others] = beginLines(text);
  const base = { text, headers: [], blocks: [] };
  if (begin !== undefined && others.length > 0) {
    const blocks = [begin, ...others].map(({ label }) => nameOf(label));
    return { ...base, encoding: 'PEM', flaws: [...before, 'several-blocks'], blocks };
  }
  const otherwise = begin === undefined ? keysWrittenOtherwise(text) : undefined;
  if (otherwise !== undefined) return normalizeOtherwise(otherwise, text, before);
  const region = pemRegion(text, begin);
  const { headers, der } = contentOf(region.body);
  const inner = begin === undefined && der !== undefined ? pemInside(der) : undefined;
  if (inner !== undefined)
    return { ...normalizeKeyText(inner, [...new Set<FlawName>([...before, 'base64-of-pem'])]), encoding: 'Base64' };
  const labelled = begin === undefined ? undefined : formByLabel(begin.label, text);
  const encoding = begin === undefined ? 'Base64' : 'PEM';
  if (der !== undefined && headers.length > 0 && begin !== undefined) {
    const found = [...before, ...flawsOf(region, begin)];
    return { ...base, encoding, text: pemText(begin.label, der, headers), flaws: found, form: labelled, der, headers };
  }
  const form = der === undefined ? undefined : formOfDer(der);
  if (der === undefined || form === undefined) {
    const guessed = labelled ?? formByStart(text.trim());
    return { ...base, encoding: begin === undefined ? 'text' : 'PEM', flaws: before, form: guessed };
  }
  const found = [...before, ...flawsOf(region, begin)];
  if (begin !== undefined && form.labels?.includes(begin.label) !== true) found.push('wrong-label');
  return { ...base, encoding, text: pemOf(form, der), flaws: [...new Set(found)], form, der };
}

function normalizeOtherwise({ as, keys }: WrittenOtherwise, text: string, before: readonly FlawName[]): NormalizedKey {
  const found: readonly FlawName[] = [...before, as === 'JWK' ? 'jwk' : 'xml'];
  const base = { encoding: as, text, headers: [], blocks: [] };
  const [key, ...others] = keys;
  if (others.length > 0)
    return { ...base, flaws: [...found, 'several-keys'], blocks: keys.map(({ half }) => `${half} key (${as})`) };
  const der = key?.der;
  const form = der === undefined ? undefined : formOfDer(der);
  if (der === undefined || form === undefined)
    return {
      ...base,
      flaws: found,
      form: key?.half === 'symmetric' ? symmetricKey : incompleteKey(key?.half ?? 'public', as),
    };
  return { ...base, text: pemOf(form, der), flaws: found, form, der };
}

/** The text of a PEM file that was put into Base64 as a whole, as some settings want it. */
function pemInside(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  return beginLines(text).length > 0 ? text : undefined;
}

interface PemRegion {
  /** Between the lines, with real line breaks. */
  readonly body: string;
  readonly isEscaped: boolean;
  readonly isQuoted: boolean;
  readonly endLabel: string | undefined;
}

function pemRegion(text: string, begin: { readonly at: number; readonly end: number } | undefined): PemRegion {
  const start = begin?.end ?? 0;
  const end = /-----END ([A-Z0-9 ]+)-----/.exec(text.slice(start));
  const raw = text.slice(start, end === null ? undefined : start + end.index);
  // Backslashes are doubled each time such a text is put into another quoted text.
  const body = raw.replace(/\\{1,15}r\\{1,15}n|\\{1,15}[nr]/g, '\n');
  return {
    body,
    isEscaped: body !== raw,
    isQuoted: /["'`]\s*$/.test(text.slice(0, begin?.at ?? 0)) || /^\s*["'`]/.test(raw),
    endLabel: end?.[1],
  };
}

/** The header lines and the decoded Base64 of a block. A damaged header line counts for nothing. */
function contentOf(body: string): { readonly headers: readonly string[]; readonly der: Uint8Array | undefined } {
  const lines = body.split(/\r\n|\r|\n/).map((line) => line.trim());
  const isHeader = (line: string) => /^[A-Za-z][A-Za-z0-9-]*: /.test(line);
  const base64 = lines
    .filter((line) => !isHeader(line) && !/^\W*(?:BEGIN|END) [A-Z0-9 ]{1,60}\W*$/.test(line))
    .join('')
    .replace(/[\s"'`,;]/g, '');
  const der = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined;
  return { headers: lines.filter(isHeader), der };
}

function flawsOf(
  { body, isEscaped, isQuoted, endLabel }: PemRegion,
  begin: { readonly label: string } | undefined,
): FlawName[] {
  const lines = body.split(/\r\n|\r|\n/).map((line) => line.trim());
  const inner = lines.slice(1, -1);
  const isJoined = (begin !== undefined && lines[0] !== '') || (endLabel !== undefined && lines.at(-1) !== '');
  const hasHeaders = inner.some((line) => line.includes(': '));
  const found: readonly (readonly [FlawName, boolean])[] = [
    ['windows-line-ends', body.includes('\r\n')],
    ['quotes', isQuoted],
    ['escaped-line-breaks', isEscaped],
    ['one-line', isJoined],
    ['blank-lines', !hasHeaders && begin !== undefined && inner.includes('')],
    ['long-lines', !isJoined && inner.some((line) => line.length > 76)],
    ['missing-header', begin === undefined],
    ['missing-footer', endLabel === undefined],
    ['wrong-label', begin !== undefined && endLabel !== undefined && begin.label !== endLabel],
  ];
  return found.filter(([, isThere]) => isThere).map(([name]) => name);
}

function decode(bytes: Uint8Array): { readonly text: string; readonly flaws: FlawName[] } | undefined {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  try {
    const text = new TextDecoder(utf16 ?? 'utf-8', { fatal: true }).decode(bytes);
    return {
      text,
      flaws: utf16 !== undefined ? ['utf-16'] : first === 0xef && second === 0xbb ? ['byte-order-mark'] : [],
    };
  } catch {
    return undefined;
  }
}

function pemOf(form: KeyForm, der: Uint8Array): string {
  return form.labels === undefined ? '' : pemText(form.labels[0], der);
}

function nameOf(label: string): string {
  const form = formByLabel(label);
  return form === undefined ? 'something else' : `${form.kind} (${form.form})`;
}
