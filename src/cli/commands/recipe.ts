import type { Runtime } from '../../runtime/ports.js';
import { type Assume, interfaceLabel, kindOf, type Operation } from '../../spec/index.js';
import { fieldsInForce, mostOf, protectionOf, rulesInForce } from '../../wire/check.js';
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
    await report.show({
      document: recipeDocument(row, session.assume),
      text: () => presentRecipe(row, session.assume, report.paint),
    });
    return 0;
  } finally {
    await session.close();
  }
}

function recipeDocument(row: Operation, assume: Assume) {
  const { id, command, path, records, effect, opens, basis } = row;
  const fields = fieldsInForce(row, assume).map(([key, field]) => {
    const { basis: formBasis = 'A49' } = kindOf(field.kind);
    return { key, flag: flagOf(key), needBasis: field.basis, ...field, max: mostOf(field, assume), formBasis };
  });
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
    protection: protectionOf(row, assume),
    fields,
    rules: rulesInForce(row, assume),
  };
}
