import { allOperations, type Operation } from '../../spec/index.js';
import { hostOf, isLoopback } from '../../wire/address.js';
import type { Pair } from '../../wire/form.js';

/** A request somebody pasted, before anything is looked up. */
export interface PastedRequest {
  readonly method: string;
  /** A whole address; a path alone where `host` says the rest. */
  readonly url: string;
  readonly host?: string | undefined;
  /** In their order, names as written. */
  readonly headers: readonly Pair[];
  /** Form text as it travels. */
  readonly body: string;
  /** Remarks on what was read. */
  readonly notes: readonly string[];
}

/** The value of a header, whatever the case of its name; joined when it is repeated, as servers read it. */
export function headerOf({ headers }: Pick<PastedRequest, 'headers'>, name: string): string | undefined {
  const values = headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The whole address. A raw request names only the host: it is https but for this machine, or as the profile has it. */
export function urlOf({ url, host }: PastedRequest, base: string): string {
  if (host === undefined) return url;
  const canParse = URL.canParse(`http://${host}`);
  if (canParse && hostOf(base) === host.toLowerCase()) return `${new URL(base).protocol}//${host}${url}`;
  return `${canParse && isLoopback(`http://${host}`) ? 'http' : 'https'}://${host}${url}`;
}

/** The operation and the endpoint an address is of. */
export interface OperationPlace {
  readonly row: Operation;
  readonly endpointId: string;
}

/** Undefined when the interface has no such path. */
export function operationAt(url: string): OperationPlace | undefined {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const cut = path.lastIndexOf('/');
  const row = allOperations.find((candidate) => path.slice(0, cut).endsWith(candidate.path));
  return row === undefined ? undefined : { row, endpointId: path.slice(cut + 1) };
}
