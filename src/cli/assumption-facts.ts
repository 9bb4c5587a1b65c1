import { suggest } from '../errors/index.js';
import { type Assumption, allOperations, assumptions, kindOf } from '../spec/index.js';
import type { Session } from './session.js';

export interface AssumptionFacts extends Assumption {
  /** In force. */
  readonly value: string;
  readonly origin: string;
  /** Commands with a fact that rests on it. */
  readonly dependents: readonly string[];
}

type InForce = Pick<Session, 'assume' | 'assumeOrigins'>;

/** The whole register with the values in force. */
export function assumptionsInForce(session: InForce): AssumptionFacts[] {
  return assumptions.map((assumption) => factsOf(assumption, session));
}

export function factsOf(assumption: Assumption, { assume, assumeOrigins }: InForce): AssumptionFacts {
  const value = Object.entries(assume).find(([name]) => name === assumption.switch)?.[1] ?? assumption.default;
  const origin = Object.entries(assumeOrigins).find(([name]) => name === assumption.switch)?.[1] ?? 'default';
  return { ...assumption, value, origin, dependents: dependentsOf(assumption) };
}

export function dependentsOf(assumption: Assumption): readonly string[] {
  const rests = (row: (typeof allOperations)[number]) =>
    row.basis === assumption.id ||
    (row.protection.scheme === 'switched' && row.protection.by === assumption.switch) ||
    [...Object.values(row.fields), ...row.rules].some(({ basis, when }) => basis === assumption.id || when?.switch === assumption.switch) ||
    Object.values(row.fields).some(({ kind, needBasis }) => needBasis === assumption.id || kindOf(kind).basis === assumption.id);
  return allOperations.filter(rests).map((row) => row.command);
}

export function concerns(commands: readonly string[]): string {
  if (commands.length === 0) return 'no single operation';
  return commands.length > 4 ? `${commands.length} operations` : commands.join(', ');
}

/** What follows a complaint about a name that no assumption has. */
export function suggestAssumption(name: string): string {
  return suggest(
    name,
    assumptions.flatMap((row) => [row.id, row.switch]),
  );
}
