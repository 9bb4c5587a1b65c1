import { isPaycliError } from '../errors/index.js';
import { type Merchant, type Received, readPublicKey, requestSigning } from '../signing/index.js';
import { acceptType, formType } from '../signing/request-form.js';
import { type Operation, operations, type PlainProtection } from '../spec/index.js';
import { keysByWire, protectionOf, withLostPlusSigns } from '../wire/check.js';
import { decodeForm, type Pair } from '../wire/form.js';
import { Secret } from '../wire/mask.js';
import { compatibleHint, findLooseRoute, mendValues } from './compatible.js';
import { endpointFindings, type FormFinding, readFields, valuesOf } from './fields.js';
import { maskMethod, maskName, pathOf } from './masking.js';
import { merchantOf } from './merchants.js';
import { Refusal, type RuleViolation } from './refusal.js';
import type { CheckedRequest, Route, SandboxRequest, SandboxSettings } from './request.js';
import type { Store } from './store.js';
import { integer, numbered, Table, text } from './table.js';

/**
 * Largest body in bytes. No request of the interface needs as many: at most two free texts of 65,536 characters, each
 * character up to twelve bytes when its four are escaped (A49).
 */
export const maxBodyBytes = 2_097_152;

export function bodyTooLarge(): Refusal {
  const why = `the body is larger than ${maxBodyBytes} bytes`;
  return new Refusal('too-large', why, [{ rule: 'body-too-large', detail: why }]);
}

/** Where a sandbox serves the interface, under whatever host. */
export const gatewayPrefix = '/gateway';

const rows = new Map(operations.map((row) => [gatewayPrefix + row.path, row]));

/** Finds the operation of an address by its path; the endpoint id after it is not checked yet. */
export function routeOf(request: Pick<SandboxRequest, 'url' | 'method'>, isCompatible = false): Route {
  const path = pathOf(request);
  const cut = path.lastIndexOf('/');
  const row = rows.get(path.slice(0, cut));
  const loose = isCompatible ? findLooseRoute(path, gatewayPrefix)?.route : undefined;
  const route = row === undefined ? loose : { id: row.id, row, endpointId: path.slice(cut + 1) };
  if (route === undefined)
    throw new Refusal('unknown-path', unknownPathText(path), [
      { rule: 'address-wrong', detail: 'unknown operation path' },
    ]);
  if (request.method === 'POST') return route;
  const method = maskMethod(request);
  throw new Refusal('method', `every operation is a POST; this was ${method}`, [
    { rule: 'address-wrong', detail: `${method} instead of POST` },
  ]);
}

function unknownPathText(path: string): string {
  if (operations.some((row) => path.endsWith(row.path)))
    return `the path ends with the endpoint id, such as ${path}/4001`;
  const loose = findLooseRoute(path, gatewayPrefix);
  if (loose?.isGroup === true) return `a group id takes the place of the endpoint id; ${compatibleHint}`;
  if (loose === undefined && path.includes('/api/')) return 'this path is not part of this interface';
  const hint = loose === undefined ? '' : `; ${compatibleHint}`;
  return `unknown operation path; paths begin with ${gatewayPrefix}/api/ and end with the endpoint id${hint}`;
}

/** Reads a request by its row. Throws one Refusal with all mistakes in its form. */
export function readRequest(
  store: Store,
  request: SandboxRequest,
  route: Route,
  given: SandboxSettings,
): CheckedRequest {
  if (request.body.length > maxBodyBytes) throw bodyTooLarge();
  const { row } = route;
  const { pairs, finding } = decodeBody(request.body);
  const settings = given.isCompatible ? withSentControl(row, pairs, given) : given;
  const protection = protectionOf(row, settings.assume);
  const merchant = merchantOf(store, route.endpointId);
  const whole = withLostPlusSigns(pairs, request.body, row, settings.assume);
  const { isCompatible } = given;
  const strict = valuesOf(whole.pairs, route, settings);
  const mended = isCompatible ? mendValues(strict, route, settings) : { values: strict, findings: [] };
  const { findings: wrong, ...reading } = readFields(mended.values, route, settings, store.clock.now());
  const ofBody: readonly FormFinding[] =
    finding === undefined
      ? [
          ...nameFindings(pairs, row, protectionOf(row, given.assume), given),
          ...whole.findings.map((why): FormFinding => ({ rule: 'field-wrong', why })),
          ...wrong,
        ]
      : [{ rule: 'field-wrong', why: finding }];
  const found = [...envelopeFindings(request, protection), ...endpointFindings(pairs, route, merchant), ...ofBody];
  const taken = [...found.filter(({ isTakenAnyway }) => isTakenAnyway), ...mended.findings];
  const refused = isCompatible ? found.filter(({ isTakenAnyway }) => !isTakenAnyway) : found;
  if (merchant === undefined || refused.length > 0) {
    // What --compatible would still refuse.
    const { values } = mendValues(strict, route, settings);
    const stillWrong = readFields(values, route, settings, store.clock.now()).findings;
    const left = [...found.filter((each) => !wrong.includes(each)), ...stillWrong];
    const isHelped = !isCompatible && left.every(({ isTakenAnyway }) => isTakenAnyway);
    throw invalid(row, refused, isHelped ? `; ${compatibleHint}` : '');
  }
  const loose = isCompatible ? findLooseRoute(pathOf(request), gatewayPrefix)?.violations : undefined;
  const details = [...(loose ?? []), ...violationsIn(row, taken)].map(({ detail }) => detail);
  const tolerated = details.map((detail) => ({ rule: 'accepted', detail }) as const);
  return { route, settings, merchant, protection, pairs, ...reading, tolerated };
}

