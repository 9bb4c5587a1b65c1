import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { withoutPrompt } from './curl.js';
import { readHttp } from './http-text.js';
import { flagsNamed, formType, headerOf, type PastedRequest, placeIn, shownFlag } from './pasted-request.js';
import { shellWords } from './shell-words.js';

const what = 'wget command';

const valuedShort = 'aeoOPQtTUwABDIXRl';
const valuedLong = flagsNamed(
  'output-document output-file append-output tries timeout dns-timeout connect-timeout read-timeout wait user-agent referer load-cookies save-cookies limit-rate bind-address ca-certificate certificate private-key secure-protocol directory-prefix max-redirect execute proxy-user proxy-password waitretry quota',
);

/** Reads a pasted wget command. Throws TEXT_INVALID. */
export function readWget(text: string): PastedRequest {
  const source = withoutPrompt(text);
  const { words, starts, endedBy } = shellWords(source, what);
  const placeOf = (at: number) => placeIn(what, source, starts[at] ?? source.length);
  const headers: Pair[] = [];
  const notes: string[] = [];
  let method: string | undefined;
  let body: string | undefined;
  let isForm = false;
  let url: string | undefined;
  if (endedBy !== undefined)
    notes.push(`the shell ends the command at an unquoted ${endedBy}; what follows it is not part of the request`);
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') {
      if (url !== undefined) throw fail('curlTwoAddresses', { field: placeOf(at) });
      url = word;
      continue;
    }
    const [, flag = word, joined] = /^(--[\w-]+)=([\s\S]*)$/.exec(word) ?? [];
    const field = placeOf(at);
    const value = () => {
      if (joined === undefined) at += 1;
      const given = joined ?? words[at];
      if (given === undefined) throw fail('curlFlagWithoutValue', { flag: shownFlag(flag), field });
      return given;
    };
    if (flag === '--method') method = value();
    else if (flag === '--header') headers.push(headerIn(value(), field));
    else if (flag === '--post-data' || flag === '--body-data') {
      body = value();
      isForm ||= flag === '--post-data';
    } else if (flag === '--post-file' || flag === '--body-file') throw fail('curlReadsFile', { flag, field });
    else if (/^--(?:http-)?(?:user|password)$/.test(flag)) throw fail('curlUser', { field });
    else if (valuedLong.test(flag)) value();
    else if (!flag.startsWith('--')) at += takesNext(flag) ? 1 : 0;
  }
  if (url === undefined) throw fail('curlWithoutAddress', { field: what });
  const isTyped = body === undefined || headerOf({ headers }, 'content-type') !== undefined;
  return {
    method: method ?? (isForm ? 'POST' : 'GET'),
    url: /^https?:\/\//i.test(url) ? url : `http://${url}`,
    headers: isTyped ? headers : [...headers, ['Content-Type', formType]],
    body: body ?? '',
    notes,
  };
}

function headerIn(text: string, field: string): Pair {
  const [, name, value = ''] = /^\s*([^:\s]+)\s*:\s*([\s\S]*?)\s*$/.exec(text) ?? [];
  if (name === undefined) throw fail('curlHeaderWithoutColon', { field });
  return [name, value];
}

/** `-qO -`: letters, the last of which takes the next word. `-nv` and the like are names of two letters. */
function takesNext(flag: string): boolean {
  if (/^-n[vcdHpbr]+$/.test(flag)) return false;
  const at = [...flag.slice(1)].findIndex((letter) => valuedShort.includes(letter));
  return at !== -1 && at === flag.length - 2;
}

/** True for what `wget -d` prints. */
export function isWgetTrace(text: string): boolean {
  return /^---request begin---/m.test(text);
}

/** The first request of `wget -d`, whose body stands behind it. Throws TEXT_INVALID. */
export function readWgetTrace(text: string): PastedRequest {
  const [, head = ''] = /^---request begin---\r?\n([\s\S]*?)\r?\n---request end---/m.exec(text) ?? [];
  const body = /^\[(?:BODY|POST) data: ([^\n]*)\]\r?$/m.exec(text)?.[1];
  const read = readHttp(`${head.trimEnd().replace(/\r?\ncontent-length:[^\n]*/i, '')}\n\n`);
  return { ...read, body: body ?? '', lacksBody: body === undefined && /^content-length: *[1-9]/im.test(head) };
}
