import { assumptionNamed, type Field, kindOf, type Operation } from '../spec/index.js';
import { type Arg, type Declared, defineCommand, type Flag, type Flags, longName, oneOf, word } from './command.js';
import type { CommonOptions, Typed } from './core/common-options.js';
import { connectionFlags, fieldSourceFlags, isFromProfile, outputFlags, sendingFlags, testCard } from './flags.js';

const order: Arg = {
  text: 'the order: its gateway order id or your client order id (idempotency key)',
  isOptional: true,
};

/** The command of an operation; `others` are the rows of its further API versions. */
export function operationCommand(row: Operation, others: readonly Operation[]): Declared {
  const sending = sendingFlags(row);
  const { args, flags, read } = operationInput(row, others);
  return defineCommand({
    summary: row.brief,
    help: basisLine(row),
    args,
    flags: { ...flags, ...sending, ...connectionFlags, ...outputFlags },
    needs: 'waitTimeout' in sending ? { waitTimeout: ['wait'] } : {},
    examples: row.examples,
    effect: row.effect,
    result: ['reply'],
    run: async ({ args: given, flags: values, runtime }) => {
      const { runOperation } = await import('./send.js');
      const { row: chosen, typed } = read(given, values);
      return runOperation(chosen, typed, 'from flags', runtime);
    },
  });
}

type Given = Readonly<Record<string, unknown>>;

/** What the commands of an operation take: its order, its fields, and which version of the API is meant. */
export function operationInput(row: Operation, others: readonly Operation[]) {
  const takesOrder = !row.opens && 'orderId' in row.fields;
  const api = ['v2', ...others.map(({ command }) => command.split(' ').at(-1) ?? '')];
  const version = oneOf(api, '<version>', `how it is signed: ${api.join(' or ')} (v2)`);
  return {
    args: takesOrder ? { order } : {},
    flags: { ...fieldFlags(row), ...(others.length === 0 ? {} : { api: version }) } as Flags,
    read(args: Given, { api: chosen = 'v2', ...options }: Given): { readonly row: Operation; readonly typed: Typed } {
      const meant = others.find(({ command }) => command.endsWith(` ${chosen}`)) ?? row;
      const fields = Object.keys(meant.fields).flatMap((key) => {
        const value = options[key];
        return typeof value === 'string' && !isFromProfile(key) ? [[key, value] as const] : [];
      });
      const named = args['order'];
      return {
        row: meant,
        typed: {
          fields: Object.fromEntries(fields),
          order: typeof named === 'string' ? named : undefined,
          options: options as CommonOptions,
        },
      };
    },
  };
}

/** Which names the interface documents: the others are assumed. */
function basisLine({ fields, basis }: Operation): string {
  const assumed = Object.values(fields).flatMap((field) => (field.basis === 'stated' ? [] : [field.basis]));
  const ids = [...new Set([...assumed, ...(basis === 'stated' ? [] : [basis])])].sort();
  if (ids.length === 0) return 'Every field is documented.';
  const documented = Object.entries(fields).flatMap(([key, field]) =>
    field.basis === 'stated' && !isFromProfile(key) ? [longName(key)] : [],
  );
  return `Documented: ${documented.join(', ') || 'the path only'}; the other fields are assumed (${ids.join(', ')}).`;
}

/** A flag for every field of a row that the user may give, and for where several come from at once. */
function fieldFlags(row: Operation): Record<string, Flag> {
  const fields = Object.entries(row.fields).filter(([key]) => !isFromProfile(key));
  const isOrder = (key: string) => !row.opens && 'orderId' in row.fields && ['orderId', 'clientOrderId'].includes(key);
  const under = (heading: string, isIn: (key: string, field: Field) => boolean) =>
    fields.filter(([key, field]) => isIn(key, field)).map(([key, field]) => [key, fieldFlag(row, key, field, heading)]);
  return {
    ...Object.fromEntries(under('Required fields:', (key, { need }) => need === 'required' && !isOrder(key))),
    ...Object.fromEntries(under('Order (one id is enough):', isOrder)),
    ...('cardNumber' in row.fields ? { testCard } : {}),
    ...Object.fromEntries(under('Optional fields:', (key, { need }) => need === 'optional' && !isOrder(key))),
    ...fieldSourceFlags,
  };
}

/** Its value is checked with those of all fields, so that every mistake is reported at once. */
function fieldFlag(row: Operation, key: string, field: Field, heading: string): Flag<string> {
  const { when, meaning } = field;
  const made = key === 'clientOrderId' && row.opens ? '; generated if omitted' : '';
  const only =
    when === undefined ? '' : `; only with ${when.switch}=${when.value} (${assumptionNamed(when.switch)?.id})`;
  const placeholder = field.values?.join('|') ?? kindOf(field.kind).placeholder;
  // Help does not list a field that the row always refuses, but its flag is known so that the error can give the reason.
  const isHidden = row.rules.some((rule) => rule.rule === 'forbidden' && rule.fields.includes(key));
  return word(`<${placeholder}>`, `${meaning}${made}${only}`, { heading, isHidden });
}
