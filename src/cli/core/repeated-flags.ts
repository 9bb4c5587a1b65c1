import { shellWord } from '../../errors/index.js';
import { kindOf, type Operation } from '../../spec/index.js';
import { flagOf } from '../command.js';

import type { CommonOptions, Typed } from './common-options.js';
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

/** Flags that only `order`, `resolve` and `support` have. */
interface OrderFlags {
  readonly can?: string | undefined;
  readonly timeline?: boolean | undefined;
  readonly offline?: boolean | undefined;
  readonly watch?: boolean | undefined;
  readonly once?: boolean | undefined;
  readonly resend?: boolean | undefined;
  readonly settleAs?: string | undefined;
  readonly evidence?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly confirmResend?: string | undefined;
  readonly out?: string | undefined;
  readonly replace?: boolean | undefined;
}

const switchNames = ['all', 'again', 'timeline', 'offline', 'watch', 'once', 'resend', 'replace', 'dryRun'] as const;

/** In the order in which they are shown. */
const valueNames = [
  ...(['can', 'settleAs', 'evidence', 'confirmResend', 'out'] as const),
  ...(['waitTimeout', 'via', 'expect', 'timeout', 'template'] as const),
];

/** The same of flags that are no fields. */
export function repeatedOptions(options: CommonOptions & OrderFlags): readonly string[] {
  const { output, select } = options;
  const form = [
    ...(output === undefined ? [] : [output === 'json' ? '--json' : `--output ${shellWord(output, 'FORM')}`]),
    ...(select === undefined ? [] : [`--fields ${shellWord(select, 'FIELDS')}`]),
  ];
  return [
    ...switchNames.flatMap((name) => (options[name] === true ? [flagOf(name)] : [])),
    ...(options.status === false ? ['--no-status'] : []),
    ...(options.wait === true ? ['--wait'] : []),
    ...valueNames.flatMap((name) => {
      const value = options[name];
      return value === undefined ? [] : [`${flagOf(name)} ${shellWord(value, 'VALUE')}`];
    }),
    ...(options.yes === true ? ['--yes'] : []),
    ...form,
    ...(options.input === false ? ['--no-input'] : []),
    ...(options.quiet === true ? ['--quiet'] : []),
  ];
}
