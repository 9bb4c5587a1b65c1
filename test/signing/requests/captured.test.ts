import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type RequestFormat, readRequest } from '../../../src/signing/requests/index.js';
import { decodeForm } from '../../../src/wire/form.js';

// What the programs themselves wrote to a server on this machine: HTTPie 3.2.1, wget 1.21.3, curl 7.88.1.
const order = [['client_orderid', 'a & b']] as const;
const payer = [...order, ['email', 'jürgen@example.com']] as const;
const described = [...payer, ['order_desc', `it's "50%" ^ $5`]] as const;

test.each<readonly [file: string, RequestFormat, fields: readonly (readonly [string, string])[]]>([
  ['httpie-offline', 'http', described],
  ['httpie-verbose', 'http', described],
  ['httpie-verbose-colours', 'http', payer],
  ['httpie-verbose-raw', 'http', payer],
  ['wget-debug-post-data', 'wget-trace', payer],
  ['wget-debug-body-data', 'wget-trace', payer],
  ['curl-trace-ascii', 'curl-trace', order],
])('%s', (file, format, fields) => {
  const text = readFileSync(new URL(`captured/${file}.txt`, import.meta.url), 'utf8');
  const read = readRequest(text, {}, 'file x');
  expect([read.method, `${read.host ?? ''}${read.url.replace('http://', '')}`, read.format]).toEqual([
    'POST',
    '127.0.0.1:8765/api/v2/sale/1144',
    format,
  ]);
  expect(decodeForm(read.body)).toEqual(fields);
  const header = (wanted: string) => read.headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  expect(header('accept')).toBe('application/vnd.pay+json');
  expect(header('authorization')).toBe(
    file === 'httpie-verbose' ? 'OAuth oauth_consumer_key="shop", oauth_signature="a%2B%3D"' : undefined,
  );
});

// Nothing here runs Windows; these write a request down as the network panel of Chrome does for cmd and for PowerShell.
const address = 'https://gate.example/api/v2/sale/1144?a=1&b=%25';
const authorization = 'OAuth oauth_consumer_key="shop", oauth_signature="a%2B%3D"';
const forCmd = (text: string) => {
  const escaped = text.replace(/["\\]/g, '\\$&').replace(/[^\w\s:=+~'/.,?;()*`-]/g, '^$&');
  return `^"${escaped.replace(/%(?=\w)/g, '%^').replace(/\r?\n/g, '^\n\n')}^"`;
};
const forPowerShell = (text: string) => {
  const escaped = text.replace(/[`$"]/g, '`$&');
  return `"${escaped.replace(/[^\x20-\x7e]/g, (unit) => `$([char]${unit.charCodeAt(0)})`)}"`;
};

test.each([
  'client_orderid=a%20%26%20b&email=j%C3%BCrgen%40example.com',
  'client_orderid=a%20%26%20b&note="50%" ^ $5 `x` {y} <z> | !w',
  'client_orderid=1&note=jürgen',
  'client_orderid=1&note=two\nlines',
])('copied by Chrome on Windows: %j', (body) => {
  const curl = `curl ${[
    forCmd(address),
    `-H ${forCmd(`authorization: ${authorization}`)}`,
    `-H ${forCmd('content-type: application/x-www-form-urlencoded')}`,
    `--data-raw ${forCmd(body)}`,
  ].join(' ^\n  ')}`;
  const shown = /[^\x20-\x7e]/.test(body)
    ? `([System.Text.Encoding]::UTF8.GetBytes(${forPowerShell(body)}))`
    : forPowerShell(body);
  const powerShell = `$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
$session.Cookies.Add((New-Object System.Net.Cookie("a", "b", "/", "gate.example")))
Invoke-WebRequest -UseBasicParsing -Uri ${forPowerShell(address)} \`
-Method "POST" \`
-WebSession $session \`
-Headers @{
"authorization"=${forPowerShell(authorization)}
  "sec-ch-ua"=${forPowerShell('"Chromium";v="140"')}
} \`
-ContentType "application/x-www-form-urlencoded" \`
-Body ${shown}`;
  for (const text of [curl, powerShell]) {
    const read = readRequest(text, {}, 'file x');
    expect([read.url, read.body]).toEqual([address, body]);
    expect(read.headers).toContainEqual(['authorization', authorization]);
  }
});
