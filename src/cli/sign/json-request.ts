import { fail } from '../../errors/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { formType, type Pasted } from './pasted.js';

/** Reads `{ "method", "url", "headers", "body" | "fields" }`. Throws TEXT_INVALID. */
export function readJsonRequest(text: string): Pasted {
  const given = parsed(text);
  const { method = 'POST', url, headers, body, fields } = given;
  if (typeof method !== 'string') throw refused('method must be a text');
  if (typeof url !== 'string') throw refused('url is missing, or no text');
  if (body !== undefined && fields !== undefined) throw refused('it has body and fields; give one of them');
  if (body !== undefined && typeof body !== 'string')
    throw refused('body must be the text that is sent, form-encoded; fields may be an object');
  const sent = fields === undefined ? (body ?? '') : encodeForm(pairsOf(fields, 'fields'));
  const named = headers === undefined ? [] : pairsOf(headers, 'headers');
  const isTyped = fields === undefined || named.some(([name]) => name.toLowerCase() === 'content-type');
  return { method, url, headers: isTyped ? named : [...named, ['Content-Type', formType]], body: sent, notes: [] };
}

function parsed(text: string): Record<string, unknown> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw refused('it is not JSON');
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw refused('it must be an object with url, headers and fields');
  return { ...given };
}

/** An object of texts, or a list of `[name, value]` where names come more than once. */
function pairsOf(given: unknown, key: string): Pair[] {
  const list: readonly unknown[] = Array.isArray(given)
    ? given
    : typeof given === 'object' && given !== null
      ? Object.entries(given)
      : [null];
  return list.map((item, at): Pair => {
    const [name, value, ...more]: readonly unknown[] = Array.isArray(item) ? item : [];
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0)
      throw refused(`${key}, item ${at + 1}: names and values must be texts; numbers are written in quotes`);
    return [name, value];
  });
}

function refused(why: string): Error {
  return fail('TEXT_INVALID', { field: 'JSON request', why });
}
