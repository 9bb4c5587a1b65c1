import { exits } from '../../errors/index.js';
import type { Intent } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import { approvedOtherwise } from '../../payments/same-order.js';
import type { Waited } from '../../payments/wait.js';
import { isUnknownWord, replyField, statusOf } from '../../spec/index.js';
import { type Fields, isCheckedPayout } from '../format/meaning.js';
import type { Session } from './session.js';

/**
 * The exit code of a status reply when an outcome is required. `expect` is compared with final statuses only; an
 * outcome that is open or unknown keeps its own code, unless `processing` itself is expected.
 */
export function exitOfStatus(fields: Fields, expect: string | undefined): number {
  const word = replyField(fields, 'status') ?? 'processing';
  const facts = statusOf(word);
  if (facts?.final === true)
    return expect === undefined
      ? facts.success
        ? exits.ok
        : exits.declined
      : expect === word
        ? exits.ok
        : exits.checkFailed;
  if (isUnknownWord(word)) return exits.unknown;
  if (expect === 'processing') return exits.ok;
  return isCheckedPayout(fields) && expect === undefined ? exits.ok : exits.pending;
}

/** The exit code at the end of a wait. An accepted order whose status queries failed is pending, not lost. */
export function exitOfWait(waited: Waited, expect: string | undefined): number {
  if (waited.kind === 'read-failed' || waited.kind === 'step' || waited.kind === 'unrelated') return exits.pending;
  return exitOfStatus(waited.fields, expect);
}

/** True when the reply has fields to show. */
export function hasReply(classified: Classified): classified is Classified & { readonly fields: Fields } {
  return classified.fields !== undefined && classified.fields.size > 0;
}

/** The exit code of a request in doubt; of a conflict it is known where the gateway approved another amount. */
export function exitOfDoubt(intent: Intent | undefined, { assume }: Pick<Session, 'assume'>): number {
  const isKnown = intent?.state === 'conflict' && approvedOtherwise(intent, assume['minor-digits']) !== undefined;
  return isKnown ? exits.checkFailed : exits.unknown;
}
