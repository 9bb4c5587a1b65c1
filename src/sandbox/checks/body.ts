import { isPaycliError } from '../../errors/index.js';
import { nearest } from '../../errors/message-text.js';
import { acceptType, formType } from '../../signing/request-form.js';
import type { Assume, Operation, PlainProtection } from '../../spec/index.js';
import { keysByWire } from '../../wire/check.js';
import { decodeForm, type Pair } from '../../wire/form.js';
import { Refusal } from '../ledger/refusal.js';
import type { Route, SandboxRequest } from './request.js';

/**
 * Largest body in bytes. No request of the interface needs as many: at most two free texts of 65,536 characters, each
 * character up to twelve bytes when its four are escaped (A49).
 */
export const maxBodyBytes = 2_097_152;

export function bodyTooLarge(): Refusal {
  return new Refusal('too-large', `the body is larger than ${maxBodyBytes} bytes`);
}

/** What is wrong with a request apart from its fields. */
export function envelopeFindings({ headers, url }: SandboxRequest, protection: PlainProtection): string[] {
  const findings: string[] = [];
  // Compared byte for byte: a list of types, parameters or other case does not match.
  if (headers['accept'] !== acceptType) findings.push(`the header Accept must be exactly ${acceptType}`);
  const type = headers['content-type'];
  if (type !== formType && type?.split(';', 1)[0]?.trim().toLowerCase() !== formType)
    findings.push(`the header Content-Type must be ${formType}`);
  if (url.includes('?')) findings.push('the address must not have a query; all fields belong in the body');
  if (url.includes('#')) findings.push('the address must not have a fragment');
  const isSigned = protection.scheme === 'hmac-sha1' || protection.scheme === 'rsa-sha256';
  if (!isSigned && headers['authorization'] !== undefined)
    findings.push(
      `an Authorization header is not accepted here: this operation is protected by ${protection.scheme === 'control' ? 'the field control' : 'nothing'}`,
    );
  return findings;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Decoded {
  readonly pairs: readonly Pair[];
  readonly finding?: string;
}

// Checks, reply, log and audit all need the fields; a body of two million bytes is parsed once.
const decoded = new WeakMap<Uint8Array, Decoded>();

/** The fields of a body, or why it cannot be read. */
export function decodeBody(body: Uint8Array): Decoded {
  const found = decoded.get(body) ?? decode(body);
  decoded.set(body, found);
  return found;
}

function decode(body: Uint8Array): Decoded {
  try {
    return { pairs: decodeForm(utf8.decode(body)) };
  } catch (error) {
    return { pairs: [], finding: isPaycliError(error) ? error.message : 'form body: its bytes are not UTF-8' };
  }
}

/** Repeated names, and names the operation does not have. */
export function nameFindings(
  pairs: readonly Pair[],
  { row }: Route,
  protection: PlainProtection,
  assume: Assume,
): string[] {
  const names = pairs.map((pair) => pair[0]);
  const unknown = unknownNames(pairs, row, protection, assume);
  const known = unknown.length === 0 ? [] : knownNames(row, protection, assume);
  return [
    ...firstFew(
      repeatedNames(names),
      (name) => `the field ${maskName(name)} was sent more than once`,
      'fields were sent more than once',
    ),
    ...firstFew(unknown, (name) => unknownNameText(name, known, row.command, protection), 'fields are unknown'),
  ];
}

function repeatedNames(names: readonly string[]): string[] {
  const seen = new Set(names);
  if (seen.size === names.length) return [];
  const twice = new Set<string>();
  for (const name of names) if (!seen.delete(name)) twice.add(name);
  return [...twice];
}

const maxNamed = 10;

/** Names the first ten and counts the rest: a reply must not grow with the client's input. */
function firstFew(names: readonly string[], words: (name: string) => string, rest: string): string[] {
  const named = names.slice(0, maxNamed).map(words);
  return names.length > maxNamed ? [...named, `${names.length - maxNamed} more ${rest}`] : named;
}

/** Names in a body that the operation does not have, each once. */
export function unknownNames(
  pairs: readonly Pair[],
  row: Operation,
  protection: PlainProtection,
  assume: Assume,
): string[] {
  const keys = keysByWire(row, assume);
  const others = extraNames(row, protection);
  const isBeside = (name: string) =>
    others.includes(name) || (protection.scheme === 'hmac-sha1' && repeatable.test(name));
  const unknown = pairs.filter((pair) => !keys.has(pair[0]) && !isBeside(pair[0]));
  return unknown.length === 0 ? [] : [...new Set(unknown.map(([name]) => name))];
}

function knownNames(row: Operation, protection: PlainProtection, assume: Assume): string[] {
  return [...keysByWire(row, assume).keys(), ...extraNames(row, protection)];
}

/** A05: a login that is sent without need must still be correct. */
function extraNames(row: Operation, { scheme }: PlainProtection): string[] {
  return [...(row.fields['login'] === undefined ? [] : ['login']), ...(scheme === 'control' ? ['control'] : [])];
}

// A07: the HMAC example repeats these in the body; the signature itself stays in the header.
const repeatable = /^oauth_(?:consumer_key|nonce|signature_method|timestamp|version)$/;

function unknownNameText(name: string, known: readonly string[], command: string, protection: PlainProtection): string {
  if (name === 'control' && protection.scheme !== 'none')
    return `the field control is not accepted here: ${command} is signed in the Authorization header`;
  if (name.startsWith('oauth_')) return `the field ${maskName(name)} does not belong in the body of ${command}`;
  const meant = nearest(name, known);
  return `${command} has no field ${maskName(name)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** A misplaced value may be in place of a name, so only text that looks like a name is repeated. */
export function maskName(name: string): string {
  return /^[A-Za-z][\w.-]{0,63}$/.test(name) && !/\d{6}/.test(name) ? name : `[${[...name].length} characters]`;
}
