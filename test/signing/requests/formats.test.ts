import { expect, test } from 'vitest';
import { type RequestFormat, readRequest } from '../../../src/signing/requests/index.js';
import { decodeForm } from '../../../src/wire/form.js';

const url = 'https://gate.example/api/v2/sale/1144';
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
  'curl for bash, as Chrome copies it': [
    'curl',
    `curl '${url}' \\\n  -H 'accept: ${accept}' \\\n  -H 'content-type: application/x-www-form-urlencoded' \\\n  --data-raw '${encoded}'`,
  ],
  'curl for bash, with a prompt, an assignment and encoding by curl': [
    'curl',
    `me@host:~$ LC_ALL=C curl -sS ${url} -H "Accept: ${accept}" --data-urlencode 'client_orderid=a & b' --data-urlencode 'email=jürgen@example.com' --data-urlencode "order_desc=it's \\"50%\\" ^ \\$5"`,
  ],
  'HTTP/1.1, with the reply that a client shows': [
    'http',
    `POST /api/v2/sale/1144 HTTP/1.1\r\nHost: gate.example\r\nAccept: ${accept}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${encoded.length}\r\n\r\n${encoded}\n\n\nHTTP/1.1 200 OK\nContent-Type: text/plain\n\n{}`,
  ],
  'HTTP/2, a field a line': [
    'http',
    `:method: POST\n:authority: gate.example\n:scheme: https\n:path: /api/v2/sale/1144\naccept: ${accept}\ncontent-type: application/x-www-form-urlencoded\n\n${encoded}`,
  ],
  'HTTP/2, as a browser shows it': [
    'http',
    `:authority\ngate.example\n:method\nPOST\n:path\n/api/v2/sale/1144\n:scheme\nhttps\naccept\n${accept}\n\n${encoded}`,
  ],
  'HTTP/2, as nghttp -v shows it': [
    'http',
    `          :method: POST\n          :path: /api/v2/sale/1144\n          :scheme: https\n          :authority: gate.example\n          accept: ${accept}\n\n${encoded}`,
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
                { name: 'content-type', value: 'application/x-www-form-urlencoded' },
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
  JSON: ['json', JSON.stringify({ url, headers: { Accept: accept }, fields: Object.fromEntries(fields) })],
};

test.each(Object.entries(texts))('%s', (_, [format, text]) => {
  const read = readRequest(text, {}, 'file x');
  const whole = read.host === undefined ? read.url : `https://${read.host}${read.url}`;
  expect([read.method, whole, read.format]).toEqual(['POST', url, format]);
  expect(decodeForm(read.body)).toEqual(fields);
  expect(read.headers.find(([name]) => name.toLowerCase() === 'accept')?.[1]).toBe(accept);
});

test('a bare body needs an address; a flag takes the place of what the text says', () => {
  const hints = { url, authorization: 'OAuth a="1"' };
  expect(readRequest(`${encoded}\n`, hints, 'file x')).toMatchObject({
    method: 'POST',
    url,
    body: encoded,
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Authorization', 'OAuth a="1"'],
    ],
  });
});

test('of several requests one is chosen by its number', () => {
  const entry = (body: string) => ({ request: { method: 'POST', url, headers: [], postData: { text: body } } });
  const two = JSON.stringify({ log: { entries: [entry('a=1'), entry('a=2')] } });
  expect(readRequest(two, { entry: 2 }, 'file x').body).toBe('a=2');
  expect(() => readRequest(two, {}, 'file x')).toThrow(
    'HAR file: it contains 2 requests, and these go to an operation: 1, 2; choose one with --entry',
  );
  expect(() => readRequest(two, { entry: 3 }, 'file x')).toThrow('--entry counts from 1');
});

test.each([
  [`curl ${url} -d 'a=1\n  -H x`, 'curl command, line 1, column 47: a single quote is not closed'],
  [`curl ${url} \\\n  -d "k=$KEY"`, 'curl command, line 2, column 9: it contains $KEY'],
  [`curl ${url} \\\n  -F a=1`, 'curl command, line 2, column 3: -F sends multipart'],
  ['{"log":{"entries":[]}}', 'HAR file: it has no log.entries'],
  ['{"log":{"entries":[{"request":{"url":"x"}}]}}', 'HAR file, entry 1: it is not a request'],
  [':method: POST\n:path: /x\n\na=1', 'HTTP/2 request: it has no :authority'],
  [`curl ${url} -d a=1 --next ${url}`, 'it names two addresses'],
])('%j: %s', (text, message) => {
  expect(() => readRequest(text, {}, 'file x')).toThrow(message);
});
