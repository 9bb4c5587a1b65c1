import type { Command, Option } from 'commander';
import { fail } from '../errors/index.js';
import { leafOf, pathOf } from './suggest.js';

// How results look: the last one counts, so that an alias of the shell may set one.
const lastCounts: readonly string[] = ['output', 'select', 'template', 'color'];

/**
 * Refuses a flag that is given twice with different values. Commander takes the last one, and nobody can say which was meant: two
 * amounts, two orders, two profiles. Throws USAGE, without the values.
 */
export function refuseRepeated(command: Command, program: Command, argv: readonly string[]): void {
  const values = new Map<Option, string>();
  const rest = [...leafOf(program, argv).rest];
  for (let arg = rest.shift(); arg !== undefined && arg !== '--'; arg = rest.shift()) {
    const [, name = arg, attached] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? /^(-[^-])(.+)$/s.exec(arg) ?? [];
    const option = command.options.find(({ long, short }) => long === name || short === name);
    if (option === undefined || (!option.required && !option.optional)) continue;
    const value = attached ?? (option.required ? rest.shift() : undefined);
    // A flag that collects its values has a parser of its own.
    if (value === undefined || option.parseArg !== undefined || lastCounts.includes(option.attributeName())) continue;
    const before = values.get(option);
    if (before !== undefined && before !== value)
      throw fail('USAGE', { why: `${option.long ?? name} is given twice, with different values; give it once`, command: pathOf(command) });
    values.set(option, value);
  }
}
