import type { Pair } from '../../../wire/form.js';
import { pythonRepr } from './escapes.js';
import { listStructures, mapStructures, pairStructures } from './structures.js';

/** How programs print a list of texts, or names and values, when it is taken for a text. */
export interface ListWriting {
  readonly variant: string;
  readonly detail: string;
  readonly print: (values: readonly string[]) => string;
}

const json = (text: string) => JSON.stringify(text);
const between = (open: string, mark: string, close: string, each: (text: string) => string = (text) => text) => {
  return (values: readonly string[]) => open + values.map(each).join(mark) + close;
};
const list = (detail: string, print: ListWriting['print']): ListWriting => ({
  variant: 'list-printed',
  detail,
  print,
});
const constant = (language: string, text: string): ListWriting => ({
  variant: 'type-printed',
  detail: `as ${text}, which ${language} prints for an object`,
  print: () => text,
});

export const listWritings: readonly ListWriting[] = [
  list('as Go prints a list', between('[', ' ', ']')),
  list('as Java prints a list', between('[', ', ', ']')),
  list('as Go prints a list with %q', between('[', ' ', ']', json)),
  list('as Ruby prints a list', between('[', ', ', ']', json)),
  list('as Python prints a list', between('[', ', ', ']', pythonRepr)),
  list('as a JSON array', between('[', ',', ']', json)),
  list(
    'as a JSON array with escaped slashes',
    between('[', ',', ']', (text) => json(text).replaceAll('/', '\\/')),
  ),
  list('as a Python tuple', between('(', ', ', ')', pythonRepr)),
  list('as Go prints a struct', between('{', ' ', '}')),
  list('as Go prints a pointer to a struct', between('&{', ' ', '}')),
  list('as a set', between('{', ', ', '}')),
  list('as a Python set', between('{', ', ', '}', pythonRepr)),
  list('as Go prints a list with %#v', between('[]string{', ', ', '}', json)),
  list(
    'as Ruby prints a list of symbols',
    between('[', ', ', ']', (text) => `:${text}`),
  ),
  list('as a list without spaces', between('[', ',', ']')),
  list('with spaces, as a shell joins a list', between('', ' ', '')),
  list('as a list of lines', between('', '\n', '')),
  list('as a list of lines', between('', '\n', '\n')),
  list('as Go prints a list with Sprintln', between('', ' ', '\n')),
  list('as JavaScript prints a list', between('', ',', '')),
  list('with a comma and a space in between', between('', ', ', '')),
  ...['|', ';', ':', '&', '+', '/', '-', '_', '.', '\t'].map((mark) =>
    list(`with ${mark === '\t' ? 'a tab' : mark} in between`, between('', mark, '')),
  ),
  ...listStructures.map(({ language, print }) => list(`as ${language} prints a list`, print)),
  constant('JavaScript', '[object Object]'),
  constant('PHP', 'Array'),
  ...[
    'System.String[]',
    'System.Object[]',
    'System.Byte[]',
    'System.Char[]',
    'System.Collections.Generic.List`1[System.String]',
    'System.Collections.Generic.List`1[System.Object]',
    'System.Collections.Generic.Dictionary`2[System.String,System.String]',
    'System.Collections.Generic.KeyValuePair`2[System.String,System.String]',
    'System.Collections.Specialized.NameValueCollection',
    'System.Collections.Hashtable',
    'System.Collections.ArrayList',
    'System.Linq.Enumerable+WhereSelectListIterator`2[System.String,System.String]',
    'System.Linq.Enumerable+WhereSelectArrayIterator`2[System.String,System.String]',
    'System.Linq.Enumerable+WhereSelectEnumerableIterator`2[System.String,System.String]',
    'System.Linq.Enumerable+SelectListIterator`2[System.String,System.String]',
    'System.Linq.Enumerable+SelectArrayIterator`2[System.String,System.String]',
  ].map((type) => constant('.NET', type)),
  constant('JavaScript', '[object Map]'),
  constant('JavaScript', '[object URLSearchParams]'),
  constant('JavaScript', '[object FormData]'),
];

/** Names and values, as of a map or of an object of a class. */
export interface MapWriting {
  readonly variant: string;
  readonly detail: string;
  /** Differs from others only where a value is empty. */
  readonly isOfEmpty?: true | undefined;
  readonly print: (pairs: readonly Pair[]) => string;
}

