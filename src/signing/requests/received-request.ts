import { allOperations, type Operation } from '../../spec/index.js';

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
