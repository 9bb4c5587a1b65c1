import type { Runtime } from '../../runtime/ports.js';
import { interfaceLabel, kindOf, type Operation, type PlainProtection } from '../../spec/index.js';
import { fieldsInForce, type KeyedField, protectionOf } from '../../wire/check.js';
import { flagOf } from '../flags.js';
import { openSession } from '../open-session.js';
import { operationCalled } from '../operation-called.js';
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
    await report.show({
      document: recipeDocument(row, protection, fields),
      text: () => presentRecipe(row, protection, fields, report.paint),
    });
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
