import type { Pair } from '../../../wire/form.js';
import { pythonRepr } from './escapes.js';
import { encodedBy, type PercentEncoder } from './percent-encoders.js';

/** Lists and maps as the serialisers of languages write them: each frame with each writing of the values in it. */

type Write = (text: string) => string;

const json: Write = (text) => JSON.stringify(text);
const ascii: Write = (text) =>
  json(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const withSlashes =
  (write: Write): Write =>
  (text) =>
    write(text).replaceAll('/', '\\/');
const isNumber = /^(?:0|[1-9]\d{0,14})$/;
const numbersBare =
  (write: Write): Write =>
  (text) =>
    isNumber.test(text) ? text : write(text);
/** As JSON_NUMERIC_CHECK of PHP. */
const numbersRead =
  (write: Write): Write =>
  (text) =>
    /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? String(Number(text)) : write(text);
const php: Write = (text) => `'${text.replace(/['\\]/g, '\\$&')}'`;
const texts: readonly Write[] = [json, ascii, withSlashes(ascii), withSlashes(json)];

export interface ValueWriter {
  readonly language: string;
  readonly name: Write;
  readonly value: Write;
}

/** Of JSON each with numbers in quotes and in two ways without. */
const jsonWriters: readonly ValueWriter[] = texts.flatMap((write) => [
  { language: 'JSON', name: write, value: write },
  { language: 'JSON, with numbers', name: write, value: numbersBare(write) },
  { language: 'JSON, with numeric-looking values parsed as numbers', name: write, value: numbersRead(write) },
]);
const pythonNumbers: ValueWriter = {
  language: 'Python, with numbers',
  name: pythonRepr,
  value: numbersBare(pythonRepr),
};

interface Frame {
  readonly open: string;
  readonly mark: string;
  readonly close: string;
  readonly between: string;
}

const indents = ['  ', '    ', '\t'];
const frames = (open: string, close: string): Frame[] => [
  { open, mark: ',', close, between: ':' },
  { open, mark: ', ', close, between: ': ' },
  ...indents.map((indent) => ({
    ...{ open: `${open}\n${indent}`, mark: `,\n${indent}` },
    ...{ close: `\n${close}`, between: ': ' },
  })),
];

const inFrame = ({ open, mark, close }: Frame, parts: readonly string[]) => open + parts.join(mark) + close;

export interface Structure {
  readonly language: string;
  readonly print: (values: readonly string[]) => string;
}

const bytesOf = (text: string) => Buffer.byteLength(text);
const serialised: Write = (text) => `s:${bytesOf(text)}:"${text}";`;

export const listStructures: readonly Structure[] = [
  ...frames('[', ']').flatMap((frame) =>
    jsonWriters.map(({ language, value }) => ({
      language,
      print: (values: readonly string[]) => inFrame(frame, values.map(value)),
    })),
  ),
  {
    language: pythonNumbers.language,
    print: (values) => `[${values.map(pythonNumbers.value).join(', ')}]`,
  },
  {
    language: pythonNumbers.language,
    print: (values) => `(${values.map(pythonNumbers.value).join(', ')})`,
  },
  {
    language: "PHP's serialize",
    print: (values) => `a:${values.length}:{${values.map((value, at) => `i:${at};${serialised(value)}`).join('')}}`,
  },
  { language: "PHP's print_r", print: (values) => printR(values.map((value, at) => [String(at), value])) },
  {
    language: "PHP's var_export",
    print: (values) => varExport(values.map((value, at) => [String(at), php(value)])),
  },
  { language: "PHP's var_dump", print: (values) => varDump(values.map((value, at) => [String(at), value])) },
  {
    language: "Python's pprint",
    print: (values) => `[${values.map(pythonRepr).join(',\n ')}]`,
  },
  ...csv(),
];

/** A line of CSV, by its mark, by which values are in quotes, and by its end. */
function csv(): Structure[] {
  const quoted: Write = (text) => `"${text.replaceAll('"', '""')}"`;
  // PHP, and Python and others.
  const whereNeeded = [/["\\\s]/, /["\r\n]/].map(
    (needs) =>
      (mark: string): Write =>
      (text) =>
        needs.test(text) || text.includes(mark) ? quoted(text) : text,
  );
  return [() => quoted, ...whereNeeded].flatMap((writeOf) =>
    [',', ';', '\t', '|'].flatMap((mark) =>
      ['', '\n', '\r\n'].map((end) => ({
        language: 'a CSV writer',
        print: (values: readonly string[]) => values.map(writeOf(mark)).join(mark) + end,
      })),
    ),
  );
}

export interface MapStructure {
  readonly language: string;
  /** Differs from others only where a value is empty. */
  readonly isOfEmpty?: true;
  readonly print: (pairs: readonly Pair[]) => string;
}

const encoders: readonly PercentEncoder[] = [
  { of: 'a PHP form', free: '-_.', blank: '+' },
  { of: 'a form', free: '-_.*', blank: '+' },
  { of: 'a Python form', free: '-_.~', blank: '+' },
  { of: 'an address', free: '-_.~' },
  { of: 'a JavaScript address', free: "-_.!~*'()" },
];

export const mapStructures: readonly MapStructure[] = [
  ...frames('{', '}').flatMap((frame) =>
    jsonWriters.map(({ language, name, value }) => ({
      language,
      print: (pairs: readonly Pair[]) =>
        inFrame(
          frame,
          pairs.map(([one, other]) => name(one) + frame.between + value(other)),
        ),
    })),
  ),
  {
    language: pythonNumbers.language,
    print: (pairs) =>
      `{${pairs.map(([one, other]) => `${pythonRepr(one)}: ${pythonNumbers.value(other)}`).join(', ')}}`,
  },
  ...encoders.map((encoder) => ({
    language: encoder.of,
    print: (pairs: readonly Pair[]) =>
      pairs.map((pair) => pair.map((text) => encodedBy(encoder, text)).join('=')).join('&'),
  })),
  {
    language: "PHP's serialize",
    print: (pairs) => `a:${pairs.length}:{${pairs.map((pair) => pair.map(serialised).join('')).join('')}}`,
  },
  { language: "PHP's print_r", print: printR },
  { language: "PHP's var_export", print: (pairs) => varExport(pairs.map(([name, value]) => [php(name), php(value)])) },
  { language: "PHP's var_dump", print: (pairs) => varDump(pairs.map(([name, value]) => [`"${name}"`, value])) },
  {
    language: "Python's pprint",
    print: (pairs) => `{${pairs.map(([one, other]) => `${pythonRepr(one)}: ${pythonRepr(other)}`).join(',\n ')}}`,
  },
];

function markedPairs(): MapStructure[] {
  return ['=', ':', ' = ', ': ', '=>', ' => ', '|', ' ', ''].flatMap((within) =>
    [';', '; ', ',', ', ', '&', '|', '\n', '\r\n', ' ', ''].flatMap((between) =>
      [(text: string) => text, (text: string) => `"${text}"`].flatMap((write) =>
        [...new Set(['', between])].map((end) => ({
          language: 'a template of names and values',
          print: (pairs: readonly Pair[]) =>
            pairs.map(([name, value]) => name + within + write(value)).join(between) + end,
        })),
      ),
    ),
  );
}

const xmlRoots = ['', 'request', 'root', 'xml', 'data', 'order', 'payment', 'sale', 'Request', 'params'];
/** What writers of PHP, .NET, Java and Python put before the root and behind it. */
const xmlFrames = [
  ['', ''],
  ['<?xml version="1.0"?>\n', '\n'],
  ['<?xml version="1.0" encoding="UTF-8"?>\n', '\n'],
  ['<?xml version="1.0" encoding="UTF-8"?>', ''],
  ['<?xml version="1.0" encoding="utf-8"?>', ''],
  ["<?xml version='1.0' encoding='utf-8'?>\n", ''],
] as const;

/** An empty element as a pair of tags, as ElementTree and .NET write it, and as libxml and Java do. */
function xml(emptyTag?: (name: string) => string): MapStructure[] {
  const escaped: Write = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const element = (name: string, value: string) =>
    value === '' && emptyTag !== undefined ? emptyTag(name) : `<${name}>${escaped(value)}</${name}>`;
  return xmlRoots.flatMap((root) =>
    xmlFrames.flatMap(([start, end]) =>
      ['', '\n', '\n  ', '\n    '].map((indent) => ({
        language: 'an XML writer',
        ...(emptyTag === undefined ? {} : { isOfEmpty: true as const }),
        print: (pairs: readonly Pair[]) => {
          const elements = pairs.map(([name, value]) => indent + element(name, value)).join('');
          const inside = root === '' ? elements : `<${root}>${elements}${indent && '\n'}</${root}>`;
          return start + inside + end;
        },
      })),
    ),
  );
}

/** Names and values with marks between them, and as elements of XML: what a program hashes at times as one text. */
export const pairStructures: readonly MapStructure[] = [
  ...markedPairs(),
  ...xml(),
  ...xml((name) => `<${name} />`),
  ...xml((name) => `<${name}/>`),
];

function printR(pairs: readonly Pair[]): string {
  return `Array\n(\n${pairs.map(([name, value]) => `    [${name}] => ${value}\n`).join('')})\n`;
}

function varExport(pairs: readonly Pair[]): string {
  return `array (\n${pairs.map(([name, value]) => `  ${name} => ${value},\n`).join('')})`;
}

function varDump(pairs: readonly Pair[]): string {
  const lines = pairs.map(([name, value]) => `  [${name}]=>\n  string(${bytesOf(value)}) "${value}"\n`);
  return `array(${pairs.length}) {\n${lines.join('')}}\n`;
}
