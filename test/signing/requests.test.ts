import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readCurl } from '../../src/signing/requests/curl.js';
import { readHttp } from '../../src/signing/requests/http-text.js';
import { readJsonRequest } from '../../src/signing/requests/json-request.js';
import { type RequestFormat, readRequest } from '../../src/signing/requests/read-request.js';
import { shellWords } from '../../src/signing/requests/shell-words.js';
import { decodeForm } from '../../src/wire/form.js';

const url = 'https://gate.example/api/v2/sale/1144';

describe('words of a shell', () => {
  // What bash makes of each line is asked of bash itself.
  test.each([
    [String.raw`curl 'a b' "c d" e\ f`],
    [String.raw`curl 'it'\''s' "say \"no\" \\ \x" ''`],
    ['curl \'two\nlines\' "two\nlines" "one \\\nline"'],
    [String.raw`curl $'tab\there' $'\x41\u00e9' $'\xc3\xa9' $'it\'s' $'a\\b\n'`],
    [`curl a'b'"c"d $ 50% a$ "a $ b" 'a $HOME'`],
  ])('%s', (line) => {
    const asked = execFileSync('bash', ['--norc', '-c', `curl() { printf '%s\\0' "$@"; }; ${line}`], {
      env: { LC_ALL: 'C.UTF-8' },
    });
    const expected = String(asked).split('\0').slice(0, -1);
    expect(shellWords(line).words.slice(1)).toEqual(expected);
  });

  test.each([
    ["curl 'a", 'a quote is not closed'],
    ['curl -d "k=$KEY"', 'what only a shell can fill in'],
    ['curl -d "t=$(date +%s)"', 'what only a shell can fill in'],
  ])('%s is refused: %s', (line, why) => {
    expect(() => shellWords(line)).toThrow(why);
  });

  test('an unquoted & ends the command, as in a shell', () => {
    expect(shellWords('curl -d a=1&b=2')).toEqual({ words: ['curl', '-d', 'a=1'], endedBy: '&' });
    expect(readCurl(`curl ${url} -d a=1&b=2`)).toMatchObject({
      body: 'a=1',
      notes: [expect.stringContaining('unquoted &')],
    });
  });
});

describe('curl', () => {
  /** What curl sends with -d, as its manual says; -H 'Name:' takes a header of its own away. */
  const typed = ['Content-Type', 'application/x-www-form-urlencoded'];

  test.each([
    [`curl ${url} -d a=1`, { method: 'POST', url, body: 'a=1' }],
    [`curl -X PUT ${url} -d a=1`, { method: 'PUT', body: 'a=1' }],
    [`curl --request POST ${url} --data 'a=1' --data-raw '@b' --data-binary c=%20`, { body: 'a=1&@b&c=%20' }],
    [
      `curl ${url} --data-urlencode 'a=1 + 1' --data-urlencode '=x&y' --data-urlencode 'é'`,
      { body: 'a=1%20%2B%201&x%26y&%C3%A9' },
    ],
    [`curl -G ${url} -d a=1 -d b=2`, { method: 'GET', url: `${url}?a=1&b=2`, body: '' }],
    [
      `curl ${url} -H 'Accept: application/vnd.pay+json' -H 'X: a: b' -H 'Gone:' -H 'Empty;'`,
      { headers: Object.entries({ Accept: 'application/vnd.pay+json', X: 'a: b', Empty: '' }) },
    ],
    [`curl gate.example/api/v2/sale/1144 -d a=1`, { url: 'http://gate.example/api/v2/sale/1144' }],
    [`$ curl ${url} \\\n  -H 'Accept: x' \\\n  -d 'a=1'`, { body: 'a=1', headers: [['Accept', 'x'], typed] }],
    [`curl ${url} -d a=1`, { headers: [['Accept', '*/*'], typed] }],
    [`curl -o out.txt -A me -b c=1 --max-time 5 ${url} -d a=1`, { url, body: 'a=1' }],
  ])('%s', (command, expected) => {
    expect(readCurl(command)).toMatchObject(expected);
  });

  test('flags that say nothing about the signature are passed over; those nobody knows are named', () => {
    expect(readCurl(`curl -sSkv --compressed --retry 3 ${url} -d a=1`).notes).toEqual([]);
    const { notes } = readCurl(`curl --frobnicate -% ${url} -d a=1`);
    expect(notes).toEqual([
      expect.stringContaining('not a known curl flag'),
      expect.stringContaining('not a known curl flag'),
    ]);
  });

  test.each([
    ['curl -d a=1', 'names no address'],
    [`curl ${url} https://other.example/`, 'names two addresses'],
    [`curl ${url} -d @body.txt`, 'reads a file'],
    [`curl ${url} -u me:secret`, 'where the signature belongs'],
    [`curl ${url} -d`, '-d has no value'],
  ])('%s is refused: %s', (command, why) => {
    expect(() => readCurl(command)).toThrow(why);
    expect(() => readCurl(command)).not.toThrow('secret');
  });
});

