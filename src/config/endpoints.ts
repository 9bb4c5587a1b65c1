import { allOperations, kindOf, type Operation, operationNamed } from '../spec/index.js';
import { nameOf } from './screen.js';

/** An endpoint id for one operation, one currency, or one operation in one currency. */
export interface EndpointRule {
  /** As written in the file. */
  readonly key: string;
  readonly origin: string;
  readonly operation: string | undefined;
  readonly currency: string | undefined;
  readonly id: string;
}

/** Reads the keys of `endpoints`: `EUR`, `payout`, `card-ref-create`, `payout/EUR`. */
export function endpointRules(
  entries: Readonly<Record<string, string>>,
  path: readonly string[],
  origin: string,
  problems: string[],
): EndpointRule[] {
  const rules: EndpointRule[] = [];
  for (const [key, id] of Object.entries(entries)) {
    const target = targetOf(key);
    const isTwin = rules.some(({ operation, currency }) => operation === target?.operation && currency === target?.currency);
    if (target === undefined) problems.push(`${nameOf([...path, key])} is neither a currency, an operation nor operation/CURRENCY`);
    else if (isTwin) problems.push(`${nameOf([...path, key])} is set twice`);
    else rules.push({ ...target, key, id, origin: `${origin}.${key}` });
  }
  return rules;
}

/** The most particular rule that fits; one for the operation goes before one for the currency. */
export function endpointFrom(rules: readonly EndpointRule[], operation: string, currency: string | undefined): string | undefined {
  const id = operationOf(operation)?.id;
  const fits = (wantedOperation: string | undefined, wantedCurrency: string | undefined) =>
    rules.find((rule) => rule.operation === wantedOperation && rule.currency === wantedCurrency);
  const both = id === undefined || currency === undefined ? undefined : fits(id, currency);
  const byOperation = id === undefined ? undefined : fits(id, undefined);
  const byCurrency = currency === undefined ? undefined : fits(undefined, currency);
  return (both ?? byOperation ?? byCurrency)?.id;
}

function targetOf(key: string): Pick<EndpointRule, 'operation' | 'currency'> | undefined {
  const isCurrency = (text: string) => kindOf('currency').pattern.test(text);
  if (isCurrency(key)) return { operation: undefined, currency: key };
  const [name = '', currency, ...rest] = key.split('/');
  const operation = operationOf(name)?.id;
  if (operation === undefined || rest.length > 0 || (currency !== undefined && !isCurrency(currency))) return undefined;
  return { operation, currency };
}

// A key of a file is one word, so `card-ref create` is written card-ref-create there.
function operationOf(name: string): Operation | undefined {
  const joined = (command: string) => command.replaceAll(' ', '-');
  return operationNamed(name) ?? allOperations.find((row) => [row.command, ...(row.aliases ?? [])].map(joined).includes(name));
}
