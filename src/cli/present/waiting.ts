import type { Intent, Waiting } from '../../journal/index.js';
import { payerStepIn, payerSteps } from '../../spec/index.js';
import type { Fields } from './meaning.js';
import { timeText } from './time.js';

/** What an entry waits for its payer to do; the journal tells (see `JournalReader.waiting`). */
export type WaitingOf = (intent: Intent) => Waiting | undefined;

/** For people. `since` is left out where no journal knows it. */
export function waitingText({ for: step, since }: Pick<Waiting, 'for'> & { readonly since?: number }): string {
  return `waiting for the payer: ${payerSteps[step]}${since === undefined ? '' : ` (since ${timeText(since)} UTC)`}`;
}

/** What an order waits for its payer to do by a reply, with what the journal knows of it; `isForm` as `payerStepIn` takes it. */
export function waitsIn(
  fields: Fields,
  waiting: Waiting | undefined,
  isForm: boolean,
): (Pick<Waiting, 'for'> & { readonly since?: number }) | undefined {
  const step = payerStepIn(fields, isForm);
  if (step === 'nothing') return undefined;
  return waiting ?? (step === undefined ? undefined : { for: step });
}

/** For programs; null when the order waits for nothing its payer has to do, or nobody told. */
export function waitingDocument(waiting: Waiting | undefined): Readonly<Record<string, string>> | null {
  return waiting === undefined ? null : { for: waiting.for, since: new Date(waiting.since).toISOString() };
}