describe('raw HTTP', () => {
  const head =
    'POST /api/v2/sale/1144 HTTP/1.1\r\nHost: gate.example\r\nContent-Type: application/x-www-form-urlencoded\r\n';

  test('request line, headers, body; the line end of the file is not of the body', () => {
    expect(readHttp(`${head}\r\na=1&b=2\r\n`)).toEqual({
      method: 'POST',
      url: '/api/v2/sale/1144',
      host: 'gate.example',
      headers: Object.entries({ Host: 'gate.example', 'Content-Type': 'application/x-www-form-urlencoded' }),
      body: 'a=1&b=2',
      notes: [],
    });
  });

  test('lines may end in LF; a header may go on in the next line', () => {
    const text = 'POST /x HTTP/1.1\nHost: a\nAuthorization: OAuth a="1",\n  b="2"\n\nc=3';
    expect(readHttp(text)).toMatchObject({
      body: 'c=3',
      headers: Object.entries({ Host: 'a', Authorization: 'OAuth a="1", b="2"' }),
    });
  });

  test.each([
    ['Content-Length: 4\r\n', 'a=1\n', 'a=1\n', 0],
    // é is two bytes.
    ['Content-Length: 4\r\n', 'a=é\n', 'a=é', 0],
    ['Content-Length: 9\r\n', 'a=1\n', 'a=1', 1],
  ])('%j with body %j is %j', (header, sent, body, notes) => {
    const read = readHttp(`${head}${header}\r\n${sent}`);
    expect([read.body, read.notes.length]).toEqual([body, notes]);
  });

  test('an absolute address needs no Host', () => {
    expect(readHttp(`POST ${url} HTTP/1.1\r\n\r\na=1`)).toMatchObject({ url, host: undefined });
  });

  test.each([
    ['hello\n\na', 'not a request line'],
    ['POST /x HTTP/1.1\nAccept: a\n\na', 'no Host header'],
    ['POST /x HTTP/1.1\nHost: a\nb=1&c=2', 'line 3 is not a header'],
  ])('%j is refused: %s', (text, why) => {
    expect(() => readHttp(text)).toThrow(why);
  });
});

describe('JSON', () => {
  const twice = [
    ['a', '1'],
    ['a', '2'],
  ];
  test.each([
    [
      { url, fields: { a: '1', b: 'x y' } },
      { method: 'POST', url, body: 'a=1&b=x%20y' },
    ],
    [{ url, fields: twice }, { body: 'a=1&a=2' }],
    [{ url, headers: twice }, { headers: twice }],
    [
      { method: 'GET', url, body: 'a=1', headers: { Accept: 'x' } },
      { method: 'GET', body: 'a=1', headers: [['Accept', 'x']] },
    ],
  ])('%j', (given, expected) => {
    expect(readJsonRequest(JSON.stringify(given))).toMatchObject(expected);
  });

  test.each([
    ['{', 'not JSON'],
    ['{"fields":{}}', 'write method and url'],
    [JSON.stringify({ url, fields: { amount: 10.42 } }), 'with numbers in quotes'],
    [JSON.stringify({ url, body: { a: '1' } }), 'write the body as'],
  ])('%s is refused: %s', (text, why) => {
    expect(() => readJsonRequest(text)).toThrow(why);
  });
});

