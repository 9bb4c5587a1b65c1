/** Types of several functions. None of them needs the types of Node. */

/** What every function of the library throws for an argument of the wrong kind. */
export interface ArgumentError extends TypeError {
  readonly code: 'ERR_PAYCLI_ARGUMENT';
}

/**
 * Names and values of a request, in the order they are sent: pairs from an array, a `Map`, a `URLSearchParams` or any
 * other iterable; or an object, whose lists of texts stand for equal names. An object puts names such as `10` first;
 * pairs keep every order.
 */
export type Fields =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[]>>;

/** A key of `node:crypto`, already read, which spares reading the PEM text for every signature. */
export interface RsaKeyObject {
  readonly type: string;
  readonly asymmetricKeyType?: string | undefined;
}
