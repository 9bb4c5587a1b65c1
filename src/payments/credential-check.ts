import type { Credentials } from '../signing/index.js';
import {
  createCardRefV4,
  type Operation,
  type OperationId,
  operationById,
  type PlainProtection,
  panEligibility,
  replyField,
  statusQuery,
} from '../spec/index.js';
import { protectionOf } from '../wire/check.js';
import { type Classified, isOrderUnknown } from './classify.js';
import { compose, type Target } from './compose.js';
import { type ExchangeOptions, type ExchangePorts, exchange } from './exchange.js';
import { failureFacts, type RefusedFor, refusalCause } from './failure.js';

export type CheckVerdict = 'good' | 'refused' | 'not-sent' | 'no-answer';

/** How a gateway answered a signed request that changes nothing. */
export interface CredentialCheck {
  readonly verdict: CheckVerdict;
  /** In words of paycli. */
  readonly reason: string;
  /** The error message of the gateway on one line, which is foreign text. */
  readonly gatewayMessage?: string;
  /** That message in quotes, or the reason, with HTTP status, error code and serial number; on one line. */
  readonly answer: string;
  /** What to check, where something other than the gateway seems to have answered, or has the wrong certificate. */
  readonly check?: string;
  /** HTTP status, when a reply came. */
  readonly status?: number;
  /** The reply was about another order than the one that was queried. */
  readonly isOfAnother?: true;
  /** The client order id that was queried, which no order has. */
  readonly clientOrderId: string;
}

/**
 * Queries the status of an order that does not exist: the answer that there is no such order proves address, endpoint,
 * login and control key, and nothing about an RSA key.
 */
export async function checkCredentials(
  target: Target,
  credentials: Credentials,
  ports: ExchangePorts,
  options: ExchangeOptions,
): Promise<CredentialCheck> {
  const { classified, clientOrderId } = await ask('control', target, credentials, ports, options);
  return { verdict: verdictOf(classified, isOrderUnknown(classified)), clientOrderId, ...answerOf(classified) };
}

/** The schemes that authenticate the merchant. */
export type SignedScheme = Exclude<PlainProtection['scheme'], 'none'>;

interface Probe {
  readonly operation: OperationId;
  /** By field key, beside a made-up client order id. */
  readonly about: Readonly<Record<string, string>>;
}

// Above any id that a gateway has given so far, and within 64-bit integers.
const unusedId = '999999999999999999';

/**
 * The request for each scheme. Only control has a read. The others use an operation that moves no money and has no
 * effect, because the order or card reference it names does not exist.
 */
const probes: Readonly<Record<SignedScheme, Probe>> = {
  control: { operation: statusQuery.id, about: {} },
  'hmac-sha1': { operation: panEligibility.id, about: { sendingCardRefId: unusedId } },
  'rsa-sha256': { operation: createCardRefV4.id, about: { orderId: unusedId } },
};

/** The operation that a scheme is checked with. */
export function probeOperation(scheme: SignedScheme): Operation {
  return operationById(probes[scheme].operation);
}

/**
 * `not-offered`: the endpoint does not offer the operation, which proves nothing about the key.
 * `carried-out`: the gateway accepted a request about something that does not exist; one that accepts everything proves
 * nothing about the key either.
 */
type SchemeVerdict = CheckVerdict | 'not-offered' | 'carried-out';

export interface SchemeCheck extends Omit<CredentialCheck, 'verdict'> {
  readonly verdict: SchemeVerdict;
  /** What a refusal is about. */
  readonly about: RefusedFor;
}

/**
 * Sends one request signed in a scheme, about something that does not exist. `target` is the endpoint of
 * `questionIn(scheme)`. Under A11 `card-data` there is no such request for RSA-SHA256, since a card would be stored:
 * the caller leaves it out (see `isSafeToAsk`).
 */
