import { fail, nearest } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { allOperations, interfaceLabel, kindOf, type Operation, operationNamed, type PlainProtection } from '../../spec/index.js';
import { fieldsInForce, type KeyedField, protectionOf } from '../../wire/check.js';
import { flagOf } from '../flags.js';
import { openSession } from '../open-session.js';
import type { CommonOptions } from '../options.js';
import { presentRecipe } from '../present/recipe.js';
import { Reporter } from '../reporter.js';

/** Prints the contract of one operation under the assumptions in force. */
export async function runRecipe(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const row = operationCalled(name, 'recipe');
  const session = await openSession(options, runtime);
  try {
    const report = new Reporter(options, session, runtime);
    const protection = protectionOf(row, session.assume);
    const fields = fieldsInForce(row, session.assume);
    if (report.json) report.document(recipeDocument(row, protection, fields));
    else report.out(presentRecipe(row, protection, fields, report.paint));
    return 0;
  } finally {
    await session.close();
  }
}

function recipeDocument(row: Operation, protection: PlainProtection, inForce: readonly KeyedField[]) {
  const { id, command, path, records, effect, opens, basis, rules } = row;
  const fields = inForce.map(([key, field]) => ({ key, flag: flagOf(key), ...field, max: field.max ?? kindOf(field.kind).max }));
  return {
    schema: 'paycli.recipe/1',
    interface: interfaceLabel,
    id,
    command,
    path: `${path}/{endpointId}`,
    records,
    effect,
    opens,
    basis,
    protection,
    fields,
    rules,
  };
}

/** The operation of this name. Throws USAGE naming the nearest one, and the command to read about. */
export function operationCalled(name: string, command: string): Operation {
  const row = operationNamed(name);
  if (row !== undefined) return row;
  const guess = nearest(
    name,
    allOperations.flatMap((row) => [row.command, row.id]),
  );
  const hint = guess === undefined ? '' : `; did you mean ${guess}?`;
  throw fail('USAGE', { why: `there is no operation ${name.slice(0, 40)}${hint}`, command });
}
