import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Assumption, assumptionNamed } from '../../spec/index.js';
import { assumptionsInForce, concerns, factsOf, suggestAssumption } from '../assumption-facts.js';
import { openSession } from '../open-session.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { Reporter } from '../reporter.js';
import type { Session } from '../session.js';

/** Prints the register with the values in force and what depends on each. */
export async function runAssumptionsList(options: CommonOptions, runtime: Runtime): Promise<number> {
  return withSession(options, runtime, (session, report) => {
    const rows = assumptionsInForce(session);
    return report.show({
      document: { schema: 'paycli.assumptions/1', profile: session.name, assumptions: rows },
      list: 'assumptions',
      sheet: () => ({
        columns: [
          { head: 'id' },
          { head: 'switch' },
          { head: 'value' },
          { head: 'set by', flexible: true },
          { head: 'concerns', flexible: true },
        ],
        rows: rows.map((row) => [row.id, row.switch, row.value, row.origin, concerns(row.dependents)]),
      }),
    });
  });
}

/** Prints one assumption in full. Throws USAGE for an unknown name. */
export async function runAssumptionsExplain(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const assumption = assumptionNamed(name);
  if (assumption === undefined)
    throw fail('USAGE', { why: `there is no assumption ${name.slice(0, 40)}${suggestAssumption(name)}`, command: 'assumptions list' });
  return withSession(options, runtime, (session, report) => explain(assumption, session, report));
}

export const actors = { both: 'client and sandbox', client: 'the client', sandbox: 'the sandbox' } as const;

function explain(assumption: Assumption, session: Session, report: Reporter): Promise<void> {
  const row = factsOf(assumption, session);
  return report.show({
    document: { schema: 'paycli.assumption/1', profile: session.name, ...row },
    text: () =>
      `${report.paint.bold(`${row.id} ${row.switch}`)}\n${row.about}\n${columns([
        ['  value', `${row.value} (${row.origin})`],
        ['  default', row.default],
        ['  others', row.others.length === 0 ? 'none' : row.others.join(', ')],
        ['  source', row.source === 'public' ? 'public documents of gateways of this family' : 'no source; the choice that loses no money'],
        ['  acts on', actors[row.acts]],
        ['  concerns', concerns(row.dependents)],
      ])}`,
  });
}

async function withSession(
  options: CommonOptions,
  runtime: Runtime,
  show: (session: Session, report: Reporter) => Promise<void>,
): Promise<number> {
  const session = await openSession(options, runtime);
  try {
    await show(session, new Reporter(options, session, runtime));
    return 0;
  } finally {
    await session.close();
  }
}
