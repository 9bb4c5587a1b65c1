import { shellWord } from '../../errors/index.js';
import type { Classified } from '../../payments/classify.js';
import { allowListAdvice, failureFacts, isLastingFailure, refusalCause } from '../../payments/failure.js';
import type { Unsigned } from '../../signing/index.js';
import { commandWith } from '../flags.js';
import { orderCommand } from '../format/meaning.js';
import type { Session } from '../session.js';

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
