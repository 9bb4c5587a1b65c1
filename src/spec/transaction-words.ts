import { type Step, type StepFacts, steps, type TransactionKind, transactionKinds } from './lifecycle.js';
import { payerSteps } from './payer-steps.js';
import { replyField } from './reply-names.js';
import { statusOf } from './statuses.js';

/** Why an outcome is unknown although the gateway has the order and answers. */
export const unknownToGateway = 'the gateway itself does not know the outcome';

/** What an order waits for that expects nothing from its payer. */
export const waitingForBank = 'waiting for the bank';

/** What a processing transaction waits for. */
export function stepText(step: Step): string {
  if (step === 'none') return waitingForBank;
  const { payer }: StepFacts = steps[step];
  return payer === undefined ? step : `waiting for the payer: ${payerSteps[payer]}`;
}

/** Operation and status of a transaction as the command line names them, such as `return approved`. */
export function transactionText(kind: TransactionKind, status: string, step: Step): string {
  return `${transactionKinds[kind].name} ${status === 'processing' ? stepText(step) : statusText(status)}`;
}

/** A status as people read it. */
export function statusText(status: string): string {
  return status.replaceAll('_', ' ');
}

// A longer stage may begin like a shorter one.
const kindsByStage = (Object.keys(transactionKinds) as TransactionKind[]).toSorted(
  (a, b) => transactionKinds[b].stage.length - transactionKinds[a].stage.length,
);

function kindOfStage(stage: string): TransactionKind | undefined {
  return kindsByStage.find((kind) => stage.startsWith(`${transactionKinds[kind].stage}_`));
}

/** The newest transaction, from the prefix of order-stage, which is more precise, else from transaction-type. */
export function namedKindIn(fields: ReadonlyMap<string, string>): TransactionKind | undefined {
  const type = fields.get('transaction-type')?.toLowerCase() ?? '';
  const byStage = kindOfStage(fields.get('order-stage')?.toLowerCase() ?? '');
  return byStage ?? kindsByStage.find((kind) => transactionKinds[kind].type === type);
}

/** The same; a sale where the reply names none. */
export function transactionKindIn(fields: ReadonlyMap<string, string>): TransactionKind {
  return namedKindIn(fields) ?? 'sale';
}

const followUpKinds: readonly TransactionKind[] = ['capture', 'void', 'cancel', 'reversal'];

/** Whether a status reply describes a transaction that follows another one on its order. */
export function isOfFollowUp(fields: ReadonlyMap<string, string>): boolean {
  return followUpKinds.includes(transactionKindIn(fields));
}

/**
 * What the command line calls the follow-up, such as `return`, that a status reply says was declined or ended with an
 * error; the order is then as it was before. Undefined for any other status. It describes the newest transaction (A42).
 */
export function failedFollowUpIn(fields: ReadonlyMap<string, string>): string | undefined {
  const facts = statusOf(replyField(fields, 'status') ?? '');
  const kind = transactionKindIn(fields);
  const isFailed = facts?.final === true && !facts.success && followUpKinds.includes(kind);
  return isFailed ? transactionKinds[kind].name : undefined;
}

/** What a failed follow-up means. */
export const orderUnchanged = 'the order is as it was before';

// Of several steps with one ending, the last is the one that says nothing more.
const stepsByEnding = new Map<string, Step>((Object.keys(steps) as Step[]).map((step) => [steps[step].ending, step]));

/** The same for a word of order-stage (A17); undefined for any other text. */
export function stageText(stage: string): string | undefined {
  const kind = kindOfStage(stage);
  if (kind === undefined || !/^\w+$/.test(stage)) return undefined;
  const ending = stage.slice(transactionKinds[kind].stage.length + 1);
  const step = stepsByEnding.get(ending);
  return step === undefined ? transactionText(kind, ending, 'none') : transactionText(kind, 'processing', step);
}
