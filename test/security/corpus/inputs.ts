import { hostile, line } from '../../support/steering.js';

const char = (code: number) => String.fromCodePoint(code);
const hex = (code: number) => code.toString(16);

/**
 * Sequences that steer a terminal: controls of both sets, colours, titles, links, clipboard, screens, reports, keys,
 * mouse.
 */
export const terminal: readonly string[] = [
  ...[0, 1, 7, 8, 11, 12, 13, 14, 15, 24, 26, 27, 28, 127].map((code) => `a${char(code)}b`),
  ...[0x80, 0x84, 0x85, 0x88, 0x8d, 0x8e, 0x90, 0x98, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f].map(
    (code) => `a${char(code)}0;x`,
  ),
  ...[
    '[2J',
    '[H',
    '[1A',
    '[8m',
    '[5m',
    '[31m',
    '[?1049h',
    '[?25l',
    '[6n',
    '[c',
    '[>c',
    '[20t',
    '[?1000h',
    '[200~',
    '[!p',
    '[3J',
    '[1;1H',
  ].map((tail) => `${char(27)}${tail}`),
  ...[
    ']0;title',
    ']52;c;eA==',
    ']8;;https://evil.example',
    ']1337;File=name=x:',
    ']4;1;#000',
    ']9;x',
    'P$qm',
    '_Gx',
    '^x',
    'X',
    'c',
    '(0',
  ].map((tail) => `${char(27)}${tail}${char(7)}`),
  hostile,
  line,
];

/** Characters nobody sees, or that turn the order of others. */
export const invisible: readonly string[] = [
  ...[
    0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2066, 0x2067,
    0x2068, 0x2069,
  ],
  ...[0x061c, 0x00ad, 0x180e, 0xfeff, 0xfff9, 0xfffb, 0x2028, 0x2029, 0xe0001, 0xe0041, 0xe007f, 0x1d173],
].map((code) => `order${char(code)}-${hex(code)}`);

/** Texts that begin a line, a header or another field of a request. */
export const injection: readonly string[] = [
  ...['\r\n', '\n', '\r', '\u0085', '\v', '\f', '\0'].flatMap((end) =>
    ['x-evil: 1', 'Content-Length: 0', 'Set-Cookie: a=b', '\nerror: spoofed'].map((tail) => `order${end}${tail}`),
  ),
];

/** Markup, scripts and templates. */
export const markup: readonly string[] = [
  ...[
    'script',
    'SCRIPT',
    'svg/onload=x',
    'img src=x onerror=x',
    'iframe srcdoc=x',
    'body onload=x',
    'math',
    'style',
    'base href=//evil',
    'meta http-equiv=refresh',
  ].map((tag) => `"><${tag}>evil()</${tag.split(' ')[0]}>`),
  ...[
    "' onmouseover='evil()",
    '" autofocus onfocus="evil()',
    '` onclick=`evil()',
    '</title><script>evil()</script>',
    '<!--<script>evil()',
    ']]><script>evil()',
  ],
  ...[
    'javascript:evil()',
    'data:text/html,<script>evil()</script>',
    '{{constructor.constructor("evil()")()}}',
    `\${evil()}`,
    '<%= evil() %>',
    '#{evil()}',
  ],
  ...[
    '&lt;script&gt;evil()',
    '<a href="jav&#x09;ascript:evil()">',
    '\\u003cscript\\u003eevil()',
    '<script\n>evil()</script\n>',
    '<scr<script>ipt>evil()',
    '<x onpointerenter=evil()>',
  ],
];

/** Names that would lead out of a folder. */
export const paths: readonly string[] = [
  ...[
    '../x',
    '../../x',
    '..',
    '.',
    '/etc/passwd',
    '/tmp/x',
    '~/x',
    '~root/x',
    'a/../../x',
    './x',
    'x/',
    '..\\x',
    'C:\\x',
    '\\\\host\\x',
    '%2e%2e%2fx',
    '..%2fx',
  ],
  ...[
    '..%c0%afx',
    '....//x',
    'x\0.db',
    'x\n',
    ' x',
    'x ',
    'CON:',
    'file:///x',
    '$HOME/x',
    '`x`',
    '$(x)',
    'x;y',
    '-x',
    '--replace',
    '*',
    '?',
    '．．／x',
  ],
  ...['a'.repeat(300), 'ä', '.hidden'],
];

