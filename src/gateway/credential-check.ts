import type { Credentials } from '../signing/index.js';
import { operationById, replyField } from '../spec/index.js';
import { type Classified, isOrderUnknown } from './classify.js';
import { compose, type Target } from './compose.js';
import { type ExchangeOptions, type ExchangePorts, exchange } from './exchange.js';

export type CheckVerdict = 'good' | 'refused' | 'not-sent' | 'no-answer';

/** What a gateway made of a signed question that changes nothing. */
export interface CredentialCheck {
  readonly verdict: CheckVerdict;
  /** In words of paycli. */
  readonly reason: string;
  /** The error message of the gateway, which is foreign text. */
  readonly said?: string;
  /** The made-up order that was asked about. */
  readonly clientOrderId: string;
}

/**
 * Asks for the status of an order that does not exist: whoever is told that there is no such order has been recognised.
 * It proves address, endpoint, login and control key, nothing about an RSA key.
 */
export async function checkCredentials(
  target: Target,
  credentials: Credentials,
  ports: ExchangePorts,
  options: ExchangeOptions,
): Promise<CredentialCheck> {
  const clientOrderId = `check-${ports.random.letters(8)}`;
  const question = compose(operationById('STATUS'), { clientOrderId }, [], target);
  const classified = await exchange(question, credentials, ports, options);
  const said = classified.fields === undefined ? undefined : replyField(classified.fields, 'errorMessage');
  return { verdict: verdictOf(classified), reason: classified.reason, clientOrderId, ...(said === undefined ? {} : { said }) };
}

function verdictOf(classified: Classified): CheckVerdict {
  if (classified.class === 'accepted') return 'good';
  if (classified.class === 'not-sent' || classified.class === 'certificate') return 'not-sent';
  if (classified.class !== 'refused') return 'no-answer';
  return isOrderUnknown(classified) ? 'good' : 'refused';
}
