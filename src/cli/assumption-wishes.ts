import { fail, problemsText, suggest } from '../errors/index.js';
import { type Assumption, assumptionNamed, mayBe } from '../spec/index.js';
import { withoutCardNumbers } from '../wire/redact.js';
import { suggestAssumption } from './assumption-facts.js';

/** A switch as somebody wants it; without a value it goes back to its default. */
export interface Wish {
  readonly assumption: Assumption;
  readonly value: string | undefined;
}

/** Reads `SWITCH=VALUE` and the names of --unset. Throws FIELD_INVALID with everything that is wrong, or USAGE when there is nothing. */
export function readWishes(settings: readonly string[], unset: readonly string[]): Wish[] {
  const command = 'assumptions set';
  if (settings.length + unset.length === 0) throw fail('USAGE', { why: 'say SWITCH=VALUE, or --unset SWITCH', command });
  const problems: string[] = [];
  const wishes = [...settings.map((text) => wished(text, problems)), ...unset.map((name) => unwished(name, problems))].filter(
    (wish) => wish !== undefined,
  );
  const names = wishes.map(({ assumption }) => assumption.switch);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) !== at))) problems.push(`${name} is named twice`);
  if (problems.length > 0) throw fail('FIELD_INVALID', { problems: problemsText(problems), command });
  return wishes;
}

function wished(text: string, problems: string[]): Wish | undefined {
  const cut = text.indexOf('=');
  if (cut < 1) {
    problems.push(`${label(text)} is no SWITCH=VALUE`);
    return undefined;
  }
  const assumption = known(text.slice(0, cut), problems);
  if (assumption === undefined) return undefined;
  const value = text.slice(cut + 1);
  if (mayBe(assumption, value)) return { assumption, value };
  const values = [assumption.default, ...assumption.others];
  const words = values.length === 1 ? `${assumption.default}, its only value` : `one of ${values.join(', ')}`;
  problems.push(`${assumption.switch} must be ${words}${suggest(value, values)}`);
  return undefined;
}

function unwished(name: string, problems: string[]): Wish | undefined {
  const assumption = known(name, problems);
  return assumption === undefined ? undefined : { assumption, value: undefined };
}

function known(name: string, problems: string[]): Assumption | undefined {
  const assumption = assumptionNamed(name);
  if (assumption === undefined) problems.push(`there is no assumption ${label(name)}${suggestAssumption(name)}`);
  return assumption;
}

function label(text: string): string {
  return withoutCardNumbers(text.slice(0, 40));
}
