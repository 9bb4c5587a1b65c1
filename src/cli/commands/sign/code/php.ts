import type { ControlEncoding } from '../../../../signing/index.js';
import { plainHeaders } from '../../../../signing/schemes/request.js';
import { type CodePlan, type OauthPlan, paragraphs } from './plan.js';
import { programParts, type Syntax } from './program-parts.js';

/** A PHP program without any package; for RSA with the openssl extension. */
export function phpProgram(plan: CodePlan, run: string): string {
  const { address, signing } = plan;
  const needs = signing.scheme === 'rsa-sha256' ? 'PHP 7.4 or later with its openssl extension' : 'PHP 7.4 or later';
  const parts = programParts(plan, syntax, { needs, run, cards: 'read from the variables' });
  return paragraphs([
    ['<?php', ...parts.introduction],
    'declare(strict_types=1);',
    parts.asks ? fromEnvironment : '',
    encode,
    parts.key,
    [...parts.assignments, `$url = ${quoted(address)} . $endpoint_id;`],
    ['$fields = [', ...parts.pairs.map((pair) => `    ${pair},`), '];'],
    [
      '$headers = [',
      ...Object.entries(plainHeaders).map(([name, value]) => `    ${quoted(`${name}: ${value}`)},`),
      '];',
    ],
    parts.signing,
    post,
  ]);
}

/** In single quotes PHP gives a meaning to the quote and the backslash only. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

const fromEnvironment = `function from_environment(string $name): string
{
    $value = (string) getenv($name);
    if ($value === '') {
        fwrite(STDERR, "$name must be set\\n");
        exit(2);
    }
    return $value;
}`;

export const encode = `// Percent-encodes names and values: all bytes except letters, digits and - . _ ~ (RFC 3986).
function encode(array $pairs): array
{
    return array_map(fn (array $pair): array => array_map('rawurlencode', $pair), $pairs);
}

function join_pairs(array $pairs): string
{
    return implode('&', array_map(fn (array $pair): string => implode('=', $pair), $pairs));
}`;

const controlKey = `$key = getenv('CONTROL_KEY_FILE') ? file_get_contents(getenv('CONTROL_KEY_FILE')) : getenv('CONTROL_KEY');
$key = rtrim((string) $key, "\\r\\n");
if ($key === '') {
    fwrite(STDERR, "CONTROL_KEY_FILE must name the file with the merchant control key\\n");
    exit(2);
}`;

const privateKey = `$file = (string) getenv('PRIVATE_KEY_FILE');
$key = is_readable($file) ? openssl_pkey_get_private(file_get_contents($file)) : false;
if ($key === false) {
    fwrite(STDERR, "PRIVATE_KEY_FILE must name the PEM file with the RSA private key\\n");
    exit(2);
}`;

function control(variables: readonly string[], encoding: ControlEncoding): readonly string[] {
  const text = [...variables, '$key'].join(' . ');
  const digest = {
    'hex-lower': `sha1(${text})`,
    'hex-upper': `strtoupper(sha1(${text}))`,
    base64: `base64_encode(sha1(${text}, true))`,
  };
  return [`$fields[] = ['control', ${digest[encoding]}];`];
}

/** RFC 5849 3.4.1 and 3.5.1. */
function oauth(signing: OauthPlan): readonly string[] {
  return [
    `$oauth = [
    ['oauth_consumer_key', $login],
    ['oauth_nonce', bin2hex(random_bytes(16))],
    ['oauth_signature_method', '${signing.method}'],
    ['oauth_timestamp', (string) time()],
    ['oauth_version', '1.0'],
];
// All names and values encoded, then sorted by name and value.
$encoded = encode(array_merge($fields, $oauth));
usort($encoded, fn (array $a, array $b): int => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
$text = 'POST&' . rawurlencode($url) . '&' . rawurlencode(join_pairs($encoded));`,
    signature(signing),
    `$header = [];
foreach (encode(array_merge($oauth, [['oauth_signature', base64_encode($signature)]])) as [$name, $value]) {
    $header[] = "$name=\\"$value\\"";
}
$headers[] = 'Authorization: OAuth ' . implode(', ', $header);`,
  ];
}

function signature(signing: OauthPlan): string {
  if (signing.scheme === 'rsa-sha256') return 'openssl_sign($text, $signature, $key, OPENSSL_ALGO_SHA256);';
  return `$signature = hash_hmac('sha1', $text, ${signing.keyForm === 'raw' ? '$key' : 'rawurlencode($key)'} . '&', true);`;
}

const post = `$stream = fopen($url, 'r', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => $headers,
    'content' => join_pairs(encode($fields)),
    'timeout' => 60,
    'follow_location' => 0,
    'ignore_errors' => true,
]]));
if ($stream === false) {
    exit(1);
}
echo stream_get_contents($stream), "\\n";
$status = explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
fwrite(STDERR, "HTTP $status\\n");
exit($status === '200' ? 0 : 1);`;

const syntax: Syntax = {
  mark: '//',
  name: (name) => `$${name}`,
  quoted,
  asked: (variable) => `from_environment('${variable}')`,
  assignment: (name, value) => `${name} = ${value};`,
  pair: (name, value) => `[${name}, ${value}]`,
  readControlKey: controlKey,
  readPrivateKey: privateKey,
  control,
  oauth,
  oauthIntoBody: '$fields = array_merge($fields, $oauth);',
};
