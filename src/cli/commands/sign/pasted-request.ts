import { fail } from '../../../errors/index.js';
import type { Received, Unsigned } from '../../../signing/index.js';
import { type Assume, allOperations, type Operation } from '../../../spec/index.js';
import { hostOf, isLoopback } from '../../../wire/address.js';
import { digitsOf, minorText, readAmount } from '../../../wire/amount.js';
import { fieldsInForce, protectionOf } from '../../../wire/check-request.js';
import { decodeForm, type Pair } from '../../../wire/form.js';
import type { Session } from '../../core/session.js';

/** A request somebody pasted, before anything is looked up. */
export interface PastedRequest {
  readonly method: string;
  /** A whole address; a path alone where `host` says the rest. */
  readonly url: string;
  readonly host?: string | undefined;
  /** In their order, names as written. */
  readonly headers: readonly Pair[];
  /** Form text as it travels. */
  readonly body: string;
  /** Remarks on what was read. */
  readonly notes: readonly string[];
}

/** The value of a header, whatever the case of its name; joined when it is repeated, as servers read it. */
export function headerOf({ headers }: Pick<PastedRequest, 'headers'>, name: string): string | undefined {
  const values = headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

export const formType = 'application/x-www-form-urlencoded';

/** Refuses a body the interface does not take, and which no signature covers. Throws TEXT_INVALID. */
export function requireForm(pasted: PastedRequest): PastedRequest {
  const type = headerOf(pasted, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (pasted.body === '') return pasted;
  if (type !== '' && type !== formType)
    throw unsignedBody(`the body is sent as ${/^[\w.+/-]{1,60}$/.test(type) ? type : 'another type'}`);
  if (/^\s*[[{]/.test(pasted.body)) throw unsignedBody('the body is JSON');
  return pasted;
}

function unsignedBody(what: string): Error {
  return fail('bodyNotSigned', { what, form: formType });
}

/** The operation and the endpoint an address is of; undefined when the interface has no such path. */
export function operationAt(url: string): { readonly row: Operation; readonly endpointId: string } | undefined {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const cut = path.lastIndexOf('/');
  const row = allOperations.find((candidate) => path.slice(0, cut).endsWith(candidate.path));
  return row === undefined ? undefined : { row, endpointId: path.slice(cut + 1) };
}

/** The whole address. A raw request names only the host: it is https but for this machine, or as the profile has it. */
export function urlOf({ url, host }: PastedRequest, base?: string): string {
  if (host === undefined) return url;
  const isOwn = base !== undefined && URL.canParse(`http://${host}`) && hostOf(base) === host.toLowerCase();
  if (isOwn) return `${new URL(base).protocol}//${host}${url}`;
  const isHere = URL.canParse(`http://${host}`) && isLoopback(`http://${host}`);
  return `${isHere ? 'http' : 'https'}://${host}${url}`;
}

/** A pasted request as the gateway would see it, and as it looked before it was signed. */
export interface ReceivedRequest {
  readonly received: Received;
  readonly unsigned: Unsigned;
}

export function receivedRequestFrom(
  pasted: PastedRequest,
  { row, endpointId }: { readonly row: Operation; readonly endpointId: string },
  session: Session,
): ReceivedRequest {
  const { baseUrl } = session.target(endpointId);
  const pairs = decodeForm(pasted.body);
  const values = valuesIn(pairs, row, session.assume);
  const minor = minorOf(values, endpointId, session.assume);
  const common = {
    row,
    url: urlOf(pasted, baseUrl),
    endpointId,
    protection: protectionOf(row, session.assume),
    ...(minor === undefined ? {} : { minor }),
  };
  const authorization = headerOf(pasted, 'authorization');
  return {
    received: { ...common, pairs, ...(authorization === undefined ? {} : { authorization }) },
    unsigned: { ...common, values, pairs: pairs.filter(([name]) => name !== 'control' && !name.startsWith('oauth_')) },
  };
}

function valuesIn(pairs: readonly Pair[], row: Operation, assume: Assume): Record<string, string> {
  const first = new Map([...pairs].reverse());
  return Object.fromEntries(
    fieldsInForce(row, assume).flatMap(([key, { wire }]) => {
      const value = first.get(wire);
      return value === undefined || value === '' ? [] : [[key, value]];
    }),
  );
}

/** The amount of the body in minor units (A03, A04); undefined when there is none that can be read. */
function minorOf({ amount, currency }: Record<string, string>, endpointId: string, assume: Assume): string | undefined {
  if (amount === undefined) return undefined;
  if (assume['body-amount'] === 'minor') return /^[1-9]\d{0,15}$/.test(amount) ? amount : undefined;
  const reading = readAmount(amount, currency ?? '', digitsOf(currency ?? '', assume['minor-digits'], endpointId));
  return reading.ok ? minorText(reading.minor) : undefined;
}
