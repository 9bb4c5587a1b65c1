import { nearest } from '../../errors/message-text.js';
import { type Merchant, type Received, readPublicKey, requestSigning } from '../../signing/index.js';
import { operations } from '../../spec/index.js';
import { protectionOf, withLostPlusSigns } from '../../wire/check.js';
import { Secret } from '../../wire/mask.js';
import { merchantOf } from '../ledger/merchants.js';
import { Refusal } from '../ledger/refusal.js';
import type { Store } from '../ledger/store.js';
import { bodyTooLarge, decodeBody, envelopeFindings, maxBodyBytes, nameFindings } from './body.js';
import { endpointFinding, merchantFindings, readFields, valuesOf } from './fields.js';
import type { CheckedRequest, Route, SandboxRequest, SandboxSettings } from './request.js';

/** Where a sandbox serves the interface, under whatever host. */
export const gatewayPrefix = '/gateway';

/** Finds the operation of an address by its path; the endpoint id after it is not checked yet. */
export function routeOf({ url, method }: SandboxRequest): Route {
  const path = /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url)?.[1] ?? '';
  const cut = path.lastIndexOf('/');
  const wanted = path.slice(0, cut);
  const row = rows.get(wanted);
  if (row === undefined) throw new Refusal('unknown-path', unknownPathText(path, wanted));
  if (method !== 'POST')
    throw new Refusal(
      'method',
      `every operation is a POST; this was ${/^[A-Z]{1,10}$/.test(method) ? method : 'another method'}`,
    );
  return { id: row.id, row, endpointId: path.slice(cut + 1) };
}

const rows = new Map(operations.map((row) => [gatewayPrefix + row.path, row]));
const paths = [...rows.keys()];

function unknownPathText(path: string, wanted: string): string {
  const whole = paths.find((known) => known === path);
  if (whole !== undefined) return `the path ends with the endpoint id, such as ${whole}/4001`;
  const known = nearest(wanted, paths) ?? nearest(gatewayPrefix + wanted, paths) ?? nearest(path, paths);
  const outside = `paths begin with ${gatewayPrefix}/api/ and end with the endpoint id`;
  return known === undefined
    ? `unknown operation path; ${outside}`
    : `unknown operation path; the nearest is ${known}/{endpointId}`;
}

/** Reads a request by its row. Throws one Refusal with all mistakes in its form. */
export function readRequest(
  store: Store,
  request: SandboxRequest,
  route: Route,
  settings: SandboxSettings,
): CheckedRequest {
  if (request.body.length > maxBodyBytes) throw bodyTooLarge();
  const protection = protectionOf(route.row, settings.assume);
  const { pairs, finding } = decodeBody(request.body);
  const findings = envelopeFindings(request, protection);
  const malformedEndpoint = endpointFinding(route);
  const merchant = malformedEndpoint === undefined ? merchantOf(store, route.endpointId) : undefined;
  if (malformedEndpoint !== undefined) findings.push(malformedEndpoint);
  else if (merchant === undefined)
    findings.push(`end point with id ${route.endpointId} not found; \`paycli sandbox status\` lists the existing ones`);
  else findings.push(...merchantFindings(pairs, route, merchant));
  if (finding !== undefined) findings.push(finding);
  else findings.push(...nameFindings(pairs, route, protection, settings.assume));
  const whole = withLostPlusSigns(pairs, request.body, route.row, settings.assume);
  const reading = readFields(valuesOf(whole.pairs, route, settings), route, settings, store.clock.now());
  if (finding === undefined) findings.push(...whole.findings, ...reading.findings);
  if (merchant === undefined || findings.length > 0) throw new Refusal('invalid', findings.join('; '));
  return {
    route,
    settings,
    merchant,
    protection,
    pairs,
    values: reading.values,
    amount: reading.amount,
    digits: reading.digits,
  };
}

/** Verifies the signature of a request and uses up its nonce. Throws a Refusal that names the expected recipe. */
export function checkSignature(store: Store, request: SandboxRequest, checked: CheckedRequest): void {
  const { protection, settings } = checked;
  const verdict = requestSigning.verify(receivedRequest(request, checked), verificationKeys(checked), settings.assume);
  if (!verdict.ok && protection.scheme === 'control')
    throw new Refusal('control', `INVALID_CONTROL_CODE: ${verdict.detail}`);
  if (!verdict.ok)
    throw new Refusal(
      'oauth',
      `${verdict.detail} (this operation is signed with OAuth 1.0a, ${protection.scheme.toUpperCase()})`,
    );
  if (verdict.nonce !== undefined) useNonce(store, checked, verdict.nonce, Number(verdict.timestamp));
}

/** A checked request as signing sees it. */
export function receivedRequest(request: SandboxRequest, checked: CheckedRequest): Received {
  const { amount } = checked;
  return receivedFrom(request, { ...checked, minor: amount === undefined ? undefined : String(amount) });
}

/** Any request to a known operation as signing sees it, whether its form was right or not. */
export function receivedFrom(
  request: SandboxRequest,
  {
    route,
    protection,
    pairs,
    minor,
  }: Pick<CheckedRequest, 'route' | 'protection' | 'pairs'> & { minor: string | undefined },
): Received {
  const authorization = request.headers['authorization'];
  return {
    row: route.row,
    url: request.url,
    protection,
    endpointId: route.endpointId,
    pairs,
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
function useNonce(
  { database, machine }: Store,
  { merchant, settings }: CheckedRequest,
  nonce: string,
  stamp: number,
): void {
  const window = Number(settings.assume['oauth-window']);
  const now = Math.floor(machine.now() / 1000);
  const off = Math.abs(now - stamp);
  if (off > window)
    throw new Refusal(
      'oauth-clock',
      `oauth_timestamp is ${off} seconds off this machine's clock; at most ${window} are allowed`,
    );
  database.run('DELETE FROM nonces WHERE stamp < ?', now - window);
  const { changes } = database.run('INSERT OR IGNORE INTO nonces VALUES (?, ?, ?)', merchant.login, nonce, stamp);
  if (changes === 0) throw new Refusal('oauth-nonce', 'oauth_nonce was used before; each attempt needs a new one');
}
