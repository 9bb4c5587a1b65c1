import { fail } from '../../errors/index.js';
import { flagOf } from '../flags.js';

type Values = Readonly<Record<string, string | undefined>>;
type Given<V extends Values> = { readonly [Key in keyof V]: NonNullable<V[Key]> };

/** The values of flags that must be there, by the flags' names in camel case. Throws USAGE with all that are missing. */
export function needed<V extends Values>(command: string, values: V): Given<V> {
  if (isComplete(values)) return values;
  const missing = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [flagOf(name)] : []));
  throw fail('USAGE', { why: `missing: ${missing.join(', ')}`, command });
}

function isComplete<V extends Values>(values: V): values is V & Given<V> {
  return Object.values(values).every((value) => value !== undefined);
}
