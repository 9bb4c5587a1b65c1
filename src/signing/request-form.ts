import { isPaycliError } from '../errors/index.js';
import type { Assume, Operation } from '../spec/index.js';
import { digitsOf, readAmount, reasonWithForm } from '../wire/amount.js';
import { keysByWire, withLostPlusSigns, withoutOuterSpaces } from '../wire/check.js';
import { decodeForm, type Pair } from '../wire/form.js';

/** What can be wrong with the form of a request, whatever its signature. */
export type FormRule =
  | 'accept-missing'
  | 'accept-inexact'
  | 'content-type'
  | 'address-wrong'
  | 'body-separator'
  | 'body-encoding'
  | 'amount-form';

export interface FormFinding {
  readonly rule: FormRule;
  /** Names no value but that of an amount. */
  readonly detail: string;
}

/** A request as it came in. */
export interface ArrivedRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | string;
}

/** What a request says once its form is put right: over this its signature is judged. */
export interface FormReading {
  readonly findings: readonly FormFinding[];
  readonly pairs: readonly Pair[];
  /** By field key, empty values left out. */
  readonly values: Readonly<Record<string, string>>;
  /** The amount in minor units (A03, A04). */
  readonly minor: string | undefined;
}

interface Place {
  readonly row: Operation;
  readonly endpointId: string;
  readonly assume: Assume;
}

/** Judges the form of a request, and reads what it means: separators, encoding, plus signs, amount. */
export function readForm(request: ArrivedRequest, place: Place): FormReading {
  const { row, assume } = place;
  const findings: FormFinding[] = [];
  const find = (rule: FormRule, detail: string) => void findings.push({ rule, detail });
  judgeEnvelope(request, find);
  const text = textOf(request.body, find);
  const mended = withSeparators(text, [...keysByWire(row, assume).keys()], find);
  const read = pairsIn(mended, find);
  const { pairs, findings: lost } = withLostPlusSigns(read, mended, row, assume);
  for (const detail of lost) find('body-encoding', detail);
  const keys = keysByWire(row, assume);
  const values = Object.fromEntries(
    [...pairs].reverse().flatMap(([wire, value]) => {
      const [key, plain] = [keys.get(wire), withoutOuterSpaces(value)];
      return key === undefined || plain === '' ? [] : [[key, plain] as const];
    }),
  );
  return { findings, pairs, values, minor: minorOf(values, place, find) };
}

type Find = (rule: FormRule, detail: string) => void;

export const acceptType = 'application/vnd.pay+json';
export const formType = 'application/x-www-form-urlencoded';

function judgeEnvelope({ method, url, headers }: ArrivedRequest, find: Find): void {
  const { accept, 'content-type': type } = headers;
  if (method !== 'POST')
    find('address-wrong', `${/^[A-Za-z]{1,10}$/.test(method) ? method : 'another method'} instead of POST`);
  if (/^[^#]*\?/.test(url)) find('address-wrong', 'the address has a query; all fields belong in the body');
  if (accept === undefined) find('accept-missing', 'without Accept');
  else if (accept !== acceptType)
    find('accept-inexact', `Accept: ${/^[\w*/+.,;= -]{1,60}$/.test(accept) ? accept : 'another type'}`);
  const media = type?.split(';', 1)[0]?.trim().toLowerCase();
  if (media !== formType)
    find('content-type', `Content-Type: ${media !== undefined && /^[\w.+/-]{1,60}$/.test(media) ? media : 'missing'}`);
}

/** The body as text. */
function textOf(body: Uint8Array | string, find: Find): string {
  if (typeof body === 'string') return body;
  const { text, finding } = decodeText(body);
  if (finding !== undefined) find(finding.rule, finding.detail);
  return text;
}

/** Bytes as text. Those that are not UTF-8 are read as what they are likelier to be, which is a finding. */
export function decodeText(bytes: Uint8Array): { readonly text: string; readonly finding?: FormFinding } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const charset = charsetOf(bytes);
    const finding = { rule: 'body-encoding', detail: `the body is not UTF-8; it reads as ${charset}` } as const;
    return { text: new TextDecoder(charset).decode(bytes), finding };
  }
}

