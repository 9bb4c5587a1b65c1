import type { KeyObject } from 'node:crypto';
import { formByLabel, formByStart, type KeyForm, type OpenedDer, openDer } from './key-forms.js';

/** What a file or a text holds. */
export interface FoundKey {
  readonly encoding: 'PEM' | 'Base64' | 'DER' | 'text' | 'binary';
  readonly form?: KeyForm | undefined;
  /** The key in it, of a certificate the public key it is about; undefined while it is locked, or when none is whole. */
  readonly content?: KeyObject | undefined;
  /** One clean PEM block to be opened with a passphrase. */
  readonly locked?: string;
  /** Why there is no key, where nothing else says so. */
  readonly why: string;
  /** A file that no text can be read from. */
  readonly isNoText?: string;
}

/** Finds the key or certificate in the bytes of a file. */
export function findKey(bytes: Uint8Array): FoundKey {
  const opened = openDer(bytes);
  if (opened !== undefined)
    return { ...foundDer(opened, bytes), encoding: 'DER', isNoText: 'it is DER (binary), but PEM is required' };
  try {
    return findKeyInText(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const why =
      'it is neither text nor a key in DER; `openssl pkcs12 -in FILE -nocerts -out NEW.pem` extracts the key of a PKCS#12 bundle';
    return { encoding: 'binary', why };
  }
}

/**
 * Finds the key or certificate in a text, however it is written down: PEM with remarks, in quotes, in one line, with
 * its line breaks written out or without its first and last line, or in Base64 once more.
 */
export function findKeyInText(text: string): FoundKey {
  const [begin, ...others] = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].filter(
    ([, label = '']) => !label.endsWith(' PARAMETERS'),
  );
  const encoding = begin === undefined ? 'Base64' : 'PEM';
  if (others.length > 0) return { encoding, why: 'it contains several PEM blocks; keep only one key per file' };
  const label = begin?.[1];
  const start = begin === undefined ? 0 : begin.index + begin[0].length;
  const [body = '', isEnded] = text.slice(start).split(/-----END [A-Z0-9 ]+-----/);
  const { headers, der } = contentIn(body);
  const inner = begin === undefined && der !== undefined ? Buffer.from(der).toString('utf8') : '';
  if (inner.includes('-----BEGIN ')) return { ...findKeyInText(inner), encoding: 'Base64' };
  if (der !== undefined && label !== undefined && headers.some((line) => /^Proc-Type: *4, *ENCRYPTED/.test(line)))
    return { encoding, form: formByLabel(label), locked: pemText(label, der, headers), why: '' };
  const opened = der === undefined ? undefined : openDer(der);
  if (opened !== undefined && der !== undefined) return { ...foundDer(opened, der), encoding };
  const why = isEnded === undefined ? 'it is truncated: its -----END line is missing' : damaged;
  if (begin !== undefined) return { encoding, form: formByLabel(label), why: formByLabel(label) ? why : unknownLabel };
  const isEmpty = text.trim() === '';
  return { encoding: 'text', form: formByStart(text.trim()), why: isEmpty ? 'it is empty' : notPem };
}

const damaged = 'it is damaged, or of an unknown type';
const unknownLabel = 'its -----BEGIN line names an unknown key type';
const notPem = 'it is not PEM text: there is no -----BEGIN … KEY----- line';

function foundDer({ form, content }: OpenedDer, der: Uint8Array): Omit<FoundKey, 'encoding'> {
  if (content !== 'locked') return { form, content, why: '' };
  return { form, locked: pemText(form.labels?.[0] ?? '', der), why: '' };
}

/** The header lines of OpenSSL's old encryption and the decoded Base64 of a block. */
function contentIn(body: string): { readonly headers: readonly string[]; readonly der: Uint8Array | undefined } {
  // Backslashes are doubled each time such a text is put into another quoted text.
  const lines = body
    .replace(/\\{1,15}r\\{1,15}n|\\{1,15}[nr]/g, '\n')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim());
  const isHeader = (line: string) => /^[A-Za-z][A-Za-z0-9-]*: /.test(line);
  const base64 = lines
    .filter((line) => !isHeader(line) && !/^\W*(?:BEGIN|END) [A-Z0-9 ]{1,60}\W*$/.test(line))
    .join('')
    .replace(/[\s"'`,;]/g, '');
  const der = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined;
  return { headers: lines.filter(isHeader), der };
}

/** One PEM block as RFC 7468 lays it out. */
function pemText(label: string, der: Uint8Array, headers: readonly string[] = []): string {
  const base64 = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n');
  const above = headers.length === 0 ? '' : `${headers.join('\n')}\n\n`;
  return `-----BEGIN ${label}-----\n${above}${base64.trimEnd()}\n-----END ${label}-----\n`;
}
