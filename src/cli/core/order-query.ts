import { fail, isPaycliError, type PaycliError, shellWord } from '../../errors/index.js';
import type { Request } from '../../journal/port.js';
import { type Classified, saysUnknownOrder } from '../../payments/classify.js';
import { exchange, statusRequest, usualReplyMs } from '../../payments/exchange.js';
import { allowListAdvice, failureFacts, isLastingFailure, refusalCause } from '../../payments/failure.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import { replyField, statusQuery } from '../../spec/index.js';
import { hostOf } from '../../wire/address.js';
import { commandWith } from '../flags.js';
import { possibleEffect } from '../format/journal-entries.js';
import { type Fields, orderCommand } from '../format/meaning.js';
import type { Session } from '../session.js';
import type { CommonOptions } from './common-options.js';
import type { OrderIds } from './order-requests.js';

interface Asking {
  readonly options: CommonOptions;
  readonly session: Session;
  readonly runtime: Runtime;
}

/** How long a reply may take, in milliseconds. */
export function replyLimit({ timeout }: CommonOptions, { timeoutMs }: Session): number {
  return timeout ?? timeoutMs ?? usualReplyMs;
}

/**
 * The status fields of an order, without showing them, from an endpoint or that of the profile. Throws REFUSED or
 * READ_FAILED.
 */
export async function fetchStatus(
  { orderId, clientOrderId }: OrderIds,
  { options, session, runtime }: Asking,
  endpointId?: string,
): Promise<Fields> {
  const ports = { transport: await session.transport(), clock: runtime.clock, random: runtime.random };
  const { assume, target, credentials } = session;
  const query = { orderId, clientOrderId, endpointId: endpointId ?? session.endpointFor(statusQuery, undefined) };
  const question = statusRequest(query, target);
  const connection = { assume, replyMs: replyLimit(options, session), ports, target, credentials };
  const classified = await exchange(question, connection, { signal: new AbortController().signal });
  if (classified.class === 'accepted' && classified.fields !== undefined) return classified.fields;
  throw failureOfQuery(classified, question, session);
}

/** The ids of an order by its status, else those it was queried by. */
export function idsInStatus(fields: Fields, { orderId, clientOrderId }: OrderIds): OrderIds {
  return {
    orderId: replyField(fields, 'orderId') ?? orderId,
    clientOrderId: replyField(fields, 'clientOrderId') ?? clientOrderId,
  };
}

/** The error for an answer that is no reply about the order. */
export function failureOfQuery(classified: Classified, unsigned: Unsigned, session: Session): Error {
  const { class: kind, reason } = classified;
  const facts = failureFacts(classified);
  if (kind === 'certificate') return fail('CERTIFICATE', { host: hostOf(unsigned.url), ...facts });
  if (kind === 'refused') return fail('REFUSED', { ...facts, how: adviceAfterRefusal(classified, unsigned, session) });
  if (kind === 'not-sent') return fail('NOT_SENT', { why: reason });
  if (unsigned.row.effect === 'read') return fail('READ_FAILED', { ...facts });
  return fail('OUTCOME_UNKNOWN', { ...facts, may: possibleEffect(unsigned.row.id), why: reason, how: 'paycli status' });
}

/**
 * Explains that the gateway does not have an order: one whose payment is in doubt here may still reach it, so that
 * proves nothing. Any other error is returned as it is.
 */
export function unknownAtGateway<T>(error: T, requests: readonly Request[], { flags }: Session): T | PaycliError {
  if (!isPaycliError(error) || error.code !== 'REFUSED' || !saysUnknownOrder(error.message)) return error;
  const payment = requests.find(({ kind, state }) => kind === 'payment' && ['sending', 'unknown'].includes(state));
  if (payment === undefined) return error;
  const name = payment.clientOrderId ?? '';
  const why = `the gateway does not have order ${name}`;
  const how = `paycli resolve ${shellWord(name, 'NAME')}${flags}`;
  return fail('OUTCOME_UNKNOWN', { may: 'money may have moved', why, how, name }, { cause: error });
}

/** The error for an answer to a read, whether it got through or not; `before` is what was read earlier. */
export function failureOfRead(classified: Classified, unsigned: Unsigned, session: Session, before = ''): Error {
  const error = asFailedRead(failureOfQuery(classified, unsigned, session));
  if (before === '' || !isPaycliError(error) || error.code !== 'READ_FAILED') return error;
  return fail('READ_FAILED', { ...error.facts, why: `${error.facts['why']}; ${before}` });
}

/** A query that did not get through ends as any read without an answer: nothing depends on whether it was sent. */
export function asFailedRead<T>(error: T): T | PaycliError {
  if (!isPaycliError(error) || error.code !== 'NOT_SENT') return error;
  return fail('READ_FAILED', { ...error.facts, check: 'check the address and the network' }, { cause: error });
}

/** What to check after a refusal, from the gateway's reply. */
export function adviceAfterRefusal(classified: Classified, unsigned: Unsigned, session: Session): string {
  const { row, values } = unsigned;
  const { flags } = session;
  const order = { orderId: values['orderId'], clientOrderId: values['clientOrderId'], flags };
  switch (refusalCause(classified)) {
    case 'signature':
      return signatureAdvice(classified, unsigned, session);
    case 'order':
      return `check the id, and that the order belongs to this profile and endpoint: \`${commandWith('orders', flags)}\` lists what was sent from here`;
    case 'endpoint':
      return `check the base address and the endpoint id: \`${commandWith('profile show', flags)} --origins\` shows where each comes from`;
    case 'used-id':
      return `an order already has this id: \`${orderCommand('status', { ...order, orderId: undefined })}\` shows whether it is this one`;
    default:
      if (row.id === 'REQUEST') return 'check the path, --scheme and the fields; nothing was processed';
      if (!row.opens && order.orderId !== undefined) return `\`${orderCommand('order', order)}\` shows the order`;
      return `\`paycli ${row.command} --help\` shows what the operation accepts; --verbose shows what was sent`;
  }
}

/** Who signed, with which key, and how to see every byte of it. After a 403 the address of this machine may be the reason. */
function signatureAdvice({ status, clock }: Classified, { row, protection }: Unsigned, session: Session): string {
  const { login, name, flags } = session;
  const { scheme } = protection;
  if (scheme === 'none') return `nothing was signed; see \`paycli ${row.command} --help\``;
  const isByTime = scheme !== 'control' && clock !== undefined;
  const shown = row.id === 'REQUEST' ? `paycli ${row.command} --dry-run` : `paycli sign ${row.command} --explain`;
  const advice = [
    ...(status === 403 ? [allowListAdvice] : []),
    ...(isByTime ? [`set the clock of this machine, which is ${clock}: an OAuth signature has the time`] : []),
    `check that login ${shellWord(login)} and ${session.keyName(scheme)} of profile ${name} belong together: \`${commandWith('doctor --online', flags)}\``,
  ];
  return `${advice.join('; or ')}; \`${shown}\` with the same flags shows what was signed`;
}

/**
 * What to check after a status query that failed in a way that waiting does not change; undefined where asking again
 * may help.
 */
export function adviceAfterFailedQuery(
  classified: Classified,
  question: Unsigned,
  session: Session,
): string | undefined {
  if (classified.class !== 'refused') return failureFacts(classified).check;
  return isLastingFailure(classified) ? adviceAfterRefusal(classified, question, session) : undefined;
}