/** Letters of Cyrillic are the upper half of the table, those of the West stand alone between ASCII. */
function charsetOf(bytes: Uint8Array): 'windows-1251' | 'windows-1252' {
  return /[\xc0-\xff]{3}/.test(Buffer.from(bytes).toString('latin1')) ? 'windows-1251' : 'windows-1252';
}

/** Fields apart by what was meant to part them, and the & of a text put back into it. */
function withSeparators(text: string, names: readonly string[], find: Find): string {
  const isNamed = (piece: string) => names.includes(piece.split('=', 1)[0] ?? '');
  if (/&amp;[\w-]+=/.test(text)) {
    find('body-separator', 'the fields are separated by &amp; instead of &');
    return withSeparators(text.replaceAll('&amp;', '&'), names, find);
  }
  if (!text.includes('&') && text.split(';').filter(isNamed).length > 1) {
    find('body-separator', 'the fields are separated by ; instead of &');
    return text.replaceAll(';', '&');
  }
  const pieces: string[] = [];
  for (const piece of text.split('&')) {
    const last = pieces.at(-1);
    if (piece.includes('=') || piece === '' || last === undefined || isNamed(piece)) pieces.push(piece);
    else {
      const name = last.split('=', 1)[0] ?? '';
      find(
        'body-separator',
        `a & in ${names.includes(name) ? name : 'a value'} is not encoded, and ends it: write %26`,
      );
      pieces[pieces.length - 1] = `${last}%26${piece}`;
    }
  }
  return pieces.join('&');
}

function pairsIn(text: string, find: Find): Pair[] {
  try {
    return decodeForm(text);
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    const isCut = /%(?![0-9A-Fa-f]{2})/.test(text);
    const raw = isCut ? text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25') : text;
    const charset = charsetOf(bytesOf(raw));
    find(
      'body-encoding',
      isCut ? 'a % is not encoded: write %25' : `the escapes of the body are not UTF-8; they read as ${charset}`,
    );
    if (isCut) return pairsIn(raw, find);
    return raw.split('&').map((piece): Pair => {
      const [name = '', ...rest] = piece.split('=').map((part) => new TextDecoder(charset).decode(bytesOf(part)));
      return [name, rest.join('=')];
    });
  }
}

function bytesOf(part: string): Buffer {
  const latin = part
    .replaceAll('+', ' ')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(latin, 'latin1');
}

/** Undefined when there is no amount, or none that can be guessed. */
function minorOf(
  values: Readonly<Record<string, string>>,
  { assume, endpointId }: Place,
  find: Find,
): string | undefined {
  const { amount, currency = '' } = values;
  if (amount === undefined) return undefined;
  if (assume['body-amount'] === 'minor') return /^[1-9]\d{0,15}$/.test(amount) ? amount : undefined;
  const digits = digitsOf(currency, assume['minor-digits'], endpointId);
  // A currency that is missing or wrong is said of its own field.
  if (digits === undefined) return undefined;
  const reading = readAmount(amount, currency, digits);
  if (reading.ok) return String(reading.minor);
  find('amount-form', `amount: ${reasonWithForm(reading)}`);
  return guessedMinor(amount, digits);
}

/** What a badly written amount means: `1,000.50` and `10,42`, `705.00` in a currency without decimals, `10.299999999`. */
function guessedMinor(text: string, digits: number): string | undefined {
  const bare = text.replace(/[^\d.,]/g, '');
  const [, whole = '', fraction = ''] = /^([\d.,]*?)(?:[.,](\d*))?$/.exec(bare) ?? [];
  const isGrouped = fraction.length === 3 && digits !== 3 && /^\d{1,3}$/.test(whole);
  const plain = isGrouped ? `${whole}${fraction}` : `${whole.replace(/[.,]/g, '')}.${fraction}`;
  const minor = Math.round(Number(plain) * 10 ** digits);
  return Number.isSafeInteger(minor) && minor > 0 ? String(minor) : undefined;
}
