import type { Pair } from '../../wire/form.js';
import { readCurlWords, withQuery } from './curl.js';
import { formOf, isTable, type Literal, LiteralScanner, textPairs } from './literal-scanner.js';
import { formType, headerOf, type PastedRequest } from './pasted-request.js';

const what = 'PowerShell command';

/**
 * True for Invoke-WebRequest and Invoke-RestMethod by any of their names, and for curl.exe in the quotes of PowerShell.
 */
export function isPowerShell(text: string): boolean {
  if (/(?:^|[\s;=(|])(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s/i.test(text)) return true;
  if (/(?:^|\n)\s*(?:PS [^>\n]*>\s*)?(?:curl|wget)\s[^\n]*-(?:Uri|Method|Headers|Body|UseBasicParsing)\b/i.test(text))
    return true;
  if (/(?:^|\n)\s*PS [^>\n]*>\s*(?:& )?\S*curl(?:\.exe)?\s/i.test(text)) return true;
  return /(?:^|\n)\s*(?:& )?\S*curl(?:\.exe)?\s/i.test(text) && /`\r?\n|`["nrt$]|"[^"\n]*""/.test(text);
}

/** Reads the statements up to the first request. Nothing is run. Throws TEXT_INVALID. */
export function readPowerShell(text: string): PastedRequest {
  const scanner = new LiteralScanner(
    text.replace(/^\s*PS [^>\n]*>/, (prompt) => prompt.replace(/./g, ' ')),
    what,
  );
  const variables: Variables = new Map();
  for (;;) {
    skipBlank(scanner, true);
    if (scanner.isAtEnd) throw scanner.unread('no Invoke-WebRequest, Invoke-RestMethod or curl.exe was found');
    const found = readStatement(scanner, variables);
    if (found !== undefined) return found;
  }
}

type Variables = Map<string, Literal>;

const commandName = /(?:&\s*)?(Invoke-WebRequest|Invoke-RestMethod|iwr|irm|curl|wget|\S*curl\.exe)(?=\s)/iy;

/** A request, or nothing for an assignment and for what does not matter. */
function readStatement(scanner: LiteralScanner, variables: Variables): PastedRequest | undefined {
  const command = scanner.match(commandName)?.[1];
  if (command !== undefined) return readCommand(command, scanner, variables);
  const name = scanner.match(/\$(\w+)(?=\s*=(?!=))/y)?.[1];
  if (name !== undefined) {
    scanner.match(/\s*=\s*/y);
    const inner = scanner.match(commandName)?.[1];
    if (inner !== undefined) return readCommand(inner, scanner, variables);
    // What another command returns is no literal; such a variable has no value here.
    if (/[A-Za-z]/.test(scanner.char) && !/^(?:true|false)\b/i.test(scanner.text.slice(scanner.at))) skipLine(scanner);
    else variables.set(name.toLowerCase(), readExpression(scanner, variables));
    return undefined;
  }
  const entry = scanner.match(/\$(\w+)(?:\[\s*(['"])([^'"\n]*)\2\s*\]\s*=|\.Add\(\s*(['"])([^'"\n]*)\4\s*,)\s*/iy);
  if (entry === undefined) skipLine(scanner);
  else {
    const table = variables.get((entry[1] ?? '').toLowerCase());
    const value = readExpression(scanner, variables);
    if (isTable(table))
      variables.set((entry[1] ?? '').toLowerCase(), {
        pairs: [...table.pairs, [entry[3] ?? entry[5] ?? '', value] as const],
      });
    scanner.match(/\s*\)/y);
  }
  return undefined;
}

function skipLine(scanner: LiteralScanner): void {
  const from = scanner.at;
  scanner.match(/(?:`\r?\n|[^\n;])*[\n;]?/y);
  if (scanner.at === from) scanner.at += 1;
}

/** Blanks and lines joined by a backtick; ends of lines and remarks too, `across` lines. */
function skipBlank(scanner: LiteralScanner, across: boolean): void {
  scanner.match(across ? /(?:[\s;]|`\r?\n|#[^\n]*)+/y : /(?:[ \t\r]|`\r?\n)+/y);
}

function readCommand(command: string, scanner: LiteralScanner, variables: Variables): PastedRequest {
  return /curl\.exe$/i.test(command) || (/^curl$/i.test(command) && !hasCmdletFlags(scanner))
    ? readNative(command, scanner, variables)
    : readCmdlet(scanner, variables);
}

function hasCmdletFlags({ text, at }: LiteralScanner): boolean {
  return /\s-(?:Uri|Method|Headers|Body|UseBasicParsing|ContentType)\b/i.test(text.slice(at));
}

/** curl.exe with its own flags. */
function readNative(command: string, scanner: LiteralScanner, variables: Variables): PastedRequest {
  const words = [command];
  const starts = [scanner.at];
  for (skipBlank(scanner, false); !isAtCommandEnd(scanner); skipBlank(scanner, false)) {
    starts.push(scanner.at);
    words.push(readWord(scanner, variables));
  }
  const read = readCurlWords({ words, starts, endedBy: undefined }, what, scanner.text);
  const isStripped = words.some((word) => word.includes('"'));
  return isStripped ? { ...read, notes: [...read.notes, strippedQuotes] } : read;
}

const strippedQuotes = `before version 7.3, PowerShell removes the double quotes inside an argument: the Authorization header arrives without them unless each is written \\"`;

function isAtCommandEnd(scanner: LiteralScanner): boolean {
  return scanner.isAtEnd || /[\n;|)}]/.test(scanner.char);
}

/** A word of a command, of quoted and plain pieces. */
function readWord(scanner: LiteralScanner, variables: Variables): string {
  let word = '';
  while (!isAtCommandEnd(scanner) && !/[ \t\r]/.test(scanner.char) && !scanner.startsWith('`\n')) {
    if (/["'$@(]/.test(scanner.char)) {
      const at = scanner.at;
      const value = readPrimary(scanner, variables);
      if (typeof value !== 'string') throw scanner.unread('a string was expected here', at);
      word += value;
    } else word += scanner.match(/`(.)/sy)?.[1] ?? scanner.match(/[\s\S]/y)?.[0] ?? '';
  }
  return word;
}

type CmdletArguments = Map<string, { readonly value: Literal; readonly at: number }>;

function readCmdlet(scanner: LiteralScanner, variables: Variables): PastedRequest {
  const given: CmdletArguments = new Map();
  for (skipBlank(scanner, false); !isAtCommandEnd(scanner); skipBlank(scanner, false))
    readArgument(scanner, variables, given);
  const uri = given.get('uri');
  if (typeof uri?.value !== 'string') throw scanner.unread('the command has no -Uri');
  const method = given.get('method')?.value ?? given.get('custommethod')?.value ?? 'GET';
  if (typeof method !== 'string') throw scanner.unread('-Method is not a string', given.get('method')?.at);
  const headers = headersOf(given, scanner);
  const { body, notes, isTable: isFields } = bodyOf(given, scanner);
  const upper = method.toUpperCase();
  if (upper === 'GET' && isFields) return { method: upper, url: withQuery(uri.value, body), headers, body: '', notes };
  const isTyped = headerOf({ headers }, 'content-type') !== undefined || body === '' || upper !== 'POST';
  return {
    method: upper,
    url: uri.value,
    headers: isTyped ? headers : [...headers, ['Content-Type', formType]],
    body,
    notes,
  };
}

const switches =
  /^(?:usebasicparsing|skip\w+|disable\w+|usedefaultcredentials|passthru|resume|allow\w+|verbose|noproxy)$/i;

/** Flags that say something about the request. */
const relevant = /^(?:uri|method|custommethod|headers|contenttype|body|infile|form)$/;

function readArgument(scanner: LiteralScanner, variables: Variables, given: CmdletArguments): void {
  const at = scanner.at;
  const splat = scanner.match(/@(\w+)/y)?.[1];
  if (splat !== undefined) {
    const table = variables.get(splat.toLowerCase());
    if (!isTable(table))
      throw scanner.unread(
        `the value of @${splat.slice(0, 40)} was not pasted; paste the lines that set it as well`,
        at,
      );
    for (const [name, value] of table.pairs) given.set(name.toLowerCase(), { value, at });
    return;
  }
  const flag = scanner.match(/-([A-Za-z]\w*):?/y)?.[1]?.toLowerCase();
  if (flag === undefined) {
    given.set('uri', { value: readWord(scanner, variables), at });
    return;
  }
  if (switches.test(flag)) return;
  skipBlank(scanner, false);
  if (!relevant.test(flag) && scanner.match(/\$[\w.:]+/y) !== undefined) return;
  const from = scanner.at;
  const isBare = /[A-Za-z0-9:/_.]/.test(scanner.char);
  given.set(flag, { value: isBare ? readWord(scanner, variables) : readExpression(scanner, variables), at: from });
}

function headersOf(given: CmdletArguments, scanner: LiteralScanner): Pair[] {
  const named = given.get('headers');
  const headers = named === undefined ? [] : textPairs(named.value, scanner, named.at);
  const type = given.get('contenttype')?.value;
  return typeof type === 'string'
    ? [...headers.filter(([name]) => name.toLowerCase() !== 'content-type'), ['Content-Type', type]]
    : headers;
}

function bodyOf(given: CmdletArguments, scanner: LiteralScanner) {
  if (given.has('infile'))
    throw scanner.unread(
      '-InFile reads a file that is not here; paste its contents with -Body',
      given.get('infile')?.at,
    );
  if (given.has('form'))
    throw scanner.unread('-Form sends multipart/form-data, which no signature covers', given.get('form')?.at);
  const body = given.get('body');
  if (body === undefined || body.value === undefined) return { body: '', notes: [], isTable: false };
  if (typeof body.value === 'string') return { body: body.value, notes: [], isTable: false };
  const form = formOf(body.value, scanner, body.at);
  return { body: form, notes: [tableRemark], isTable: true };
}

const tableRemark =
  'PowerShell reorders the fields of a hashtable that is not [ordered]; the body may have been sent in another order';

/** Values joined by `+`, or listed by commas. */
function readExpression(scanner: LiteralScanner, variables: Variables): Literal {
  const at = scanner.at;
  let value = readPrimary(scanner, variables);
  for (;;) {
    if (scanner.match(/[ \t]*\+[ \t]*(?:`?\r?\n[ \t]*)?/y) !== undefined) {
      const more = readPrimary(scanner, variables);
      if (typeof value !== 'string' || typeof more !== 'string') throw scanner.unread('only strings can be joined', at);
      value += more;
    } else if (scanner.match(/[ \t]*,\s*/y) !== undefined) {
      const more = readPrimary(scanner, variables);
      const list = typeof value === 'object' && 'list' in value ? value.list : [value];
      value = { list: [...list, more] };
    } else return value;
  }
}

function readPrimary(scanner: LiteralScanner, variables: Variables): Literal {
  const at = scanner.at;
  if (scanner.match(/\[(?:ordered|string|hashtable|int|uri)\]\s*/iy) !== undefined)
    return readPrimary(scanner, variables);
  const here = scanner.match(/@(["'])[ \t]*\r?\n([\s\S]*?)\r?\n\1@/y);
  if (here !== undefined) {
    if (here[1] === '"' && /[$`]/.test(here[2] ?? ''))
      throw scanner.unread('a here-string with variables cannot be read; paste it with their values', at);
    return here[2] ?? '';
  }
  if (scanner.startsWith('@{')) return readTable(scanner, variables);
  if (scanner.char === "'") return readSingle(scanner);
  if (scanner.char === '"') return readDouble(scanner, variables);
  const code = scanner.match(/\$\(\[char\]\s*(0x[0-9a-f]+|\d+)\)|\[char\]\s*(0x[0-9a-f]+|\d+)/iy);
  if (code !== undefined) return String.fromCharCode(Number(code[1] ?? code[2]));
  // What travels is the text; a body of bytes is written so where it holds more than ASCII.
  scanner.match(/\[(?:System\.)?Text\.Encoding\]::UTF8\.GetBytes(?=\()/iy);
  const name = scanner.match(/\$(?:\{(\w+)\}|(?:script:|global:)?(\w+))/y);
  if (name !== undefined) return variableValue(name[1] ?? name[2] ?? '', scanner, variables, at);
  const number = scanner.match(/-?\d+(?:\.\d+)?(?![\w.])/y)?.[0];
  if (number !== undefined) return number;
  if (scanner.match(/@?\(\s*/y) !== undefined) {
    const value = readExpression(scanner, variables);
    skipBlank(scanner, true);
    scanner.expect(')');
    return value;
  }
  throw scanner.unread('only strings, hashtables and variables set above can be read');
}

function variableValue(name: string, scanner: LiteralScanner, variables: Variables, at: number): Literal {
  const lower = name.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true' ? 'True' : 'False';
  if (lower === 'null') return undefined;
  if (!variables.has(lower) || /[.[]/.test(scanner.char))
    throw scanner.unread(`the value of $${name.slice(0, 40)} was not pasted; paste the lines that set it as well`, at);
  return variables.get(lower);
}

function readSingle(scanner: LiteralScanner): string {
  const at = scanner.at;
  const found = scanner.match(/'((?:[^']|'')*)'/y);
  if (found === undefined) throw scanner.unread('a single quote is not closed', at);
  return (found[1] ?? '').replaceAll("''", "'");
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
};

function readDouble(scanner: LiteralScanner, variables: Variables): string {
  const from = scanner.at;
  scanner.at += 1;
  let text = '';
  while (!scanner.isAtEnd) {
    if (scanner.match(/""/y) !== undefined) text += '"';
    else if (scanner.match(/"/y) !== undefined) return text;
    else if (scanner.char === '`') {
      const char = scanner.match(/`([\s\S])/y)?.[1] ?? '';
      text += escapes[char] ?? char;
    } else if (
      scanner.char === '$' &&
      /^\$(?:[\w{]|\(\[char\])/i.test(scanner.text.slice(scanner.at, scanner.at + 10))
    ) {
      const at = scanner.at;
      const value = readPrimary(scanner, variables);
      if (typeof value !== 'string') throw scanner.unread('a string was expected here', at);
      text += value;
    } else if (scanner.startsWith('$('))
      throw scanner.unread('it contains a command that PowerShell would run; paste it with the text that was sent');
    else text += scanner.match(/[^"`$]+|\$/y)?.[0] ?? '';
  }
  throw scanner.unread('a double quote is not closed', from);
}

/** `@{ a = 'b'; 'c' = "d" }` */
function readTable(scanner: LiteralScanner, variables: Variables): Literal {
  const from = scanner.at;
  const pairs: (readonly [string, Literal])[] = [];
  scanner.expect('@{');
  for (;;) {
    skipBlank(scanner, true);
    if (scanner.isAtEnd) throw scanner.unread('a { is not closed', from);
    if (scanner.match(/\}/y) !== undefined) return { pairs };
    const at = scanner.at;
    const name = /["']/.test(scanner.char) ? readPrimary(scanner, variables) : scanner.match(/[\w-]+/y)?.[0];
    if (typeof name !== 'string') throw scanner.unread('a name was expected here', at);
    scanner.match(/\s*/y);
    scanner.expect('=');
    scanner.match(/\s*/y);
    pairs.push([name, readExpression(scanner, variables)]);
  }
}