const accept = 'application/vnd.pay+json';
/** What every text below sends. */
const fields = [
  ['client_orderid', 'a & b'],
  ['email', 'jürgen@example.com'],
  ['order_desc', `it's "50%" ^ $5`],
];
const encoded =
  'client_orderid=a%20%26%20b&email=j%C3%BCrgen%40example.com&order_desc=it%27s%20%2250%25%22%20%5E%20%245';

// As the tools themselves print or copy them.
const texts: Readonly<Record<string, readonly [format: RequestFormat, text: string]>> = {
  'curl for bash, with a prompt and encoding by curl': [
    'curl',
    `me@host:~$ curl -sS ${url} -H "Accept: ${accept}" --data-urlencode 'client_orderid=a & b' --data-urlencode 'email=jürgen@example.com' --data-urlencode "order_desc=it's \\"50%\\" ^ \\$5"`,
  ],
  'HTTP/1.1, with the reply that a client shows': [
    'http',
    `POST /api/v2/sale/1144 HTTP/1.1\r\nHost: gate.example\r\nAccept: ${accept}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${encoded.length}\r\n\r\n${encoded}\n\n\nHTTP/1.1 200 OK\nContent-Type: text/plain\n\n{}`,
  ],
  'HAR with two entries': [
    'har',
    JSON.stringify({
      log: {
        version: '1.2',
        entries: [
          { request: { method: 'GET', url: 'https://gate.example/logo.png', headers: [] } },
          {
            request: {
              method: 'POST',
              url,
              headers: [
                { name: ':method', value: 'POST' },
                { name: 'accept', value: accept },
              ],
              postData: { mimeType: 'application/x-www-form-urlencoded', text: encoded },
            },
          },
        ],
      },
    }),
  ],
  'one entry of a HAR file, with parameters only': [
    'har',
    JSON.stringify({
      method: 'POST',
      url,
      headers: [{ name: 'Accept', value: accept }],
      postData: { mimeType: 'x', params: fields.map(([name, value]) => ({ name, value })) },
    }),
  ],
};

test.each(Object.entries(texts))('%s', (_, [format, text]) => {
  const read = readRequest(text, undefined, 'file x');
  const whole = read.host === undefined ? read.url : `https://${read.host}${read.url}`;
  expect([read.method, whole, read.format]).toEqual(['POST', url, format]);
  expect(decodeForm(read.body)).toEqual(fields);
  expect(read.headers.find(([name]) => name.toLowerCase() === 'accept')?.[1]).toBe(accept);
});

test('a bare body needs an address', () => {
  expect(readRequest(`${encoded}\n`, url, 'file x')).toMatchObject({ method: 'POST', url, body: encoded });
  expect(() => readRequest(encoded, undefined, 'file x')).toThrow('--url');
});

test('of several requests to operations none is chosen', () => {
  const entry = (body: string) => ({ request: { method: 'POST', url, headers: [], postData: { text: body } } });
  const two = JSON.stringify({ log: { entries: [entry('a=1'), entry('a=2')] } });
  expect(() => readRequest(two, undefined, 'file x')).toThrow('HAR file: it contains 2 requests to operations');
});

test('a place in the text is named, and a mask is told', () => {
  const open = `curl ${url} -d 'a=1\n  -H x`;
  expect(() => readRequest(open, undefined, 'x')).toThrow('curl command, line 1, column 47: a quote is not closed');
  expect(readRequest('credit_card_number=•••• 1111'.replace(' ', ''), url, 'x').notes).toEqual([
    expect.stringContaining('masks'),
  ]);
});
