import type { ErrorCode } from '../catalogue.js';

/**
 * The reason of an error: its code, and a text for each fact that the title and the next step of
 * that code name, such as `why` and `how`. Words in braces are filled from the facts of the error, as those of the
 * catalogue are.
 */
export type ReasonRow = Readonly<Record<string, string>> & { readonly code: ErrorCode };

/** The reasons of one area, which are made when the first error is. */
export const defineReasons = <const Rows extends Readonly<Record<string, ReasonRow>>>(make: () => Rows): (() => Rows) =>
  make;

/** What an unknown outcome means unless the operation moves no money. */
export const moneyMay = 'money may have moved';
