import { type Step, type TransactionKind, transactionKinds } from './lifecycle.js';
import { type PayerStep, payerSteps } from './payer-steps.js';
import { replyField } from './reply-names.js';
import { statusOf } from './statuses.js';

/** The step of the payer in each step of a transaction. */
const stepOfPayer: Partial<Readonly<Record<Step, PayerStep>>> = {
  form: 'form',
  method: 'method',
  frictionless: 'method',
  challenge: 'challenge',
  pareq: 'pareq',
  simplified: 'three-d-secure',
};

/** Why an outcome is unknown although the gateway has the order and answers. */
export const unknownToGateway = 'the gateway itself does not know the outcome';

/** What an order waits for that expects nothing from its payer. */
export const waitingForBank = 'waiting for the bank';

/** What a processing transaction waits for. */
export function stepText(step: Step): string {
  const waiting = stepOfPayer[step];
  return waiting === undefined
    ? step === 'none'
      ? waitingForBank
      : step
    : `waiting for the payer: ${payerSteps[waiting]}`;
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
const kindsByStage = Object.entries(transactionKinds).toSorted(([, a], [, b]) => b.stage.length - a.stage.length);

function kindOfStage(stage: string): TransactionKind | undefined {
  const word = kindsByStage.find(([, row]) => stage.startsWith(`${row.stage}_`))?.[0];
  return isKind(word) ? word : undefined;
}

/** The newest transaction, from the prefix of order-stage, which is more precise, else from transaction-type. */
export function namedKindIn(fields: ReadonlyMap<string, string>): TransactionKind | undefined {
  const type = fields.get('transaction-type')?.toLowerCase() ?? '';
  const byType = kindsByStage.find(([, row]) => row.type === type)?.[0];
  return kindOfStage(fields.get('order-stage')?.toLowerCase() ?? '') ?? (isKind(byType) ? byType : undefined);
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

const endings: Readonly<Record<string, readonly [status: string, step: Step]>> = {
  starting: ['processing', 'form'],
  '3d_validating': ['processing', 'simplified'],
  validating: ['processing', 'validating'],
  validated: ['processing', 'validated'],
};

/** The same for a word of order-stage (A17); undefined for any other text. */
export function stageText(stage: string): string | undefined {
  const kind = kindOfStage(stage);
  if (kind === undefined || !/^\w+$/.test(stage)) return undefined;
  const ending = stage.slice(transactionKinds[kind].stage.length + 1);
  return transactionText(kind, ...(endings[ending] ?? ([ending, 'none'] as const)));
}

function isKind(word: string | undefined): word is TransactionKind {
  return word !== undefined && Object.hasOwn(transactionKinds, word);
}
