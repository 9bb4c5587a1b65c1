import { fail } from '../../errors/index.js';
import { readHttp } from './http-text.js';
import { headerOf, type PastedRequest } from './pasted-request.js';

const what = '.http file';

const comments = /^(?:(?:\/\/|#)[^\n]*\n|\s*\n)*/;
const requestLine = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:https?:\/\/|\{\{)\S*[ \t]*(?:\r?\n|$)/;

/** True for a request file of an editor: parts divided by ###, variables, or a request line without a version. */
export function isHttpFile(text: string): boolean {
  if (/^###/m.test(text) || /^@[\w-]+\s*=/m.test(text)) return true;
  return requestLine.test(text.replace(comments, ''));
}

/** Every request of such a file, its variables filled in. Throws TEXT_INVALID. */
export function readHttpFile(text: string): PastedRequest[] {
  const lines = text.split(/\r?\n/);
  const variables = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^@([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) variables.set(name, value);
  }
  const parts: { readonly first: number; readonly lines: string[] }[] = [{ first: 1, lines: [] }];
  for (const [at, line] of lines.entries())
    if (line.startsWith('###')) parts.push({ first: at + 2, lines: [] });
    else parts.at(-1)?.lines.push(line);
  const requests = parts.flatMap((part) => requestIn(part.lines, part.first, variables));
  if (requests.length === 0) throw fail('httpWithoutRequestLine', { field: what });
  return requests;
}

function requestIn(lines: readonly string[], first: number, variables: ReadonlyMap<string, string>): PastedRequest[] {
  const isRemark = (line: string) => /^\s*(?:#|\/\/)/.test(line) || /^@[\w-]+\s*=/.test(line);
  const start = lines.findIndex((line) => line.trim() !== '' && !isRemark(line));
  if (start === -1) return [];
  const filled = lines
    .slice(start)
    .map((line, at) => withVariables(line, variables, `${what}, line ${first + start + at}`));
  const blank = filled.findIndex((line) => line.trim() === '');
  const [requestLine = '', ...rest] = filled.slice(0, blank === -1 ? filled.length : blank);
  // An address may go on in the lines below it.
  const joined = rest.findIndex((line) => !/^\s+[?&/]/.test(line));
  const address =
    requestLine.trim() +
    rest
      .slice(0, joined === -1 ? rest.length : joined)
      .map((line) => line.trim().replace(/\s+&$/, '&'))
      .join('');
  const headers = (joined === -1 ? [] : rest.slice(joined)).filter((line) => !isRemark(line));
  const head = /^[A-Z]+ /.test(address) ? address : `GET ${address}`;
  const read = readHttp(`${head}\n${headers.join('\n')}\n\n`);
  const body = bodyOf(
    blank === -1 ? [] : filled.slice(blank + 1),
    headerOf(read, 'content-type'),
    first + start + blank + 1,
  );
  return [{ ...read, body }];
}

function withVariables(line: string, variables: ReadonlyMap<string, string>, field: string): string {
  const fill = (text: string, depth: number): string =>
    text.replace(/\{\{\s*(\$?[^{}\s]+)[^{}]*\}\}/g, (_, name: string) => {
      const value = variables.get(name);
      if (value === undefined || depth > 10)
        throw fail('placeholderUnknown', { name: /^[\w$.-]{1,40}$/.test(name) ? name : 'a name', field });
      return fill(value, depth + 1);
    });
  return fill(line, 0);
}

/** Lines of a form belong together; what an editor runs after the reply is no part of the body. */
function bodyOf(lines: readonly string[], type: string | undefined, first: number): string {
  const end = lines.findIndex((line) => /^(?:> |>> |>\s*\{%|<> )/.test(line));
  const own = end === -1 ? lines : lines.slice(0, end);
  const file = own.findIndex((line) => /^<@?\s*\S/.test(line));
  if (file !== -1) throw fail('curlReadsFile', { flag: '<', field: `${what}, line ${first + file}` });
  const text = own.join('\n').trim();
  const isForm = type === undefined || /^application\/x-www-form-urlencoded/i.test(type.trim());
  return isForm
    ? text
        .split(/\r?\n/)
        .map((line) => line.trim().replace(/\s+&$/, '&'))
        .join('')
    : text;
}
