import { type Profile, readCaFile } from '../../config/index.js';
import { type Classified, isOrderUnknown } from '../../payments/classify.js';
import { compose, type Target } from '../../payments/compose.js';
import { exchange, type GatewayConnection } from '../../payments/exchange.js';
import {
  allowListAdvice,
  type FailureFacts,
  failureFacts,
  type RefusedFor,
  refusalCause,
} from '../../payments/failure.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Credentials } from '../../signing/index.js';
import { createCardRefV4, type Operation, replyField, statusQuery } from '../../spec/index.js';
import { protectionOf } from '../../wire/check.js';
import { profileFlag } from '../format/profile.js';
import type { Reporter } from './reporter.js';

/** `unproved`: the answer says nothing about the key, as the endpoint does not offer the operation or accepted it. */
type CheckVerdict = 'good' | 'refused' | 'not-sent' | 'no-answer' | 'unproved';

/** How a gateway answered a signed request that changes nothing. */
export interface SchemeCheck extends Omit<FailureFacts, 'why'> {
  readonly verdict: CheckVerdict;
  /** In words of paycli. */
  readonly reason: string;
  readonly about: RefusedFor;
  /** The gateway's message in quotes, or the reason, with HTTP status, error code and serial number; on one line. */
  readonly answer: string;
}

/** The schemes in which a key is checked; HMAC-SHA1 signs with the control key as well. */
export type KeyScheme = 'control' | 'rsa-sha256';

/** Nobody waits long for a check. */
export const probeReplyMs = 15_000;

// Above any id that a gateway has given so far, and within 64-bit integers.
const unusedId = '999999999999999999';

/**
 * The operation that each scheme is checked with. Only control has a read. RSA uses one that has no effect, because the
 * order it names does not exist.
 */
const probes: Readonly<Record<KeyScheme, Operation>> = { control: statusQuery, 'rsa-sha256': createCardRefV4 };

/** False where the check of this scheme could store a card (A11). */
export function isSafeToProbe(scheme: KeyScheme, { assume }: Pick<Target, 'assume'>): boolean {
  return scheme !== 'rsa-sha256' || assume['card-ref-source'] === 'order';
}

/**
 * Sends one request signed in a scheme, about something that does not exist: the answer that there is no such thing
 * proves address, endpoint, login and this key. Only where `isSafeToProbe` says so.
 */
export async function checkScheme(
  scheme: KeyScheme,
  connection: GatewayConnection,
  endpointId: string,
  signal: AbortSignal,
): Promise<SchemeCheck> {
  const { assume, ports, target } = connection;
  const clientOrderId = `check-${ports.random.letters(8)}`;
  // It can change nothing, so it may be repeated like a read, and a lost reply leaves no outcome unknown.
  const row: Operation = { ...probes[scheme], effect: 'read' };
  if (protectionOf(row, assume).scheme !== scheme) throw new Error(`${row.id} is not signed with ${scheme}`);
  const order = scheme === 'control' ? { clientOrderId } : { clientOrderId, orderId: unusedId };
  const question = compose(row, order, [], target(endpointId));
  const classified = await exchange(question, connection, { signal });
  const { why, ...facts } = failureFacts(classified);
  const { gatewayMessage: message } = facts;
  return {
    ...facts,
    verdict: verdictOf(classified, scheme),
    reason: classified.reason,
    about: refusalCause(classified),
    // The reason of a failure begins with the message, if there is one.
    answer: message === undefined ? why : `"${message}"${why.slice(message.length)}`,
  };
}

function verdictOf(classified: Classified, scheme: KeyScheme): CheckVerdict {
  const { class: kind, status = 0, fields = new Map() } = classified;
  if (kind === 'accepted') return scheme === 'control' ? 'good' : 'unproved';
  if (kind === 'not-sent' || kind === 'certificate') return 'not-sent';
  // With a 404 as well (A37): the gateway's own record proves the credentials, and no payment depends on it.
  if (isOrderUnknown(status === 404 ? { ...classified, status: 400 } : classified)) return 'good';
  const isNoPath = kind === 'read-retry' && [404, 405, 501].includes(status);
  if (scheme !== 'control' && (isNoPath || saysNotOffered.test(replyField(fields, 'errorMessage') ?? '')))
    return 'unproved';
  return kind === 'refused' ? 'refused' : 'no-answer';
}

// Not of rights and keys: those are refusals.
const saysNotOffered =
  /\b(?:operation|method|service|transaction|end ?point|project|gate)\b.*\b(?:not|un)[ -]?(?:supported|enabled|available|configured)\b/i;

/** Checks a key with the gateway, with a progress line. A signal ends the request, not the command. */
export async function checkKey(
  scheme: KeyScheme,
  { baseUrl, login, assume, caFile, endpointFor }: Profile,
  credentials: Omit<Credentials, 'login'>,
  report: Reporter,
  runtime: Runtime,
): Promise<SchemeCheck> {
  const endpointId = endpointFor(probes[scheme].id);
  const target = { baseUrl, endpointId, login, assume };
  const stop = new AbortController();
  const unlisten = runtime.processes.onStop(() => stop.abort());
  const transport = await runtime.transport(caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
  report.progress('checking with the gateway …');
  try {
    const ports = { transport, clock: runtime.clock, random: runtime.random };
    const keys = { target: () => target, credentials: async () => ({ login, ...credentials }) };
    return await checkScheme(scheme, { assume, replyMs: probeReplyMs, ports, ...keys }, endpointId, stop.signal);
  } finally {
    report.progress(undefined);
    unlisten();
    await transport.close();
  }
}

/** What the gateway's answer to a signed request says about the key, and what to do about it. */
interface Judged {
  readonly result: 'pass' | 'warn' | 'fail';
  readonly text: string;
  readonly next: string;
}

/** `profile` is named in the advice. */
export function judgeCheck(check: SchemeCheck, scheme: KeyScheme, profile: string): Judged {
  const { verdict, answer, reason, check: advice } = check;
  const request = `a request signed with ${scheme === 'control' ? 'the control key' : 'the private key'}`;
  const untested = 'the key was not tested; check the address and the network, and try again later';
  switch (verdict) {
    case 'good':
      return {
        result: 'pass',
        text: `the gateway accepted ${request}: for a non-existent id it answered ${answer}`,
        next: '',
      };
    case 'refused':
      return {
        result: 'fail',
        text: `the gateway refused ${request}: ${answer}`,
        next: adviseRefused(check, scheme, profile),
      };
    case 'not-sent':
      return { result: 'fail', text: `the gateway was not reached: ${reason}`, next: advice ?? untested };
    case 'no-answer':
      return { result: 'fail', text: `${request} got no usable reply: ${answer}`, next: advice ?? untested };
    case 'unproved':
      return {
        result: 'warn',
        text: `${request} proved nothing: ${answer}`,
        next: 'send an operation signed with this key on a test profile',
      };
  }
}

/** The key is suspected only where the gateway complains about the signature or gives no reason. */
function adviseRefused({ httpStatus, gatewayMessage, about }: SchemeCheck, scheme: KeyScheme, profile: string): string {
  if (httpStatus === 403 && gatewayMessage === undefined) return allowListAdvice;
  if (about !== 'signature' && about !== 'unsaid')
    return `the key may be correct: first fix what the gateway complains about; \`paycli profile show --origins${profileFlag(profile)}\` shows where each value comes from`;
  if (scheme === 'rsa-sha256')
    return 'give the public key to gateway support (`paycli keys convert FILE --to spki` prints it)';
  return 'compare control key, login and endpoint with what gateway support gave you';
}
