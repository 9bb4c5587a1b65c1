import { hostile, line } from '../../support/steering.js';

const char = (code: number) => String.fromCodePoint(code);

/**
 * Sequences that steer a terminal: controls of both sets, colours, titles, links, clipboard, screens, reports, keys,
 * mouse.
 */
export const terminal: readonly string[] = [
  ...[0, 7, 11, 13, 15, 26, 28].map((code) => `a${char(code)}b`),
  ...[0x80, 0x85, 0x8d, 0x90, 0x9a, 0x9c, 0x9e].map((code) => `a${char(code)}0;x`),
  ...['[2J', '[1A', '[5m', '[?1049h', '[6n', '[>c', '[?1000h', '[!p', '[1;1H'].map((tail) => `${char(27)}${tail}`),
  ...[']0;title', ']8;;https://evil.example', ']4;1;#000', 'P$qm', '^x', 'c'].map(
    (tail) => `${char(27)}${tail}${char(7)}`,
  ),
  hostile,
  line,
];

/** Texts that begin a line, a header or another field of a request. */
export const injection: readonly string[] = [
  ...['\r\n', '\r', '\v', '\0'].flatMap((end) =>
    ['x-evil: 1', 'Content-Length: 0', 'Set-Cookie: a=b', '\nerror: spoofed'].map((tail) => `order${end}${tail}`),
  ),
];

/** Markup, scripts and templates. */
export const markup: readonly string[] = [
  ...['script', 'svg/onload=x', 'iframe srcdoc=x', 'math', 'base href=//evil'].map(
    (tag) => `"><${tag}>evil()</${tag.split(' ')[0]}>`,
  ),
  ...["' onmouseover='evil()", '` onclick=`evil()', '<!--<script>evil()'],
  ...['javascript:evil()', '{{constructor.constructor("evil()")()}}', '<%= evil() %>'],
  ...['&lt;script&gt;evil()', '\\u003cscript\\u003eevil()', '<scr<script>ipt>evil()'],
];

/** Names that would lead out of a folder. */
export const paths: readonly string[] = [
  ...['../x', '..', '/etc/passwd', '~/x', 'a/../../x', 'x/', 'C:\\x', '%2e%2e%2fx'],
  ...['..%c0%afx', 'x\0.db', ' x', 'CON:', '$HOME/x', '$(x)', '-x', '*', '．．／x'],
  ...['a'.repeat(300), 'ä', '.hidden'],
];

const deep = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);
const member = (value: string) => `{"type":"async-response","x":${value}}`;

/** Bodies of replies in JSON, good and bad. */
export const json: readonly (string | Uint8Array)[] = [
  ...[20, 1000, 50_000].flatMap((times) => [
    deep('[', ']', times),
    member(deep('[', ']', times)),
    member(`${'{"a":'.repeat(times)}1${'}'.repeat(times)}`),
  ]),
  ...['__proto__', 'prototype', 'hasOwnProperty', '__defineGetter__'].flatMap((name) => [
    `{"${name}":{"polluted":1}}`,
    `{"type":"x","${name}":"polluted"}`,
  ]),
  ...['1e999999999', '9'.repeat(100_000), '-0', '01', '.5', '0x10', 'Infinity'].map(member),
  ...['{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', '{"\\u0000":1}', '{"\\ud800":1}'],
  ...['', '{', '[]', 'true', '1', "{'a':1}", '{"a":1,}', '{"a":1}x', '/*x*/{"a":1}'],
  ...['ff', 'eda080', '7b2261223a22ff227d', '00', '28b52ffd'].map((bytes) => Buffer.from(bytes, 'hex')),
];

/** Answers of a server as bytes, each with a second one behind it or a length that may be read in two ways. */
export const replies: readonly string[] = [
  'Content-Length: 2\r\nContent-Length: 30',
  'Content-Length: +2',
  'Content-Length: 0x2',
  'Transfer-Encoding: chunked\r\nContent-Length: 2',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding:\u000bchunked',
  'Content-Length: 2\r\n folded: x',
  'Content-Length: 2\nX: y',
].map((headers) => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nSMUGGLED`);
