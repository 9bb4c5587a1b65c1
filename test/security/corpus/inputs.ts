/** Texts that begin a line, a header or another field of a request. */
export const injection: readonly string[] = [
  ...['\r\n', '\r', '\v', '\0'].flatMap((end) =>
    ['Set-Cookie: a=b', '\nerror: spoofed'].map((tail) => `order${end}${tail}`),
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
  ...['../x', '/etc/passwd', '~/x', 'a/../../x', 'C:\\x', '%2e%2e%2fx'],
  ...['x\0.db', '$(x)', '-x', 'a'.repeat(300)],
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
