import { suggest } from '../errors/index.js';
import { type Assumption, assumeDefaults, assumptionNamed, assumptions, mayBe, type SwitchName } from '../spec/index.js';
import type { Sourced } from './draft.js';
import { isMapping, type Mapping, nameOf } from './screen.js';

export type Assumed = Readonly<Partial<Record<SwitchName, Sourced<string>>>>;

/** Reads `assume`: switches or ids of the register with one of their values. */
export function assumedIn(entries: Mapping, path: readonly string[], origin: string, problems: string[]): Assumed {
  const assumed: Partial<Record<SwitchName, Sourced<string>>> = {};
  for (const [name, raw] of Object.entries(entries)) {
    const key = nameOf([...path, name]);
    const assumption = assumptionNamed(name);
    if (assumption === undefined || !isSwitch(assumption.switch)) {
      problems.push(`${key} is no assumption${suggest(name, names)}; \`paycli assumptions list\` shows them`);
      continue;
    }
    const value = textOf(raw);
    if (value === undefined || !mayBe(assumption, value)) problems.push(`${key} must be ${valuesOf(assumption)}`);
    else if (assumed[assumption.switch] !== undefined)
      problems.push(`${key} is set twice, as ${assumption.switch} and as ${assumption.id}`);
    else assumed[assumption.switch] = { value, origin: `${origin}.${name}` };
  }
  return assumed;
}

function isSwitch(name: string): name is SwitchName {
  return Object.hasOwn(assumeDefaults, name);
}

const names = [...assumptions.map((row) => row.switch), ...assumptions.map((row) => row.id)];

/** `{ JPY: 2, 4001/KWD: 3 }` is written JPY=2,4001/KWD=3 in the register. */
function textOf(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number') return String(raw);
  if (!isMapping(raw)) return undefined;
  return Object.entries(raw)
    .map(([currency, digits]) => `${currency}=${String(digits)}`)
    .join(',');
}

function valuesOf({ default: usual, others, switch: name }: Assumption): string {
  const values = [usual, ...others.filter((other) => !other.startsWith('<'))];
  if (name === 'minor-digits') return `${values.join(', ')} or a mapping such as { JPY: 2, 4001/KWD: 2 }`;
  if (name === 'oauth-window') return 'a whole number of seconds';
  return values.length === 1 ? `${usual}, its only value` : `one of ${values.join(', ')}`;
}