const map = (
  detail: string,
  open: string,
  mark: string,
  close: string,
  each: (name: string, value: string) => string,
): MapWriting => ({
  variant: 'map-printed',
  detail,
  print: (pairs) => open + pairs.map(([name, value]) => each(name, value)).join(mark) + close,
});

const mapWritingsInOrder: readonly MapWriting[] = [
  map('as Java prints a map', '{', ', ', '}', (name, value) => `${name}=${value}`),
  map('as Go prints a map', 'map[', ' ', ']', (name, value) => `${name}:${value}`),
  map('as Go prints a map of lists', 'map[', ' ', ']', (name, value) => `${name}:[${value}]`),
  map('as Go prints a map with %q', 'map[', ' ', ']', (name, value) => `${json(name)}:${json(value)}`),
  map('as Go prints a map with %#v', 'map[string]string{', ', ', '}', (name, value) => `${json(name)}:${json(value)}`),
  map('as Go prints a struct', '{', ' ', '}', (name, value) => `${name}:${value}`),
  map('as Go prints a list of pairs', '[', ' ', ']', (name, value) => `{${name} ${value}}`),
  map('as Ruby prints a hash', '{', ', ', '}', (name, value) => `${json(name)}=>${json(value)}`),
  map('as Ruby 3.4 prints a hash', '{', ', ', '}', (name, value) => `${json(name)} => ${json(value)}`),
  map('as Ruby prints a hash with symbols', '{', ', ', '}', (name, value) => `:${name}=>${json(value)}`),
  map('as Ruby prints a hash with symbols', '{', ', ', '}', (name, value) => `${name}: ${json(value)}`),
  map('as Python prints a dictionary', '{', ', ', '}', (name, value) => `${pythonRepr(name)}: ${pythonRepr(value)}`),
  map(
    'as Python prints a list of pairs',
    '[',
    ', ',
    ']',
    (name, value) => `(${pythonRepr(name)}, ${pythonRepr(value)})`,
  ),
  map('as Ruby prints a list of pairs', '[', ', ', ']', (name, value) => `[${json(name)}, ${json(value)}]`),
  map('as a JSON object', '{', ',', '}', (name, value) => `${json(name)}:${json(value)}`),
  map('as a JSON object with spaces', '{', ', ', '}', (name, value) => `${json(name)}: ${json(value)}`),
  map('as a JSON array of pairs', '[', ',', ']', (name, value) => `[${json(name)},${json(value)}]`),
  map('as .NET prints an anonymous type', '{ ', ', ', ' }', (name, value) => `${name} = ${value}`),
  map('as .NET prints pairs', '', '', '', (name, value) => `[${name}, ${value}]`),
  map('as .NET prints pairs', '', ', ', '', (name, value) => `[${name}, ${value}]`),
  map('as .NET prints pairs', '', ',', '', (name, value) => `[${name}, ${value}]`),
  map('as names and values joined with = and &', '', '&', '', (name, value) => `${name}=${value}`),
  ...['Request', 'Params', 'Parameters', 'Payload', 'Sale', 'Order', 'Body', 'Form', 'Payment'].flatMap((type) => [
    map('as Java prints a record', `${type}[`, ', ', ']', (name, value) => `${name}=${value}`),
    map('as Java prints an object of a class', `${type}{`, ', ', '}', (name, value) => `${name}='${value}'`),
    map('as Java prints an object of a class', `${type}(`, ', ', ')', (name, value) => `${name}=${value}`),
    map('as .NET prints a record', `${type} { `, ', ', ' }', (name, value) => `${name} = ${value}`),
  ]),
  ...mapStructures.map(({ language, print }) => ({
    variant: 'map-printed',
    detail: `as ${language} prints a map`,
    print,
  })),
];

/** In the order given, and sorted by name, as Go prints maps. */
export const mapWritings: readonly MapWriting[] = mapWritingsInOrder.flatMap((row) => [
  row,
  {
    ...row,
    print: (pairs) => row.print([...pairs].sort(([one], [other]) => Number(one > other) - Number(one < other))),
  },
]);

/** The same, and what is tried only where names and values are hashed as one text: marks between them, and XML. */
export const hashedMapWritings: readonly MapWriting[] = [
  ...mapWritings,
  ...pairStructures.map(({ language, isOfEmpty, print }) => ({
    variant: 'map-printed',
    detail: `as ${language} has them`,
    isOfEmpty,
    print,
  })),
];
