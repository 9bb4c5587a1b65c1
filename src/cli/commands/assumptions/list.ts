import { suggest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Assumption, allOperations, assumptions, kindOf } from '../../../spec/index.js';
import { restsOn } from '../../../spec/lifecycle.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { type InterfaceSettings, readInterfaceSettings } from '../../open-session.js';

export const assumptionsList = defineCommand({
  name: 'assumptions list',
  summary: 'The assumptions that can be switched, with their values',
  options: connectionFlags,
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['assumptions'],
  run: ({ options, runtime }) => runAssumptionsList(options, runtime),
});

export interface AssumptionFacts extends Assumption {
  /** The active value. */
  readonly value: string;
  readonly origin: string;
  /** Commands that depend on it. */
  readonly dependents: readonly string[];
}

type AssumptionValues = Pick<InterfaceSettings, 'assume' | 'assumeOrigins'>;

/** The switches with their active values. */
export function assumptionsInForce(session: AssumptionValues): AssumptionFacts[] {
  return assumptions.map((assumption) => factsOf(assumption, session));
}

export function factsOf(assumption: Assumption, { assume, assumeOrigins }: AssumptionValues): AssumptionFacts {
  const value = Object.entries(assume).find(([name]) => name === assumption.switch)?.[1] ?? assumption.default;
  const origin = Object.entries(assumeOrigins).find(([name]) => name === assumption.switch)?.[1] ?? 'default';
  return { ...assumption, value, origin, dependents: dependentsOf(assumption) };
}

function dependentsOf(assumption: Assumption): readonly string[] {
  const depends = (row: (typeof allOperations)[number]) =>
    row.basis === assumption.id ||
    restsOn(row.id, assumption) ||
    (row.protection.scheme === 'switched' && row.protection.by === assumption.switch) ||
    [...Object.values(row.fields), ...row.rules].some(
      ({ basis, when }) => basis === assumption.id || when?.switch === assumption.switch,
    ) ||
    Object.values(row.fields).some(
      ({ kind, needBasis }) => needBasis === assumption.id || kindOf(kind).basis === assumption.id,
    );
  return allOperations.filter(depends).map((row) => row.command);
}

export function affectedText(commands: readonly string[]): string {
  if (commands.length === 0) return 'no operation in particular';
  return commands.length > 4 ? `${commands.length} operations` : commands.join(', ');
}

/** A hint for an unknown assumption name. */
export function suggestAssumption(name: string): string {
  return suggest(
    name,
    assumptions.flatMap((row) => [row.id, row.switch]),
    '; `paycli assumptions list` shows them all',
  );
}

/** Prints the switches with their active values and what depends on each. */
async function runAssumptionsList(options: CommonOptions, runtime: Runtime): Promise<number> {
  const settings = await readInterfaceSettings(options, runtime);
  const rows = assumptionsInForce(settings);
  await new Reporter(options, settings, runtime).show({
    document: { schema: 'paycli.assumptions/1', profile: settings.name, assumptions: rows },
    list: 'assumptions',
    sheet: () => ({
      columns: [
        { head: 'id' },
        { head: 'switch' },
        { head: 'value' },
        { head: 'set by', flexible: true },
        { head: 'concerns', flexible: true },
      ],
      rows: rows.map((row) => [row.id, row.switch, row.value, row.origin, affectedText(row.dependents)]),
    }),
  });
  return 0;
}

export const actors = { both: 'client and sandbox', client: 'the client', sandbox: 'the sandbox' } as const;
