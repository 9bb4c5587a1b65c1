import { pathFrom, reasonOf } from '../../../config/file-access.js';
import { fail, ifKnown, nearest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { isCurrency } from '../../../wire/amount.js';
import { type Flag, parsed } from '../../command.js';
import { oneLine } from '../../format/document.js';
import { wrongValue } from '../../usage.js';

// Flags that say how a file of rows is read, or what it comes to.

export const delimiterFlag = parsed('<character>', "separator of CSV cells: , (default), ';' or tab", (text) => {
  const found = text === 'tab' ? '\t' : text;
  if (![',', ';', '\t'].includes(found)) throw wrongValue("use ',', ';' or tab");
  return found;
});

/** Which columns hold what, by their names; a column may have = in its name, a field has none. */
export const mapFlag: Flag<Readonly<Record<string, string>>> = {
  text: 'which field a differently named column holds; repeatable',
  value: '<column=field>',
  repeats: true,
  parse(text, before = {}) {
    const cut = text.lastIndexOf('=');
    const [column, name] = [text.slice(0, Math.max(0, cut)), text.slice(cut + 1)];
    if (column === '' || name === '') throw wrongValue('use COLUMN=FIELD, such as "Order no=client_orderid"');
    if (Object.hasOwn(before, column)) throw wrongValue('--map names one column twice');
    return { ...before, [column]: name };
  },
};

/** The same with each field by its key. Throws USAGE for a name that is none of `names`. */
export function mapColumns<Key>(
  map: Readonly<Record<string, string>>,
  find: (name: string) => Key | undefined,
  names: Iterable<string>,
): Readonly<Record<string, Key>> {
  const known = [...names];
  return Object.fromEntries(
    Object.entries(map).map(([column, name]) => {
      const key = find(name);
      if (key !== undefined) return [column, key];
      const field = name.slice(0, 40);
      const meant = ifKnown(nearest(name, known), (near) => `; did you mean ${near}?`);
      const all = known.length > 9 ? '' : `; use one of ${known.join(', ')}`;
      throw fail('USAGE', { why: `--map: there is no field ${field}${meant}${all}`, field });
    }),
  );
}

/** Reads a whole number; what it gives throws `wrongValue`. */
export function wholeNumber(least: number, most = 999_999_999): (text: string) => number {
  return (text) => {
    if (/^(?:0|[1-9]\d{0,8})$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw wrongValue(`use a whole number from ${least} to ${most}`);
  };
}

/** Sums such as EUR=123.45, as decimal text by currency. */
export function totalsFlag(text: string): Flag<Readonly<Record<string, string>>> {
  return {
    text,
    value: '<currency=amount>',
    repeats: true,
    parse(given, before = {}) {
      const [, currency = '', amount = ''] = /^([A-Z]{3})=(.*)$/.exec(given) ?? [];
      if (!isCurrency(currency) || /^\d{19,}/.test(amount))
        throw wrongValue('use a currency and an amount, such as EUR=123.45');
      if (!/^\d{1,18}(?:\.\d{1,4})?$/.test(amount)) throw wrongValue(`use a decimal number, such as ${currency}=10.42`);
      if (Object.hasOwn(before, currency)) throw wrongValue(`${currency} is given twice`);
      return { ...before, [currency]: amount };
    },
  };
}

/** A file that the user named, with its bytes. One that cannot be read is wrong usage. Throws USAGE. */
export function openInput(file: string, { files }: Runtime): { readonly path: string; readonly size: number } {
  const path = pathFrom(file, files.folders.working, files.folders.home);
  try {
    const facts = files.facts(path);
    if (facts === undefined) throw Object.assign(new Error(`${path} does not exist`), { code: 'ENOENT' });
    // As far as the first bytes.
    for (const _ of files.pieces(path)) break;
    return { path, size: facts.size };
  } catch (cause) {
    const name = oneLine(file);
    throw fail('USAGE', { why: `${name}: ${reasonOf(cause)}`, file: name }, { cause });
  }
}
