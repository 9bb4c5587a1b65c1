import type { Field } from '../fields.js';
import type { Operation, OperationOf } from '../operation.js';
import * as cards from './cards.js';
import * as forms from './forms.js';
import * as payments from './payments.js';
import * as payouts from './payouts.js';
import * as threeds from './threeds.js';

export * from './cards.js';
export * from './forms.js';
export * from './payments.js';
export * from './payouts.js';
export * from './threeds.js';

/** The whole interface: all 25 paths, in the order help lists them. */
export const operations = [
  payments.sale,
  payments.preauth,
  payments.captureOperation,
  payments.voidOperation,
  payments.returnOperation,
  payments.statusQuery,
  payments.accountVerification,
  payouts.payout,
  payouts.payoutCheck,
  payouts.payoutPay,
  payouts.transfer,
  cards.createCardRef,
  cards.createCardRefV4,
  cards.cardInfo,
  cards.rebill,
  cards.createRecurring,
  cards.panEligibility,
  forms.saleForm,
  forms.preauthForm,
  forms.universalForm,
  forms.payoutForm,
  forms.accountVerificationForm,
  threeds.uploadCres,
  threeds.uploadMethod,
  threeds.uploadPares,
] as const;

export type OperationId = (typeof operations)[number]['id'];

type FollowUp<R> =
  R extends OperationOf<infer Id, string, infer Followed> ? ([Followed] extends [never] ? never : Id) : never;

/** The operations that follow on an order. */
export type FollowUpId = FollowUp<(typeof operations)[number]>;

/**
 * The same rows with their general type, for code that walks all of them. A row that follows on an operation there is
 * not does not compile here.
 */
export const allOperations: readonly (Operation & { readonly follows?: readonly OperationId[] })[] = operations;

/** The fields of all operations; one that several have is there for each. */
export const allFields: readonly Field[] = allOperations.flatMap(({ fields }) => Object.values(fields));

/** The row with this id. */
export function operationById(id: OperationId): Operation {
  const row = allOperations.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`no operation ${id}`);
  return row;
}

/**
 * Ids of the follow-ups that are allowed only once an order of this operation was approved: one that was carried out
 * proves that it was.
 */
export function provenBy(id: string): readonly string[] {
  const proving = allOperations.filter(
    ({ moves, follows = [] }) => moves !== undefined && follows.some((it) => it === id),
  );
  return proving.map((row) => row.id);
}

/** What an operation does with money; undefined for one that moves none, and for a request by hand. */
export function movesOf(id: string): Operation['moves'] {
  return allOperations.find((row) => row.id === id)?.moves;
}

/** True for an operation that gives the payer a page to fill in. */
export function opensForm(id: string): boolean {
  return allOperations.some((row) => row.id === id && row.records.reply === 'AsyncCheckoutFormRedirect');
}

/** What the command line calls the operation with this id; undefined when there is none. */
export function commandOf(id: string | undefined): string | undefined {
  return allOperations.find((row) => row.id === id)?.command;
}

/** The row of a command (`card-ref create`), alias, id or path; undefined when there is none. */
export function operationNamed(name: string): Operation | undefined {
  const wanted = name.trim();
  return allOperations.find(
    (row) =>
      row.command === wanted ||
      row.id === wanted.toUpperCase() ||
      row.path === wanted ||
      (row.aliases ?? []).includes(wanted),
  );
}

/** The version label the interface description carries. */
export const interfaceLabel = 'dev';
