import { shellWord } from '../../errors/index.js';
import { kindOf, type Operation } from '../../spec/index.js';
import { flagOf } from './flags.js';
import type { CommonOptions, Typed } from './options.js';
import { sumFlags } from './other-profiles.js';

/**
 * The flags that a suggested command for another profile has to keep: all that were given, except those of the order
 * and of the connection. In place of card data and secrets there is a word to replace.
 */
export function repeatedFlags(
  row: Operation,
  { fields, options }: Typed,
  values: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { amount, currency, orderId: _, clientOrderId: __, ...others } = fields;
  const ofFields = Object.entries(others).map(([key, value]) => {
    const kind = row.fields[key]?.kind;
    const isShown = kind !== undefined && ['open', 'personal'].includes(kindOf(kind).secrecy);
    return `${flagOf(key)} ${isShown ? shellWord(value, 'VALUE') : 'VALUE'}`;
  });
  // An amount may be from a file or another flag as well; without it, all that remains would be returned.
  const sum = sumFlags({ amount: values['amount'] ?? amount, currency: values['currency'] ?? currency });
  return [...sum, ...ofFields, ...repeatedOptions(options)];
}

/** The same of flags that are no fields. */
export function repeatedOptions(options: CommonOptions): readonly string[] {
  const { output, select } = options;
  const switches = [
    ['--all', options.all === true],
    ['--again', options.again === true],
    ['--dry-run', options.dryRun === true],
    ['--no-status', options.status === false],
    ['--wait', options.wait === true],
  ] as const;
  const valued = [
    ['--wait-timeout', options.waitTimeout],
    ['--via', options.via],
    ['--expect', options.expect],
    ['--timeout', options.timeout],
    ['--template', options.template],
  ] as const;
  const json = `--json${select === undefined ? '' : `=${shellWord(select, 'FIELDS')}`}`;
  const form = [
    ...(output === undefined ? [] : [`--output ${shellWord(output, 'FORM')}`]),
    ...(select === undefined ? [] : [`--select ${shellWord(select, 'FIELDS')}`]),
  ];
  return [
    ...switches.flatMap(([flag, isGiven]) => (isGiven ? [flag] : [])),
    ...valued.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${shellWord(value, 'VALUE')}`])),
    ...(output === 'json' ? [json] : form),
    ...(options.input === false ? ['--no-input'] : []),
    ...(options.quiet === true ? ['--quiet'] : []),
  ];
}
