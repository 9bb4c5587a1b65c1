import { fail } from '../../../errors/index.js';
import { type Assumption, assumptionNamed, isFixedAssumption, assumptions as rows } from '../../../spec/index.js';
import { defineCommand } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import type { DocumentOf } from '../../results.js';
import { type InterfaceSettings, readInterfaceSettings } from '../../session.js';

export const assumptions = defineCommand({
  summary: 'Unspecified behaviour, and what is assumed: all that can be switched, or one in full',
  heading: 'Tools:',
  args: { id: { text: 'A07, or its switch name', isOptional: true } },
  flags: { ...connectionFlags, ...outputFlags },
  examples: ['assumptions', 'assumptions A07'],
  effect: 'local',
  result: ['assumptions', 'assumption'],
  run: async ({ args: { id }, flags, runtime }) => {
    const settings = await readInterfaceSettings(flags, runtime);
    const report: AssumptionReport = new Reporter(flags, settings, runtime);
    await (id === undefined ? listAll(settings, report) : explain(id, settings, report));
    return 0;
  },
});

type AssumptionReport = Reporter<DocumentOf<'assumptions'> | DocumentOf<'assumption'>>;

export interface AssumptionFacts extends Assumption {
  /** The active value. */
  readonly value: string;
  readonly origin: string;
}

type AssumptionValues = Pick<InterfaceSettings, 'assume' | 'assumeOrigins'>;

/** The switches with their active values. */
export function assumptionsInForce(session: AssumptionValues): AssumptionFacts[] {
  return rows.map((assumption) => factsOf(assumption, session));
}

function factsOf(assumption: Assumption, { assume, assumeOrigins }: AssumptionValues): AssumptionFacts {
  const values: Readonly<Record<string, string>> = assume;
  const value = values[assumption.switch] ?? assumption.default;
  const origin = assumeOrigins[assumption.switch] ?? 'default';
  return { ...assumption, value, origin };
}

/** The switches with their active values. */
function listAll(settings: InterfaceSettings, report: AssumptionReport): Promise<void> {
  const all = assumptionsInForce(settings);
  return report.show({
    document: { schema: 'paycli.assumptions/1', profile: settings.name, assumptions: all },
    list: 'assumptions',
    sheet: () => ({
      columns: [...[{ head: 'id' }, { head: 'switch' }, { head: 'value' }], { head: 'set by', flexible: true }],
      rows: all.map((row) => [row.id, row.switch, row.value, row.origin]),
    }),
  });
}

/** One of them in full. Throws USAGE. */
function explain(id: string, settings: InterfaceSettings, report: AssumptionReport): Promise<void> {
  const assumption = assumptionNamed(id);
  if (assumption === undefined) {
    const why = isFixedAssumption(id)
      ? `${id.toUpperCase()} cannot be switched; \`paycli help assumptions\` says what is assumed`
      : `there is no assumption ${id.slice(0, 40)}; \`paycli assumptions\` shows them all`;
    throw fail('USAGE', { why });
  }
  const row = factsOf(assumption, settings);
  const [other = ''] = row.others;
  const change = {
    both: ['profile set NAME', 'sandbox start'],
    client: ['profile set NAME'],
    sandbox: ['sandbox start'],
  };
  return report.show({
    document: { schema: 'paycli.assumption/1', profile: settings.name, ...row },
    text: () =>
      `${report.paint.bold(`${row.id} ${row.switch}`)}\n${row.about}\n${report.columns([
        ['  value', `${row.value} (${row.origin})`],
        ['  default', row.default],
        ['  others', row.others.join(', ')],
        ...change[row.acts].map((words) => ['  to change it', `paycli ${words} --assume ${row.switch}=${other}`]),
      ])}`,
  });
}