export async function checkScheme(
  scheme: SignedScheme,
  target: Target,
  credentials: Credentials,
  ports: ExchangePorts,
  options: ExchangeOptions,
): Promise<SchemeCheck> {
  const { classified, clientOrderId } = await ask(scheme, target, credentials, ports, options);
  const isGood = knowsNoOrder(classified) || (scheme !== 'control' && isCardUnknown(classified));
  const isMissing = scheme !== 'control' && !isGood && isNotOffered(classified);
  const verdict =
    scheme !== 'control' && classified.class === 'accepted'
      ? 'carried-out'
      : isMissing
        ? 'not-offered'
        : verdictOf(classified, isGood);
  return { verdict, about: refusalCause(classified), clientOrderId, ...answerOf(classified) };
}

/** False where the check of this scheme could change something. */
export function isSafeToProbe(scheme: SignedScheme, { assume }: Pick<Target, 'assume'>): boolean {
  return scheme !== 'rsa-sha256' || assume['card-ref-source'] === 'order';
}

async function ask(
  scheme: SignedScheme,
  target: Target,
  credentials: Credentials,
  ports: ExchangePorts,
  options: ExchangeOptions,
): Promise<{ readonly classified: Classified; readonly clientOrderId: string }> {
  const clientOrderId = `check-${ports.random.letters(8)}`;
  // It can change nothing, so it may be repeated like a read, and a lost reply leaves no outcome unknown.
  const row: Operation = { ...probeOperation(scheme), effect: 'read' };
  if (protectionOf(row, target.assume).scheme !== scheme) throw new Error(`${row.id} is not signed with ${scheme}`);
  const question = compose(row, { clientOrderId, ...probes[scheme].about }, [], target);
  return { classified: await exchange(question, credentials, ports, options), clientOrderId };
}

/**
 * With a 404 as well (A37): the gateway's own record proves the credentials, and no payment depends on it.
 */
function knowsNoOrder(classified: Classified): boolean {
  return isOrderUnknown(classified.status === 404 ? { ...classified, status: 400 } : classified);
}

function answerOf(classified: Classified): Omit<CredentialCheck, 'verdict' | 'clientOrderId'> {
  const { reason, status, isOfAnother } = classified;
  const { why, check, gatewayMessage } = failureFacts(classified);
  return {
    reason,
    // The reason of a failure begins with the message, if there is one.
    answer: gatewayMessage === undefined ? why : `"${gatewayMessage}"${why.slice(gatewayMessage.length)}`,
    ...(gatewayMessage === undefined ? {} : { gatewayMessage }),
    ...(check === undefined ? {} : { check }),
    ...(status === undefined ? {} : { status }),
    ...(isOfAnother === undefined ? {} : { isOfAnother }),
  };
}

function messageIn(fields: Classified['fields']): string | undefined {
  return fields === undefined ? undefined : replyField(fields, 'errorMessage');
}

function verdictOf(classified: Classified, isGood: boolean): CheckVerdict {
  if (classified.class === 'accepted') return 'good';
  if (classified.class === 'not-sent' || classified.class === 'certificate') return 'not-sent';
  if (classified.class !== 'refused') return 'no-answer';
  return isGood ? 'good' : 'refused';
}

const saysCardUnknown = [
  /\bcard\b.*\b(?:not found|unknown|does(?: not|n't) exist|is no(?:t a)? card reference)\b/i,
  /\b(?:no such|unknown|(?:can ?not|could not|can't) find)(?: the| an?)? card\b/i,
];

/** The same as `isOrderUnknown`, of a card reference. */
function isCardUnknown({ class: kind, status, fields }: Classified): boolean {
  const isAnswer = kind === 'refused' && (status === 200 || status === 400);
  const words = (messageIn(fields) ?? '').replaceAll(/[-_]/g, ' ');
  return isAnswer && saysCardUnknown.some((each) => each.test(words));
}

const offered = String.raw`\b(?:operation|method|service|transaction|end ?point|project|gate)\b`;
const saysNotOffered = new RegExp(
  String.raw`${offered}.*\b(?:not|un)[ -]?(?:supported|enabled|available|configured)\b`,
  'i',
);

/** False for messages about rights and keys: those are refusals. */
function isNotOffered({ class: kind, status, fields }: Classified): boolean {
  if (kind === 'refused') return (status === 200 || status === 400) && saysNotOffered.test(messageIn(fields) ?? '');
  return kind === 'read-retry' && (status === 404 || status === 405 || status === 501);
}
