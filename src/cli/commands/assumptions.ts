import { fail, nearest } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Assumption, allOperations, assumptionNamed, assumptions } from '../../spec/index.js';
import { openSession } from '../open-session.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { Reporter } from '../reporter.js';
import type { Session } from '../session.js';

/** Prints the register with the values in force and what depends on each. */
export async function runAssumptionsList(options: CommonOptions, runtime: Runtime): Promise<number> {
  return withSession(options, runtime, (session, report) => {
    const rows = assumptions.map((assumption) => describe(assumption, session));
    if (report.json) report.document({ schema: 'paycli.assumptions/1', profile: session.name, assumptions: rows });
    else
      report.out(
        columns([
          ['id', 'switch', 'value', 'set by', 'concerns'],
          ...rows.map((row) => [row.id, row.switch, row.value, row.origin, concerns(row.dependents)]),
        ]),
      );
  });
}

/** Prints one assumption in full. Throws USAGE for an unknown name. */
export async function runAssumptionsExplain(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const assumption = assumptionNamed(name);
  if (assumption === undefined) {
    const guess = nearest(
      name,
      assumptions.flatMap((row) => [row.id, row.switch]),
    );
    throw fail('USAGE', {
      why: `there is no assumption ${name.slice(0, 40)}${guess === undefined ? '' : `; did you mean ${guess}?`}`,
      command: 'assumptions list',
    });
  }
  return withSession(options, runtime, (session, report) => {
    const row = describe(assumption, session);
    if (report.json) return report.document({ schema: 'paycli.assumption/1', profile: session.name, ...row });
    return report.out(
      `${report.paint.bold(`${row.id} ${row.switch}`)}\n${assumption.about}\n${columns([
        ['  value', `${row.value} (${row.origin})`],
        ['  default', row.default],
        ['  others', row.others.length === 0 ? 'none' : row.others.join(', ')],
        ['  source', row.source === 'public' ? 'public documents of gateways of this family' : 'no source; the choice that loses no money'],
        ['  acts on', row.acts === 'both' ? 'client and sandbox' : `the ${row.acts}`],
        ['  concerns', concerns(row.dependents)],
      ])}`,
    );
  });
}

function describe(assumption: Assumption, session: Session) {
  const value = Object.entries(session.assume).find(([name]) => name === assumption.switch)?.[1] ?? assumption.default;
  const origin = Object.entries(session.assumeOrigins).find(([name]) => name === assumption.switch)?.[1] ?? 'default';
  return { ...assumption, value, origin, dependents: dependentsOf(assumption) };
}

/** Commands with a fact that rests on this assumption. */
function dependentsOf(assumption: Assumption): readonly string[] {
  const rests = (row: (typeof allOperations)[number]) =>
    row.basis === assumption.id ||
    (row.protection.scheme === 'switched' && row.protection.by === assumption.switch) ||
    Object.values(row.fields).some((field) => field.basis === assumption.id || field.when?.switch === assumption.switch);
  return allOperations.filter(rests).map((row) => row.command);
}

function concerns(commands: readonly string[]): string {
  if (commands.length === 0) return 'no single operation';
  return commands.length > 4 ? `${commands.length} operations` : commands.join(', ');
}

async function withSession(options: CommonOptions, runtime: Runtime, show: (session: Session, report: Reporter) => void): Promise<number> {
  const session = await openSession(options, runtime);
  try {
    show(session, new Reporter(options, session, runtime));
    return 0;
  } finally {
    await session.close();
  }
}
