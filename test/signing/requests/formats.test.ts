import { describe, expect, test } from 'vitest';
import { formatOf, type RequestFormat, readRequest } from '../../../src/signing/requests/index.js';
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
  'curl for cmd, as Chrome copies it': [
    'curl-cmd',
    `curl ^"${url}^" ^\r\n  -H ^"accept: ${accept}^" ^\r\n  -H ^"content-type: application/x-www-form-urlencoded^" ^\r\n  --data-raw ^"${encoded.replace(/[&%]/g, '^$&').replace(/%(?=\w)/g, '%^')}^"`,
  ],
  'curl for cmd, written by hand': [
    'curl-cmd',
    `C:\\Users\\me>curl "${url}" ^\n -H "Accept: ${accept}" ^\n --data-urlencode "client_orderid=a & b" ^\n --data-urlencode "email=jürgen@example.com" --data-urlencode "order_desc=it's \\"50%\\" ^ $5"`,
  ],
  'curl.exe in PowerShell': [
    'powershell',
    `PS C:\\> curl.exe "${url}" \`\n  -H "Accept: ${accept}" \`\n  --data-urlencode 'client_orderid=a & b' \`\n  --data-urlencode 'email=jürgen@example.com' \`\n  --data-urlencode "order_desc=it's \`"50%\`" ^ \`$5"`,
  ],
  'Invoke-WebRequest, as Chrome copies it': [
    'powershell',
    `$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0 (X11; Linux x86_64)"
Invoke-WebRequest -UseBasicParsing -Uri "${url}" \`
-Method "POST" \`
-WebSession $session \`
-Headers @{
"method"="POST"
  "accept"="${accept}"
} \`
-ContentType "application/x-www-form-urlencoded" \`
-Body "${encoded}"`,
  ],
  'Invoke-RestMethod with variables': [
    'powershell',
    `$headers = @{ Accept = '${accept}' }
$body = [ordered]@{
    client_orderid = 'a & b'
    email          = "j$([char]0xfc)rgen@example.com"  # a remark
}
$body['order_desc'] = "it's ""50%"" ^ \`$5"
$reply = Invoke-RestMethod -Method Post -Uri ${url} -Headers $headers -Body $body`,
  ],
  'irm with splatting': [
    'powershell',
    `$p = @{ Uri = '${url}'; Method = 'POST'; Headers = @{ Accept = '${accept}' }; Body = '${encoded}' }\nirm @p`,
  ],
  'curl --trace-ascii': [
    'curl-trace',
    `== Info:   Trying 192.0.2.1:443...
== Info: SSL connection using TLSv1.3
=> Send header, 98 bytes (0x62)
0000: POST /api/v2/sale/1144 HTTP/1.1
0021: Host: gate.example
0035: Accept: ${accept}
0057: Content-Length: 117
006c: Content-Type: application/x-www-form-urlencoded
009d: 
=> Send data, 117 bytes (0x75)
0000: ${encoded.slice(0, 64)}
0040: ${encoded.slice(64)}
<= Recv header, 17 bytes (0x11)
0000: HTTP/1.1 200 OK
`,
  ],
  'curl -v below its command': [
    'curl-trace',
    `$ curl -v ${url} -H 'Accept: ${accept}' -d '${encoded}'
* Connected to gate.example (192.0.2.1) port 443 (#0)
> POST /api/v2/sale/1144 HTTP/2
> Host: gate.example
> accept: ${accept}
> content-length: 117
> content-type: application/x-www-form-urlencoded
> 
} [117 bytes data]
< HTTP/2 200 
`,
  ],
  wget: ['wget', `wget -qO - --header='Accept: ${accept}' --post-data '${encoded}' ${url}`],
  'wget -d': [
    'wget-trace',
    `DEBUG output created by Wget 1.21.3 on linux-gnu.

---request begin---
POST ${url} HTTP/1.1
Host: gate.example
Accept: ${accept}
Content-Type: application/x-www-form-urlencoded
Content-Length: 117

---request end---
[BODY data: ${encoded}]
HTTP request sent, awaiting response... 
`,
  ],
  HTTPie: [
    'httpie',
    `https -f POST gate.example/api/v2/sale/1144 Accept:${accept} client_orderid='a & b' email=jürgen@example.com order_desc="it's \\"50%\\" ^ \\$5"`,
  ],
  'HTTPie with a text': [
    'httpie',
    `$ http --ignore-stdin --raw='${encoded}' ${url} Accept:${accept} Content-Type:application/x-www-form-urlencoded`,
  ],
  'HTTP/1.1, with the reply that HTTPie -v shows': [
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
  'fetch, as Chrome copies it': [
    'fetch',
    `fetch("${url}", {\n  "headers": {\n    "accept": "${accept}",\n    "content-type": "application/x-www-form-urlencoded"\n  },\n  "body": "${encoded}",\n  "method": "POST"\n});`,
  ],
  'fetch, as Node code has it': [
    'fetch',
    `import { x } from 'y';
const base = 'https://gate.example';
const body = new URLSearchParams({ client_orderid: "a & b", email: 'j\\u00fcrgen@example.com' ,order_desc: \`it's "50%" ^ $5\` });
const reply = await fetch(\`\${base}/api/v2/sale/1144\`, { method: 'post', headers: { Accept: '${accept}' }, body });`,
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
  '.http file of VS Code': [
    'http-file',
    `@host = gate.example\n@base = https://{{host}}\n\n### logo\nGET {{base}}/logo.png\n\n### a sale\n# a remark\nPOST {{base}}/api/v2/sale/1144 HTTP/1.1\nAccept: ${accept}\nContent-Type: application/x-www-form-urlencoded\n\n${encoded.replaceAll('&', '\n&')}\n`,
  ],
  '.http file of JetBrains': [
    'http-file',
    `POST ${url}\nAccept: ${accept}\nContent-Type: application/x-www-form-urlencoded\n\n${encoded.replaceAll('&', ' &\n')}\n\n> {% client.test("ok") %}\n`,
  ],
  JSON: ['json', JSON.stringify({ url, headers: { Accept: accept }, fields: Object.fromEntries(fields) })],
};

test.each(Object.entries(texts))('%s', (_, [format, text]) => {
  expect(formatOf(text.trimStart())).toBe(format);
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
  const trace = texts['curl -v below its command']?.[1].replace(/^\$.*\n/, '') ?? '';
  expect(() => readRequest(trace, {}, 'file x')).toThrow('curl trace: it shows no body, although one was sent');
  expect(readRequest(trace, { body: 'a=1' }, 'file x')).toMatchObject({ url, body: 'a=1' });
});

describe('of several requests', () => {
  const two = `POST ${url}\n\na=1\n###\nPOST ${url}\n\na=2\n`;
  test('one is chosen by its number', () => {
    expect(readRequest(two, { entry: 2 }, 'file x').body).toBe('a=2');
    expect(() => readRequest(two, {}, 'file x')).toThrow(
      '.http file: it contains 2 requests, and these go to an operation: 1, 2; choose one with --entry',
    );
    expect(() => readRequest(two, { entry: 3 }, 'file x')).toThrow('--entry counts from 1');
  });
});

test.each([
  [`curl ${url} -d 'a=1\n  -H x`, 'curl command, line 1, column 47: a single quote is not closed'],
  [`curl ${url} \\\n  -d "k=$KEY"`, 'curl command, line 2, column 9: it contains $KEY'],
  [`curl ${url} \\\n  -F a=1`, 'curl command, line 2, column 3: -F sends multipart'],
  [`curl ^"${url}^" ^\n  -d ^"a=1`, 'curl command for cmd, line 2, column 7: a double quote is not closed'],
  [`wget ${url} --post-file=x`, 'wget command, line 1, column 44: --post-file reads a file'],
  [`http -f ${url} a@x`, 'HTTPie command, line 1, column 47: @ reads a file'],
  [`http -f ${url} a=1 b`, 'HTTPie command, line 1, column 51: this is not an item'],
  [`irm ${url} -Method Post -Body $body`, 'line 1, column 62: the value of $body was not pasted'],
  [`irm ${url} -Method Post -Body @{\n a = (Get-Date) }`, 'PowerShell command, line 2, column 7: only strings'],
  [
    `fetch("${url}", {\n  method: 'POST',\n  body: form.toString() })`,
    'fetch call, line 3, column 9: the value of form',
  ],
  [`fetch("${url}", { method: 'POST'`, 'fetch call, line 1, column 48: a { is not closed'],
  [`POST {{base}}/x HTTP/1.1\n\na=1\n###`, '.http file, line 1: base has no value'],
  [`### x\nPOST ${url}\n\n< ./body.txt`, '.http file, line 4: < reads a file'],
  ['{"log":{"entries":[]}}', 'HAR file: it has no log.entries'],
  ['{"log":{"entries":[{"request":{"url":"x"}}]}}', 'HAR file, entry 1: it is not a request'],
  [':method: POST\n:path: /x\n\na=1', 'HTTP/2 request: it has no :authority'],
  [`curl ${url} -d a=1 --next ${url}`, 'it names two addresses'],
])('%j: %s', (text, message) => {
  expect(() => readRequest(text, {}, 'file x')).toThrow(message);
});

test('PowerShell takes quotes inside an argument away, which is said', () => {
  const text = `curl.exe ${url} -H 'Authorization: OAuth a="1"' -d "a=1\`n"`;
  expect(readRequest(text, {}, 'file x').notes).toEqual([expect.stringContaining('double quotes inside an argument')]);
});

// Microsoft's own examples of how a C program reads its command line.
test.each([
  ['curl "a b c" d e', ['a b c', 'd', 'e']],
  [String.raw`curl "ab\"c" "\\" d`, ['ab"c', '\\', 'd']],
  [String.raw`curl a\\\b d"e f"g h`, ['a\\\\\\b', 'de fg', 'h']],
  [String.raw`curl a\\\"b c d`, ['a\\"b', 'c', 'd']],
  [String.raw`curl a\\\\"b c" d e`, ['a\\\\b c', 'd', 'e']],
  ['curl a"b"" c d', ['ab" c d']],
])('words of Windows: %s', async (line, words) => {
  const { cmdWords } = await import('../../../src/signing/requests/cmd-words.js');
  const read = () => cmdWords(line, 'line').words.slice(1);
  if (line.includes('""')) expect(read).toThrow('a double quote is not closed');
  else expect(read()).toEqual(words);
});
