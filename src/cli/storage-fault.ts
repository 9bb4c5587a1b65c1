import { fail, isPaycliError, type PaycliError } from '../errors/index.js';
import { type Intent, nameOf } from '../journal/index.js';
import { orderCommand } from './present/meaning.js';
import type { Recording } from './recording.js';
import type { Tools } from './talk.js';

/** A journal that failed after something was sent does not change what came of that; it only does not know it yet. */
export function faultAfter({ facts }: PaycliError, { intent }: Recording, { session }: Pick<Tools, 'session'>): PaycliError {
  const how = `what became of the request is told all the same; see to the disk, then \`${commandFor('resolve', intent, session.flags)}\` brings the journal up to date`;
  return fail('STORAGE', { ...facts, how });
}

/**
 * Output that failed after something was sent: the command must not look as if it could be repeated. `outcome` is what would have been
 * shown. Throws any error that is none of the storage.
 */
export function faultOfOutput(error: unknown, intent: Intent, outcome: string): PaycliError {
  if (!isPaycliError(error) || error.code !== 'STORAGE') throw error;
  const how = `the request was sent, do not send it again: ${outcome}; \`${commandFor('journal show', intent, '')}\` shows it`;
  return fail('STORAGE', { ...error.facts, how });
}

/** A command about the order of an entry. */
export function commandFor(command: string, intent: Intent, flags: string): string {
  return orderCommand(command, { orderId: undefined, clientOrderId: undefined, either: nameOf(intent), flags });
}
