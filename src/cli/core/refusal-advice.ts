import { shellWord } from '../../errors/index.js';
import type { Request } from '../../journal/port.js';
import { markedPaid } from '../../journal/states.js';
import type { Classified } from '../../payments/classify.js';
import { allowListAdvice, failureFacts, isLastingFailure, refusalCause } from '../../payments/failure.js';
import type { Unsigned } from '../../signing/index.js';
import { isUnknownWord, replyField } from '../../spec/index.js';
import { flagOf } from '../command.js';
import { commandWith, isFromProfile } from '../flags.js';
import { orderCommand } from '../format/meaning.js';
import { recipeWords } from '../format/signature-stages.js';
import type { Session } from '../session.js';

/**
 * What to check after a refusal, from the gateway's reply: the signature only where its message, or HTTP 401 or 403,
 * points to it. `requests` are those in the journal on the order of a follow-up.
 */
export function adviceAfterRefusal(
  classified: Classified,
  unsigned: Unsigned,
  session: Session,
  requests: readonly Request[] = [],
): string {
  const settled = adviceOfSettled(classified, unsigned, requests);
  if (settled !== undefined) return settled;
  const { values } = unsigned;
  const order = { orderId: values['orderId'], clientOrderId: values['clientOrderId'], flags: session.flags };
  switch (refusalCause(classified)) {
    case 'signature':
      return adviceOnSender(classified, signatureAdvice(unsigned, session, classified.clock));
    case 'order':
      return `check the id${ownDigitsHint(values)}, and that the order belongs to this profile and endpoint: \`${commandWith('orders', session.flags)}\` lists what was sent from here`;
    case 'endpoint':
      return `check the base address and the endpoint id: \`${commandWith('profile show', ` --origins${session.flags}`)}\` shows where each comes from`;
    case 'used-id': {
      const used = orderCommand('status', { ...order, orderId: undefined });
      return `an order already has this id: \`${used}\` shows whether it is this one`;
    }
    case 'other':
    case 'unsaid':
      return otherAdvice(classified, unsigned, orderCommand('order', { ...order, clientOrderId: undefined }));
  }
}

/** After a 403 the address of this machine may be the reason: first, unless the message is about the signature. */
function adviceOnSender({ status, fields }: Classified, onSignature: string): string {
  if (status !== 403) return onSignature;
  const message = fields === undefined ? '' : (replyField(fields, 'errorMessage') ?? '');
  const isOfAddress = /\bIP\b|\baddress|\b(?:allow|white)[ -]?list/i.test(message);
  const isOfSignature = fields !== undefined && refusalCause({ status: 400, fields }) === 'signature';
  return isOfSignature && !isOfAddress
    ? `${onSignature}; or ${allowListAdvice}`
    : `${allowListAdvice}; or ${onSignature}`;
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

/** A follow-up on an order that a person marked as paid, which the gateway does not know to be so. */
function adviceOfSettled(classified: Classified, { row }: Unsigned, requests: readonly Request[]): string | undefined {
  const payment = requests.find(({ kind, reason }) => kind === 'payment' && reason === markedPaid);
  if (row.opens || payment === undefined) return undefined;
  const cause = refusalCause(classified);
  if (cause === 'order')
    return 'the order was marked as paid by hand, and the gateway has no such order: ask its support';
  if ((cause !== 'other' && cause !== 'unsaid') || !isUnknownWord(payment.outcome['status'])) return undefined;
  return 'the order was marked as paid by hand, and its status at the gateway is unknown: ask its support to correct it';
}

/** Digits alone mean a gateway order id. */
function ownDigitsHint({ orderId = '', clientOrderId }: Unsigned['values']): string {
  if (clientOrderId !== undefined || !/^\d{1,128}$/.test(orderId)) return '';
  return ` (if ${orderId} is your client order id, use --client-order-id ${orderId})`;
}

function otherAdvice({ fields }: Classified, { row, values, protection }: Unsigned, showOrder: string): string {
  const named = namedFlags((fields === undefined ? undefined : replyField(fields, 'errorMessage')) ?? '', row);
  const isByHand = row.id === 'REQUEST';
  const recipe = isByHand ? 'the API documentation' : `\`paycli ${row.command} --help\``;
  const isFollowUp = !row.opens && row.effect === 'money' && values['orderId'] !== undefined;
  // What is left of the amount depends on the order, not on the operation.
  if (isFollowUp && named.every((flag) => flag === '--amount')) return `\`${showOrder}\` shows the order`;
  if (named.length > 0)
    return `check ${named.join(', ')}; ${recipe} shows what ${named.length === 1 ? 'it' : 'each'} accepts`;
  if (isByHand)
    return `check the path, ${protection.scheme === 'none' ? '--scheme and ' : ''}the fields; nothing was processed`;
  return `${recipe} shows what the operation accepts; --verbose shows what was sent`;
}

/** The flags of the fields that a message names by their names on the wire. */
function namedFlags(message: string, row: Unsigned['row']): string[] {
  const words = new Set(message.match(/[\w-]+/g));
  const named = Object.entries(row.fields).filter(([key, { wire }]) => !isFromProfile(key) && words.has(wire));
  return named.map(([key]) => flagOf(key));
}

/** What was signed, with which key, and how to see every byte of it. */
function signatureAdvice({ row, protection }: Unsigned, session: Session, clock: string | undefined): string {
  const { scheme } = protection;
  const isByHand = row.id === 'REQUEST';
  if (scheme === 'none')
    return `nothing was signed; ${
      isByHand ? 'check the path, --scheme and the fields' : `see \`paycli ${row.command} --help\``
    }`;
  const how = recipeWords(row, protection, session.assume);
  const { login, name, flags } = session;
  const shown = isByHand
    ? `\`paycli ${row.command} --dry-run\` with the same flags shows every byte of it`
    : `\`paycli sign ${row.command} --explain\` with the same flags shows every byte of it (\`paycli help signing\`)`;
  const isByTime = scheme !== 'control' && clock !== undefined;
  return `${isByTime ? `set the clock of this machine, which is ${clock}: an OAuth signature has the time; or ` : ''}check that login ${shellWord(login)} and ${session.keyName(scheme)} of profile ${name} belong together: \`${commandWith('doctor --online', flags)}\`; the ${scheme === 'control' ? 'control' : 'signature'} was computed as ${how}; ${shown}`;
}