/** A09: card information is protected by the checksum that a client sends with it. */
function withSentControl({ id }: Operation, pairs: readonly Pair[], settings: SandboxSettings): SandboxSettings {
  const isSent = id === 'CARDINFO' && pairs.some(([name]) => name === 'control');
  return isSent ? { ...settings, assume: { ...settings.assume, 'card-info-control': 'login+cardrefid' } } : settings;
}

function invalid(row: Operation, findings: readonly FormFinding[], hint: string): Refusal {
  const whys = findings.map(({ why }) => why).join('; ');
  return new Refusal('invalid', whys + hint, violationsIn(row, findings));
}

function violationsIn({ command }: Operation, findings: readonly FormFinding[]): readonly RuleViolation[] {
  return findings.map(({ rule, why }) => ({ rule, detail: `${command}: ${why}` }));
}

/** What is wrong with a request apart from its fields. */
function envelopeFindings({ headers, url }: SandboxRequest, { scheme }: PlainProtection): FormFinding[] {
  const findings: FormFinding[] = [];
  // Compared byte for byte: a list of types, parameters or other case does not match.
  if (headers['accept'] !== acceptType)
    findings.push({
      rule: headers['accept'] === undefined ? 'accept-missing' : 'accept-inexact',
      why: `the header Accept must be exactly ${acceptType}`,
      isTakenAnyway: true,
    });
  if (mediaType(headers) !== formType)
    findings.push({ rule: 'content-type', why: `the header Content-Type must be ${formType}` });
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset) || (headers['content-encoding'] ?? 'identity') !== 'identity')
    findings.push({ rule: 'content-type', why: 'the body must be plain UTF-8: no Content-Encoding, no other charset' });
  if (url.includes('?'))
    findings.push({ rule: 'address-wrong', why: 'the address must not have a query; all fields belong in the body' });
  if (url.includes('#')) findings.push({ rule: 'address-wrong', why: 'the address must not have a fragment' });
  if (headers['authorization'] !== undefined && (scheme === 'control' || scheme === 'none'))
    findings.push({
      rule: 'scheme-oauth-for-control',
      why: `an Authorization header is not accepted here: this operation is protected by ${scheme === 'control' ? 'the field control' : 'nothing'}`,
    });
  return findings;
}

/** The media type that a request says its body has. */
export function mediaType(headers: SandboxRequest['headers']): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
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
function nameFindings(
  pairs: readonly Pair[],
  row: Operation,
  protection: PlainProtection,
  { assume }: SandboxSettings,
): FormFinding[] {
  const names = pairs.map(([name]) => name);
  const { scheme } = protection;
  // A05: a login that is sent without need must still be correct.
  const beside = [
    ...(row.fields['login'] === undefined ? [] : ['login']),
    ...(scheme === 'control' ? ['control'] : []),
  ];
  const keys = keysByWire(row, assume);
  const isKnown = (name: string) =>
    keys.has(name) || beside.includes(name) || (scheme === 'hmac-sha1' && repeatable.test(name));
  const unknown = [...new Set(names.filter((name) => !isKnown(name)))];
  return [
    ...firstFew(repeated(names), 'fields were sent more than once', (name) => ({
      rule: 'field-wrong',
      why: `the field ${maskName(name)} was sent more than once`,
    })),
    ...firstFew(unknown, 'fields are unknown', (name) => unknownName(name, row.command, scheme)),
  ];
}

