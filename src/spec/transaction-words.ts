import { type Step, type TransactionKind, transactionKinds } from './lifecycle.js';
import { type PayerStep, payerSteps } from './payer-steps.js';

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

const followUpKinds = ['capture', 'void', 'cancel', 'reversal'] as const satisfies readonly TransactionKind[];

/**
 * What the command line calls the follow-up that a status reply is about, such as `return`; undefined where it is about
 * the transaction that made the order. A status describes the newest transaction (A42).
 */
export function followUpIn(fields: ReadonlyMap<string, string>): string | undefined {
  const stage = fields.get('order-stage')?.toLowerCase();
  const type = fields.get('transaction-type')?.toLowerCase();
  const kind = followUpKinds.find((each) =>
    stage === undefined ? transactionKinds[each].type === type : stage.startsWith(`${transactionKinds[each].stage}_`),
  );
  return kind === undefined ? undefined : transactionKinds[kind].name;
}

const endings: Readonly<Record<string, readonly [status: string, step: Step]>> = {
  starting: ['processing', 'form'],
  '3d_validating': ['processing', 'simplified'],
  validating: ['processing', 'validating'],
  validated: ['processing', 'validated'],
};

/** The same for a word of order-stage (A17); undefined for any other text. */
export function stageText(stage: string): string | undefined {
  const kinds = Object.entries(transactionKinds).toSorted(([, a], [, b]) => b.stage.length - a.stage.length);
  const [kind, row] = kinds.find(([, each]) => stage.startsWith(`${each.stage}_`)) ?? [];
  if (row === undefined || !isKind(kind) || !/^\w+$/.test(stage)) return undefined;
  const ending = stage.slice(row.stage.length + 1);
  return transactionText(kind, ...(endings[ending] ?? ([ending, 'none'] as const)));
}

function isKind(word: string | undefined): word is TransactionKind {
  return word !== undefined && Object.hasOwn(transactionKinds, word);
}