/** Words that a shell would do something with. */
export const shell: readonly string[] = [
  ...[
    '$(touch X)',
    '`touch X`',
    `\${IFS}x`,
    '$HOME',
    '$((1+1))',
    'a;touch X',
    'a&touch X',
    'a|touch X',
    'a>X',
    'a<X',
    'a>>X',
    '(touch X)',
    '{a,b}',
    '*',
    '?',
    '[a-z]',
  ],
  ...[
    '~',
    '~root',
    '!x',
    '!!',
    '#x',
    "it's",
    "''",
    "'\"'",
    '"',
    '\\',
    '\\\\',
    "a'$(touch X)'b",
    "'; touch X; '",
    'a b',
    ' a',
    'a ',
    'a  b',
    '=x',
    '%x',
    '^a^b',
  ],
  ...[
    "\\'; touch X",
    'é $(x)',
    "$'\\x41'",
    '<(touch X)',
    'a && touch X',
    'a || touch X',
    ':(){ :|:& };:',
    '{',
    '}',
    ']',
    '[[',
    '1>&2',
    'if',
    'x=y z',
    '@',
    '+(a)',
  ],
];

/** Addresses a gateway could send a client to, or a person could be talked into typing. */
export const addresses: readonly string[] = [
  ...[
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://127.0.0.1:22/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://2130706433/',
  ],
  ...[
    'http://0x7f.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://localhost:6379/',
    'file:///etc/passwd',
    'gopher://x/_',
    'ftp://x/',
    'javascript:alert(1)',
  ],
  ...[
    'data:text/html,x',
    '//evil.example/',
    '/\\evil.example',
    'https://evil.example@gate.example/',
    'https://gate.example@evil.example/',
    'https://gate.example%2eevil.example/',
  ],
  ...[
    'https://gate.example\\@evil.example/',
    'https://gate.example#@evil.example/',
    'https://gate.example/\r\nx: y',
    'HTTPS://EVIL.EXAMPLE',
    'https:evil.example',
    'https:///evil.example',
  ],
  ...[
    'unix:/var/run/docker.sock',
    'ws://evil.example/',
    'blob:https://x',
    'about:blank',
    'http://[::ffff:169.254.169.254]/',
    'http://evil.example./',
  ],
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
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'].flatMap(
    (name) => [`{"${name}":{"polluted":1}}`, `{"type":"x","${name}":"polluted"}`],
  ),
  ...[
    '1e999999999',
    '-1e-999999999',
    '9'.repeat(100_000),
    `0.${'0'.repeat(100_000)}1`,
    '-0',
    '1E400',
    '01',
    '+1',
    '.5',
    '5.',
    '0x10',
    'NaN',
    'Infinity',
    '1_000',
  ].map(member),
  ...[
    '{"a":1,"a":2}',
    '{"type":"a","type":"b"}',
    '{"a":{"b":1,"b":2}}',
    '{"":1}',
    '{"\\u0000":1}',
    '{"a\\u0000b":"c"}',
    '{"\\ud800":1}',
    '{"a":"\\ud800"}',
  ],
  ...[
    '',
    ' ',
    '{',
    '}',
    '[]',
    'null',
    'true',
    '"x"',
    '1',
    '{"a":}',
    "{'a':1}",
    '{a:1}',
    '{"a":1,}',
    '{"a":1}{"b":2}',
    '{"a":1}x',
    '\ufeff{"a":1}',
    '/*x*/{"a":1}',
    '{"a":\n1}',
  ],
  ...['ff', 'c080', 'eda080', 'f4908080', '7b2261223a22ff227d', 'fffe7b00', '00', '1f8b0800', '28b52ffd', '80'].map(
    (bytes) => Buffer.from(bytes, 'hex'),
  ),
];