// A07: the HMAC example repeats these in the body; the signature itself stays in the header.
const repeatable = /^oauth_(?:consumer_key|nonce|signature_method|timestamp|version)$/;

function repeated(names: readonly string[]): string[] {
  const once = new Set(names);
  return once.size === names.length ? [] : [...new Set(names.filter((name) => !once.delete(name)))];
}

const maxNamed = 10;

/** Names the first ten and counts the rest: a reply must not grow with the client's input. */
function firstFew(names: readonly string[], rest: string, find: (name: string) => FormFinding): FormFinding[] {
  const named = names.slice(0, maxNamed).map(find);
  const left = names.length - named.length;
  return left === 0 ? named : [...named, { ...named[0], rule: 'field-wrong', why: `${left} more ${rest}` }];
}

function unknownName(name: string, command: string, scheme: PlainProtection['scheme']): FormFinding {
  if (name === 'control' && scheme !== 'none')
    return {
      rule: 'scheme-control-for-oauth',
      why: `the field control is not accepted here: ${command} is signed in the Authorization header`,
    };
  if (name.startsWith('oauth_'))
    return { rule: 'field-unknown', why: `the field ${maskName(name)} does not belong in the body of ${command}` };
  return { rule: 'field-unknown', why: `${command} has no field ${maskName(name)}`, isTakenAnyway: true };
}

export const nonces = new Table('nonces', { id: numbered, login: text, nonce: text, stamp: integer }, [
  'UNIQUE INDEX nonces_of_merchant ON @ (login, nonce)',
]);
// Not at every request: the oldest are deleted together.
const noncesPrunedEvery = 500;

/** Verifies the signature of a request and uses up its nonce. Throws a Refusal that names the expected recipe. */
export function checkSignature(store: Store, request: SandboxRequest, checked: CheckedRequest): void {
  const { protection, settings } = checked;
  const received = receivedFrom(request, checked, checked.amount?.toString());
  const verdict = requestSigning.verify(received, verificationKeys(checked), settings.assume);
  if (!verdict.ok && protection.scheme === 'control')
    throw new Refusal('control', `INVALID_CONTROL_CODE: ${verdict.detail}`);
  if (!verdict.ok)
    throw new Refusal(
      'oauth',
      `${verdict.detail} (this operation is signed with OAuth 1.0a, ${protection.scheme.toUpperCase()})`,
    );
  if (verdict.nonce !== undefined) useNonce(store, checked, verdict.nonce, Number(verdict.timestamp));
}

/** A request to a known operation as signing sees it, whether its form was right or not. */
export function receivedFrom(
  { url, headers }: SandboxRequest,
  { route, protection, pairs }: Pick<CheckedRequest, 'route' | 'protection' | 'pairs'>,
  minor: string | undefined,
): Received {
  const { authorization } = headers;
  return {
    ...{ row: route.row, url, protection, endpointId: route.endpointId, pairs },
    ...(authorization === undefined ? {} : { authorization }),
    ...(minor === undefined ? {} : { minor }),
  };
}

/** The keys that its signature is verified with. */
export function verificationKeys({ merchant, protection }: Pick<CheckedRequest, 'merchant' | 'protection'>): Merchant {
  return {
    login: merchant.login,
    controlKey: new Secret(merchant.controlKey),
    ...(merchant.publicKeyPem === undefined || protection.scheme !== 'rsa-sha256'
      ? {}
      : { publicKey: readPublicKey(merchant.publicKeyPem).keyObject }),
  };
}

/** A23: a timestamp near the clock of this machine, and a nonce no earlier request of this merchant had. */
function useNonce(store: Store, { merchant, settings }: CheckedRequest, nonce: string, stamp: number): void {
  const window = Number(settings.assume['oauth-window']);
  const now = Math.floor(store.machine.now() / 1000);
  const off = Math.abs(now - stamp);
  if (off > window)
    throw new Refusal(
      'oauth-clock',
      `oauth_timestamp is ${off} seconds off this machine's clock; at most ${window} are allowed`,
    );
  const { changes, lastId } = nonces.insert(store, { login: merchant.login, nonce, stamp }, 'INSERT OR IGNORE');
  if (changes === 0) throw new Refusal('oauth-nonce', 'oauth_nonce was used before; each attempt needs a new one');
  if (lastId % noncesPrunedEvery === 0) store.database.run('DELETE FROM nonces WHERE stamp < ?', now - window);
}
