import { fail, suggest } from '../../../errors/index.js';
import {
  type Assumption,
  allOperations,
  assumptionNamed,
  isFixedAssumption,
  kindOf,
  assumptions as rows,
} from '../../../spec/index.js';
import { restsOn } from '../../../spec/lifecycle.js';
import { defineCommand } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { type InterfaceSettings, readInterfaceSettings } from '../../open-session.js';
import type { DocumentOf } from '../../results.js';

export const assumptions = defineCommand({
  summary: 'Unspecified behaviour, and what is assumed: all that can be switched, or one in full',
  heading: 'Tools:',
  args: { id: { text: 'A07, or its switch name', isOptional: true } },
  flags: { ...connectionFlags, ...outputFlags },
  examples: ['assumptions', 'assumptions A07'],
  effect: 'local',
  result: ['assumptions', 'assumption'],
  run: async ({ args: { id }, flags, runtime }) => {
    const assumption = id === undefined ? undefined : assumptionNamed(id);
    if (id !== undefined && assumption === undefined && !isFixedAssumption(id))
      throw fail('USAGE', { why: `there is no assumption ${id.slice(0, 40)}${suggestAssumption(id)}` });
    const settings = await readInterfaceSettings(flags, runtime);
    const report: AssumptionReport = new Reporter(flags, settings, runtime);
    if (id === undefined) await listAll(settings, report);
    else if (assumption === undefined) await explainFixed(id.toUpperCase(), settings, report);
    else await explain(assumption, settings, report);
    return 0;
  },
});

type AssumptionReport = Reporter<DocumentOf<'assumptions'> | DocumentOf<'assumption'>>;

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
  return rows.map((assumption) => factsOf(assumption, session));
}

function factsOf(assumption: Assumption, { assume, assumeOrigins }: AssumptionValues): AssumptionFacts {
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

function affectedText(commands: readonly string[]): string {
  if (commands.length === 0) return 'no operation in particular';
  return commands.length > 4 ? `${commands.length} operations` : commands.join(', ');
}

/** A hint for an unknown assumption name. */
export function suggestAssumption(name: string): string {
  return suggest(
    name,
    rows.flatMap((row) => [row.id, row.switch]),
    '; `paycli assumptions` shows them all',
  );
}

/** The switches with their active values and what depends on each. */
function listAll(settings: InterfaceSettings, report: AssumptionReport): Promise<void> {
  const all = assumptionsInForce(settings);
  return report.show({
    document: { schema: 'paycli.assumptions/1', profile: settings.name, assumptions: all },
    list: 'assumptions',
    sheet: () => ({
      columns: [
        ...[{ head: 'id' }, { head: 'switch' }, { head: 'value' }],
        ...[
          { head: 'set by', flexible: true },
          { head: 'concerns', flexible: true },
        ],
      ],
      rows: all.map((row) => [row.id, row.switch, row.value, row.origin, affectedText(row.dependents)]),
    }),
  });
}

const actors = { both: 'client and sandbox', client: 'the client', sandbox: 'the sandbox' } as const;

function explainFixed(id: string, { name }: InterfaceSettings, report: AssumptionReport): Promise<void> {
  const about = 'cannot be switched; `paycli help assumptions` says what is assumed';
  return report.show({
    document: { schema: 'paycli.assumption/1', profile: name, id, about },
    text: () => `${id} ${about}\n`,
  });
}

function explain(assumption: Assumption, settings: InterfaceSettings, report: AssumptionReport): Promise<void> {
  const row = factsOf(assumption, settings);
  return report.show({
    document: { schema: 'paycli.assumption/1', profile: settings.name, ...row },
    text: () =>
      `${report.paint.bold(`${row.id} ${row.switch}`)}\n${row.about}\n${report.columns([
        ['  value', `${row.value} (${row.origin})`],
        ['  default', row.default],
        ['  others', row.others.join(', ')],
        [
          '  source',
          row.source === 'public'
            ? 'public documentation of related gateways'
            : 'no source; the safest choice for money',
        ],
        ['  applies to', actors[row.acts]],
        ['  concerns', affectedText(row.dependents)],
        ...howToSwitch(row),
      ])}`,
  });
}

/** How to change it: in the profile, in the sandbox, or in both. */
function howToSwitch({ switch: name, others, acts }: AssumptionFacts): string[][] {
  const [other = ''] = others;
  const inSandbox = `paycli sandbox start --assume ${name}=${other}`;
  if (acts === 'sandbox') return [['  to change it', inSandbox]];
  const inProfile = ['  to change it', `paycli profile set NAME --assume ${name}=${other}`];
  return acts === 'both' ? [inProfile, ['  in the sandbox', inSandbox]] : [inProfile];
}
