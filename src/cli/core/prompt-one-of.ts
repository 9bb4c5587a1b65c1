import type { Runtime } from '../../runtime/ports.js';
import type { Operation } from '../../spec/index.js';
import { fieldsInForce, rulesInForce } from '../../wire/check-request.js';
import { flagOf } from './flags.js';
import type { Session } from './session.js';

/** What a group of fields of which one is needed still takes: keys to ask for, and values that choosing it gives. */
interface ChosenGroup {
  readonly keys: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Asks which of several groups of fields to give where a request needs exactly one of them and has a field of none,
 * such as the destination of a payout. Undefined where nothing is left to choose.
 */
export async function promptOneOf(
  row: Operation,
  { assume }: Session,
  values: Readonly<Record<string, string>>,
  runtime: Runtime,
): Promise<ChosenGroup | undefined> {
  const fields = new Map(fieldsInForce(row, assume));
  const isGiven = (key: string) => values[key] !== undefined;
  const open = rulesInForce(row, assume)
    .filter(({ unlessAll }) => unlessAll?.every(isGiven) !== true)
    .flatMap((rule) => (rule.rule === 'exactlyOne' ? [rule.groups.map((group) => group.map(memberOf))] : []))
    .map((groups) => groups.filter((group) => group.every(({ key }) => fields.has(key))))
    .find((groups) => groups.length > 1 && !groups.flat().some(({ key }) => isGiven(key)));
  if (open === undefined) return undefined;
  const groups = new Map(open.map((group) => [flagOf(group[0]?.key ?? '').slice(2), group]));
  const meanings = [...groups].map(([name, [first]]) => [name, fields.get(first?.key ?? '')?.meaning ?? '']);
  const prompter = await runtime.prompter();
  const name = await prompter.ask({
    name: 'one-of',
    message: 'one of these is needed',
    choices: [...groups.keys()],
    meanings: Object.fromEntries(meanings),
  });
  const chosen = groups.get(name) ?? [];
  return {
    keys: chosen.flatMap(({ key, value }) => (value === undefined ? [key] : [])),
    values: Object.fromEntries(chosen.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))),
  };
}

/** A field of a group, or `field=value` where the group needs that value. */
function memberOf(text: string): { readonly key: string; readonly value: string | undefined } {
  const [key = '', value] = text.split('=');
  return { key, value };
}
