import type { Runtime } from '../runtime/ports.js';
import { kindOf, type Operation, testCards } from '../spec/index.js';
import { checkRequest, checkValue } from '../wire/check.js';
import { testCardFields, testCardNamed } from './card-source.js';
import { flagOf } from './flags.js';
import type { Session } from './session.js';

/** Asks for one field; choosing a test card answers several. The answers are by field key. */
export async function askFor(
  key: string,
  row: Operation,
  session: Session,
  values: Readonly<Record<string, string>>,
  runtime: Runtime,
): Promise<Readonly<Record<string, string>>> {
  const field = row.fields[key];
  if (field === undefined) return {};
  const prompter = await runtime.prompter();
  if (key === 'cardNumber' && session.builtin) return askTestCard(row, runtime);
  const { secrecy, placeholder } = kindOf(field.kind);
  const answer = await prompter.ask({
    name: key,
    message: field.meaning,
    hint: field.values?.join(', ') ?? placeholder,
    hidden: secrecy === 'secret' || field.kind === 'cardNumber',
    ...(field.values === undefined ? {} : { choices: field.values }),
    check: (text) => {
      const reason = checkValue(field, text);
      if (reason !== undefined) return reason;
      // An amount has to fit the currency as well, if that is known already.
      const endpointId = session.endpointFor(row, values['currency']);
      const problems = checkRequest(row, { ...values, [key]: text }, { assume: session.assume, endpointId, name: flagOf });
      return problems.find((problem) => problem.key === key && problem.kind === 'invalid')?.why;
    },
  });
  return { [key]: answer };
}

async function askTestCard(row: Operation, runtime: Runtime): Promise<Readonly<Record<string, string>>> {
  const prompter = await runtime.prompter();
  const name = await prompter.ask({
    name: 'test-card',
    message: 'which test card',
    choices: testCards.map((card) => card.name),
    initial: 'approved',
  });
  return testCardFields(testCardNamed(name, row), row, runtime.clock.now());
}
