import type { Pair } from '../../wire/form.js';
import { formOf, isTable, type Literal, LiteralScanner, textPairs } from './literal-scanner.js';
import { formType, headerOf, type PastedRequest } from './pasted-request.js';

const what = 'fetch call';

/** True for a fetch call in JavaScript. */
export function isFetch(text: string): boolean {
  return /(?:^|[\s=(;.])fetch\s*\(/.test(text);
}

type Constants = Map<string, Literal>;

/** Reads a call such as browsers copy, with texts written out or in constants above it. Throws TEXT_INVALID. */
export function readFetch(text: string): PastedRequest {
  const scanner = new LiteralScanner(text, what);
  const constants: Constants = new Map();
  for (;;) {
    skipBlank(scanner);
    if (scanner.isAtEnd) throw scanner.unread('no call to fetch was found');
    if (
      scanner.match(/(?:(?:const|let|var)\s+[\w${}, ]+\s*=\s*)?(?:return\s+)?(?:await\s+)?(?:\w+\.)?fetch\s*\(/y) !==
      undefined
    )
      return readCall(scanner, constants);
    const name = scanner.match(/(?:const|let|var)\s+([\w$]+)\s*=\s*/y)?.[1];
    if (name !== undefined) setConstant(name, scanner, constants);
    else if (scanner.match(/[\w$]+|[^\w\s$]/y) === undefined) scanner.at += 1;
  }
}

/** What is computed has no value here, which matters only where it is used. */
function setConstant(name: string, scanner: LiteralScanner, constants: Constants): void {
  const at = scanner.at;
  try {
    constants.set(name, readExpression(scanner, constants));
  } catch {
    constants.delete(name);
    scanner.at = at;
    scanner.match(/[^;\n]*/y);
  }
}

function skipBlank(scanner: LiteralScanner): void {
  scanner.match(/(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y);
}

function readCall(scanner: LiteralScanner, constants: Constants): PastedRequest {
  const from = scanner.at;
  const url = readExpression(scanner, constants);
  if (typeof url !== 'string') throw scanner.unread('the address is not a string', from);
  skipBlank(scanner);
  let options: Literal = { pairs: [] };
  const at = scanner.at;
  if (scanner.match(/,/y) !== undefined) {
    skipBlank(scanner);
    if (scanner.char !== ')') options = readExpression(scanner, constants);
  }
  if (!isTable(options)) throw scanner.unread('the second argument is not an object', at);
  return requestOf(url, new Map(options.pairs), scanner, at);
}

function requestOf(
  url: string,
  options: ReadonlyMap<string, Literal>,
  scanner: LiteralScanner,
  at: number,
): PastedRequest {
  const method = options.get('method') ?? 'GET';
  if (typeof method !== 'string') throw scanner.unread('the method is not a string', at);
  const headers = options.get('headers');
  const pairs: Pair[] = headers === undefined ? [] : textPairs(headers, scanner, at);
  const body = options.get('body');
  const isForm = typeof body === 'object';
  const sent = isForm ? formOf(body, scanner, at) : (body ?? '');
  const isTyped = !isForm || headerOf({ headers: pairs }, 'content-type') !== undefined;
  return {
    // The Fetch standard turns these, and no others, into upper case.
    method: /^(?:delete|get|head|options|post|put)$/i.test(method) ? method.toUpperCase() : method,
    url,
    headers: isTyped ? pairs : [...pairs, ['Content-Type', formType]],
    body: sent,
    notes: typeof body === 'string' && headerOf({ headers: pairs }, 'content-type') === undefined ? [plainText] : [],
  };
}

const plainText =
  'without a Content-Type, fetch sends a string body as text/plain; set application/x-www-form-urlencoded';

/** Texts joined by `+`. */
function readExpression(scanner: LiteralScanner, constants: Constants): Literal {
  const at = scanner.at;
  let value = readPrimary(scanner, constants);
  for (;;) {
    skipBlank(scanner);
    if (scanner.match(/\.toString\(\)/y) !== undefined)
      value = typeof value === 'object' ? formOf(value, scanner, at) : value;
    else if (scanner.match(/\+(?!\+)/y) !== undefined) {
      skipBlank(scanner);
      const more = readPrimary(scanner, constants);
      if (typeof value !== 'string' || typeof more !== 'string') throw scanner.unread('only strings can be joined', at);
      value += more;
    } else return value;
  }
}

function readPrimary(scanner: LiteralScanner, constants: Constants): Literal {
  skipBlank(scanner);
  const at = scanner.at;
  if (scanner.match(/new\s+(?:URLSearchParams|Headers|URL)\s*\(/y) !== undefined)
    return readWrapped(scanner, constants);
  if (scanner.match(/Object\.fromEntries\s*\(/y) !== undefined) return readWrapped(scanner, constants);
  if (scanner.char === '{') return readObject(scanner, constants);
  if (scanner.char === '[') return readArray(scanner, constants);
  if (scanner.char === '(') {
    scanner.at += 1;
    return readWrapped(scanner, constants);
  }
  if (/["'`]/.test(scanner.char)) return readText(scanner, constants);
  const number = scanner.match(/-?\d+(?:\.\d+)?(?![\w.])/y)?.[0];
  if (number !== undefined) return String(Number(number));
  const word = scanner.match(/[A-Za-z_$][\w$]*/y)?.[0];
  if (word === 'null' || word === 'undefined') return undefined;
  if (word === 'true' || word === 'false') return word;
  if (word !== undefined && constants.has(word) && !/[.([]/.test(scanner.char)) return constants.get(word);
  throw scanner.unread(
    word === undefined
      ? 'only strings, objects and constants set above can be read'
      : `the value of ${word.slice(0, 40)} was not pasted; paste the lines that set it as well`,
    at,
  );
}

/** One value and a closing bracket. */
function readWrapped(scanner: LiteralScanner, constants: Constants): Literal {
  const value = readExpression(scanner, constants);
  skipBlank(scanner);
  scanner.match(/,\s*/y);
  scanner.expect(')');
  return value;
}

function readObject(scanner: LiteralScanner, constants: Constants): Literal {
  const from = scanner.at;
  const pairs: (readonly [string, Literal])[] = [];
  scanner.expect('{');
  for (;;) {
    skipBlank(scanner);
    if (scanner.isAtEnd) throw scanner.unread('a { is not closed', from);
    if (scanner.match(/\}/y) !== undefined) return { pairs };
    if (scanner.match(/\.\.\./y) !== undefined) {
      const spread = readExpression(scanner, constants);
      if (isTable(spread)) pairs.push(...spread.pairs);
    } else {
      const at = scanner.at;
      const name = /["'`]/.test(scanner.char) ? readText(scanner, constants) : scanner.match(/[\w$]+/y)?.[0];
      if (name === undefined) throw scanner.unread('a name was expected here');
      skipBlank(scanner);
      // `{ body }` is short for `{ body: body }`.
      if (/[,}]/.test(scanner.char)) {
        if (!constants.has(name))
          throw scanner.unread(
            `the value of ${name.slice(0, 40)} was not pasted; paste the lines that set it as well`,
            at,
          );
        pairs.push([name, constants.get(name)]);
      } else {
        scanner.expect(':');
        pairs.push([name, readExpression(scanner, constants)]);
      }
    }
    skipBlank(scanner);
    scanner.match(/,/y);
  }
}

function readArray(scanner: LiteralScanner, constants: Constants): Literal {
  const from = scanner.at;
  const list: Literal[] = [];
  scanner.expect('[');
  for (;;) {
    skipBlank(scanner);
    if (scanner.isAtEnd) throw scanner.unread('a [ is not closed', from);
    if (scanner.match(/\]/y) !== undefined) return { list };
    list.push(readExpression(scanner, constants));
    skipBlank(scanner);
    scanner.match(/,/y);
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '0': '\0' };
const escaped = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|(\r?\n)|([\s\S]))/y;

function readText(scanner: LiteralScanner, constants: Constants): string {
  const from = scanner.at;
  const quote = scanner.char;
  const plain = quote === '`' ? /[^\\`$]+|\$(?!\{)/y : quote === '"' ? /[^\\"\n]+/y : /[^\\'\n]+/y;
  scanner.at += 1;
  let text = '';
  while (!scanner.isAtEnd) {
    if (scanner.char === quote) {
      scanner.at += 1;
      return text;
    }
    const found = scanner.match(escaped);
    if (found !== undefined) text += escapedText(found);
    else if (quote === '`' && scanner.match(/\$\{/y) !== undefined) {
      const at = scanner.at;
      const value = readExpression(scanner, constants);
      if (typeof value !== 'string') throw scanner.unread('a string was expected here', at);
      text += value;
      scanner.expect('}');
    } else {
      const piece = scanner.match(plain)?.[0];
      if (piece === undefined) break;
      text += piece;
    }
  }
  throw scanner.unread('a quote is not closed', from);
}

function escapedText([, two, four, braces, lineEnd, char = '']: RegExpExecArray): string {
  const code = two ?? four ?? braces;
  if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
  return lineEnd === undefined ? (escapes[char] ?? char) : '';
}
