import type { Pair } from '../../../wire/form.js';
import { pythonRepr } from './escapes.js';

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
const list = (language: string, print: ListWriting['print']): ListWriting => ({
  variant: 'list-printed',
  detail: `as ${language} prints a list`,
  print,
});
const constant = (what: string, text: string): ListWriting => ({
  variant: 'type-printed',
  detail: `as ${what} prints what it cannot print`,
  print: () => text,
});

export const listWritings: readonly ListWriting[] = [
  list('Go', between('[', ' ', ']')),
  list('Java', between('[', ', ', ']')),
  list('Go with %q', between('[', ' ', ']', json)),
  list('Ruby', between('[', ', ', ']', json)),
  list('Python', between('[', ', ', ']', pythonRepr)),
  list('JSON', between('[', ',', ']', json)),
  list(
    'JSON with escaped slashes',
    between('[', ',', ']', (text) => json(text).replaceAll('/', '\\/')),
  ),
  list('a tuple of Python', between('(', ', ', ')', pythonRepr)),
  list('a set', between('{', ', ', '}')),
  list('a set of Python', between('{', ', ', '}', pythonRepr)),
  list('Go with %#v', between('[]string{', ', ', '}', json)),
  list(
    'Ruby with symbols',
    between('[', ', ', ']', (text) => `:${text}`),
  ),
  list('a list without blanks', between('[', ',', ']')),
  list('a shell', between('', ' ', '')),
  list('a list of lines', between('', '\n', '')),
  list('a list of lines', between('', '\n', '\n')),
  list('Go with Sprintln', between('', ' ', '\n')),
  list('JavaScript', between('', ',', '')),
  list('.NET by String.Join', between('', ', ', '')),
  ...['|', ';', ':', '&', '+', '/', '-', '_', '.', '\t'].map((mark) =>
    list(`a list with ${mark}`, between('', mark, '')),
  ),
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
  constant('Object of JavaScript', '[object Map]'),
  constant('Object of JavaScript', '[object URLSearchParams]'),
  constant('Object of JavaScript', '[object FormData]'),
];

/** Names and values, as of a map or of an object of a class. */
export interface MapWriting {
  readonly variant: string;
  readonly detail: string;
  readonly print: (pairs: readonly Pair[]) => string;
}

const map = (
  language: string,
  open: string,
  mark: string,
  close: string,
  each: (name: string, value: string) => string,
): MapWriting => ({
  variant: 'map-printed',
  detail: `as ${language} prints a map`,
  print: (pairs) => open + pairs.map(([name, value]) => each(name, value)).join(mark) + close,
});

const mapWritingsInOrder: readonly MapWriting[] = [
  map('Java', '{', ', ', '}', (name, value) => `${name}=${value}`),
  map('Go', 'map[', ' ', ']', (name, value) => `${name}:${value}`),
  map('Go of lists', 'map[', ' ', ']', (name, value) => `${name}:[${value}]`),
  map('Go with %q', 'map[', ' ', ']', (name, value) => `${json(name)}:${json(value)}`),
  map('Go with %#v', 'map[string]string{', ', ', '}', (name, value) => `${json(name)}:${json(value)}`),
  map('Go of a struct', '{', ' ', '}', (name, value) => `${name}:${value}`),
  map('Go of pairs', '[', ' ', ']', (name, value) => `{${name} ${value}}`),
  map('Ruby', '{', ', ', '}', (name, value) => `${json(name)}=>${json(value)}`),
  map('Ruby 3.4', '{', ', ', '}', (name, value) => `${json(name)} => ${json(value)}`),
  map('Ruby with symbols', '{', ', ', '}', (name, value) => `:${name}=>${json(value)}`),
  map('Ruby with symbols', '{', ', ', '}', (name, value) => `${name}: ${json(value)}`),
  map('Python', '{', ', ', '}', (name, value) => `${pythonRepr(name)}: ${pythonRepr(value)}`),
  map('Python of pairs', '[', ', ', ']', (name, value) => `(${pythonRepr(name)}, ${pythonRepr(value)})`),
  map('Ruby of pairs', '[', ', ', ']', (name, value) => `[${json(name)}, ${json(value)}]`),
  map('JSON', '{', ',', '}', (name, value) => `${json(name)}:${json(value)}`),
  map('JSON with blanks', '{', ', ', '}', (name, value) => `${json(name)}: ${json(value)}`),
  map('JSON of pairs', '[', ',', ']', (name, value) => `[${json(name)},${json(value)}]`),
  map('.NET, an anonymous type', '{ ', ', ', ' }', (name, value) => `${name} = ${value}`),
  map('.NET of pairs', '', '', '', (name, value) => `[${name}, ${value}]`),
  map('.NET of pairs', '', ', ', '', (name, value) => `[${name}, ${value}]`),
  map('.NET of pairs', '', ',', '', (name, value) => `[${name}, ${value}]`),
  map('PHP', '', '&', '', (name, value) => `${name}=${value}`),
  ...['Request', 'Params', 'Parameters', 'Payload', 'Sale', 'Order', 'Body', 'Form', 'Payment'].flatMap((type) => [
    map('Java of a record', `${type}[`, ', ', ']', (name, value) => `${name}=${value}`),
    map('Java of a class', `${type}{`, ', ', '}', (name, value) => `${name}='${value}'`),
    map('Java of a class', `${type}(`, ', ', ')', (name, value) => `${name}=${value}`),
    map('.NET of a record', `${type} { `, ', ', ' }', (name, value) => `${name} = ${value}`),
  ]),
];

/** In the order given, and sorted by name, as Go prints maps. */
export const mapWritings: readonly MapWriting[] = mapWritingsInOrder.flatMap((row) => [
  row,
  {
    ...row,
    print: (pairs) => row.print([...pairs].sort(([one], [other]) => Number(one > other) - Number(one < other))),
  },
]);