/** Queries and forms with oddities. */
export const forms: readonly string[] = [
  ...['status', 'orderid', 'client_orderid', 'control', 'type', 'amount', 'currency'].flatMap((name) => [
    `status=approved&orderid=1&client_orderid=a&control=0&type=sale&amount=1&currency=EUR&${name}=other`,
    `${name}=x&${name}=y`,
  ]),
  ...[
    '%',
    '%0',
    '%zz',
    '%c0%ae',
    '%ed%a0%80',
    '%f4%90%80%80',
    '%ff',
    '%00',
    '%25%30%30',
    '%u0041',
    '%E0%80%AF',
    '%C1%81',
  ].map((text) => `status=${text}&orderid=1&client_orderid=a`),
  ...[
    '',
    '&',
    '&&&',
    '=',
    '==',
    '=x',
    'a',
    'status',
    'status=&orderid=&client_orderid=',
    'status=a;orderid=b',
    'status[]=a',
    'status[x]=a',
    '__proto__=x',
    'constructor=x',
  ],
  ...[
    'STATUS=approved&orderid=1&client_orderid=a',
    'status =approved&orderid=1&client_orderid=a',
    'stat%75s=approved&status=x&orderid=1&client_orderid=a',
  ],
  ...[
    'a=b&'.repeat(5000),
    `status=${'%41'.repeat(10_000)}`,
    'status=a\r\nx: y&orderid=1',
    'status=a\0&orderid=1',
    '?status=approved',
    '#status=approved',
    'status=approved&amp;orderid=1',
  ],
];

/** Configuration files: bombs, tags, loops, wrong kinds, names that are none. */
export const yaml: readonly string[] = [
  `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
    .split('')
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[at]}`).join(',')}]`)
    .join('\n')}`,
  `profiles: ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  `profiles: ${'{a: '.repeat(3000)}1${'}'.repeat(3000)}`,
  ...[
    '&a [*a]',
    '*nowhere',
    '!!js/function "function(){}"',
    '!!python/object:os.system',
    '!!binary x',
    '!evil x',
    '!!set {a}',
    '!!timestamp 2001-01-01',
  ].map((value) => `profiles: ${value}\n`),
  ...['__proto__', 'constructor', 'prototype', '$import', 'extends', '<<'].flatMap((name) => [
    `${name}: {polluted: 1}\n`,
    `profiles: {${name}: {polluted: 1, class: test}}\n`,
  ]),
  ...[
    'profiles: 1',
    'profiles: []',
    'profiles: null',
    '- a',
    '1',
    '"x"',
    'a: b: c',
    '\tx: 1',
    'a: 1\na: 2',
    'profiles: {a: {}}\nprofiles: {b: {}}',
    '%YAML 9.9\n---\na: 1',
    '--- a\n--- b',
    '? [a]\n: b',
    '{',
    '"',
  ].map((text) => `${text}\n`),
  ...[
    'a: "\u0000"',
    'a: \u202e',
    '\ufeffa: 1',
    'a: \u0007',
    'a: "\\x1b[2J"',
    `${'k'.repeat(100_000)}: 1`,
    `a: ${'v'.repeat(100_000)}`,
    'x: 0x10',
    'x: .inf',
    'x: 1e999',
  ].map((text) => `${text}\n`),
];

/** Answers of a server as bytes, each with a second one behind it or a length that may be read in two ways. */
export const replies: readonly string[] = [
  'Content-Length: 2\r\nContent-Length: 30',
  'Content-Length: 2, 30',
  'Content-Length: +2',
  'Content-Length: -1',
  'Content-Length: 0x2',
  'Content-Length: 2\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 2',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\u000bchunked',
  ' Content-Length: 2',
  'Content-Length: 2\r\n folded: x',
  'Content-Length : 2',
  'Content-Length: 2\nX: y',
  'X: a\0b\r\nContent-Length: 2',
].map((headers) => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nSMUGGLED`);
