import { encode, quoted } from '../php.js';
import { paragraphs } from '../plan.js';
import { type ModulePlan, moduleIntroduction, vectors } from './plan.js';

const digests = {
  'hex-lower': 'sha1($text . $key)',
  'hex-upper': 'strtoupper(sha1($text . $key))',
  base64: 'base64_encode(sha1($text . $key, true))',
} as const;

/** The signer as a PHP file, to be taken in with require. */
export function phpModule({ baseUrl, operations, encoding, keyForm, repeatsInBody }: ModulePlan): string {
  const pairs = vectors.pairs.map((pair) => `[${pair.map(quoted).join(', ')}]`);
  return paragraphs([
    ['<?php', ...moduleIntroduction('//', 'PHP 7.4 or later; for RSA its openssl extension', 'php gateway-signer.php')],
    'declare(strict_types=1);',
    `const BASE_URL = ${quoted(baseUrl)};`,
    [
      '// Operation => scheme, path, what the checksum covers, whether the body contains the login.',
      'const OPERATIONS = [',
      ...operations.map(({ id, scheme, path, values, sendsLogin }) => {
        const covered = values.map(quoted).join(', ');
        return `    ${quoted(id)} => [${quoted(scheme)}, ${quoted(path)}, [${covered}], ${sendsLogin}],`;
      }),
      '];',
    ],
    `// A request before it is signed. Fields are a list of [name, value].
function prepare_request(
    string $operation,
    string $endpoint_id,
    string $login,
    array $fields,
    ?string $nonce = null,
    ?string $timestamp = null
): array {
    [$scheme, $path, $values, $sends_login] = OPERATIONS[$operation];
    $url = BASE_URL . $path . $endpoint_id;
    if ($sends_login && !in_array('login', array_column($fields, 0), true)) {
        $fields[] = ['login', $login];
    }
    $oauth = [];
    $base_string = '';
    if ($scheme === 'control') {
        $base_string = control_text($values, $endpoint_id, $login, $fields);
    } elseif ($scheme !== 'none') {
        $oauth = [
            ['oauth_consumer_key', $login],
            ['oauth_nonce', $nonce ?? bin2hex(random_bytes(16))],
            ['oauth_signature_method', $scheme],
            ['oauth_timestamp', $timestamp ?? (string) time()],
            ['oauth_version', '1.0'],
        ];
        $base_string = base_string($url, array_merge($fields, $oauth));
    }
    return compact('scheme', 'url', 'fields', 'oauth', 'base_string');
}

// Address, headers and body to send. The key is the control key, or for RSA-SHA256 the result of
// openssl_pkey_get_private().
function sign_request(array $prepared, $key): array
{
    ['scheme' => $scheme, 'fields' => $fields, 'oauth' => $oauth, 'base_string' => $base_string] = $prepared;
    $headers = [
        'Content-Type' => 'application/x-www-form-urlencoded',
        'Accept' => 'application/vnd.pay+json',
        'Accept-Encoding' => 'identity',
    ];
    if ($scheme === 'control') {
        $fields[] = ['control', checksum($base_string, $key)];
    } elseif ($scheme !== 'none') {
        $signature = $scheme === 'HMAC-SHA1' ? hmac_sha1($base_string, $key) : rsa_sha256($base_string, $key);
        $header = [];
        foreach (encode(array_merge($oauth, [['oauth_signature', $signature]])) as [$name, $value]) {
            $header[] = "$name=\\"$value\\"";
        }
        $headers['Authorization'] = 'OAuth ' . implode(', ', $header);${
          repeatsInBody
            ? `
        if ($scheme === 'HMAC-SHA1') {
            $fields = array_merge($fields, $oauth);
        }`
            : ''
        }
    }
    return ['url' => $prepared['url'], 'headers' => $headers, 'body' => join_pairs(encode($fields))];
}`,
    encode,
    `function minor_units(string $amount): string
{
    return ltrim(str_replace('.', '', $amount), '0');
}

function control_text(array $values, string $endpoint_id, string $login, array $fields): string
{
    $known = array_merge(array_column($fields, 1, 0), ['endpoint_id' => $endpoint_id, 'login' => $login]);
    $text = '';
    foreach ($values as $name) {
        $value = $known[$name] ?? '';
        $text .= $name === 'amount' ? minor_units($value) : $value;
    }
    return $text;
}

function checksum(string $text, string $key): string
{
    return ${digests[encoding]};
}

// RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
function base_string(string $url, array $pairs): string
{
    $encoded = encode($pairs);
    usort($encoded, fn (array $a, array $b): int => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
    return 'POST&' . rawurlencode($url) . '&' . rawurlencode(join_pairs($encoded));
}

function hmac_sha1(string $text, string $key): string
{
    return base64_encode(hash_hmac('sha1', $text, ${keyForm === 'raw' ? '$key' : 'rawurlencode($key)'} . '&', true));
}

function rsa_sha256(string $text, $key): string
{
    openssl_sign($text, $signature, $key, OPENSSL_ALGO_SHA256);
    return base64_encode($signature);
}

function private_key()
{
    $file = (string) getenv('PRIVATE_KEY_FILE');
    $key = is_readable($file) ? openssl_pkey_get_private(file_get_contents($file)) : false;
    return $key ?: give_up('PRIVATE_KEY_FILE must name the PEM file with the RSA private key');
}

function control_key(): string
{
    $file = getenv('CONTROL_KEY_FILE');
    $key = rtrim((string) ($file ? file_get_contents($file) : getenv('CONTROL_KEY')), "\\r\\n");
    return $key !== '' ? $key : give_up('CONTROL_KEY_FILE must name the file with the merchant control key');
}

function give_up(string $why): void
{
    fwrite(STDERR, "$why\\n");
    exit(2);
}`,
    `// The expected values come from openssl.
function self_test(): bool
{
    $key = ${quoted(vectors.key)};
    $pairs = [
${pairs.map((pair) => `        ${pair},`).join('\n')}
    ];
    $text = ${vectors.baseString.map(quoted).join('\n        . ')};
    return array_map('minor_units', [${vectors.amounts.map(([amount]) => quoted(amount)).join(', ')}]) === [${vectors.amounts.map(([, minor]) => quoted(minor)).join(', ')}]
        && checksum(${quoted(vectors.controlText)}, $key) === ${quoted(vectors.control[encoding])}
        && base_string(${quoted(vectors.url)}, $pairs) === $text
        && hmac_sha1($text, $key) === ${quoted(vectors.hmac[keyForm])};
}`,
    `if (PHP_SAPI === 'cli' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    $arguments = array_slice($argv, 1);
    if ($arguments === ['--self-test']) {
        $passed = self_test();
        echo $passed ? "passed\\n" : "FAILED\\n";
        exit($passed ? 0 : 1);
    }
    [$command, $operation, $endpoint_id, $login, $nonce, $timestamp] = $arguments + array_fill(0, 6, null);
    $scheme = (OPERATIONS[$operation] ?? [null])[0];
    if (!in_array($command, ['--base-string', '--request'], true) || $scheme === null || $login === null) {
        give_up('usage: --self-test | --base-string or --request, OPERATION, ENDPOINT_ID, LOGIN [NONCE TIMESTAMP]');
    }
    $fields = [];
    foreach (explode("\\n", rtrim(stream_get_contents(STDIN), "\\n")) as $line) {
        if ($line !== '') {
            $fields[] = explode('=', $line, 2) + [1 => ''];
        }
    }
    $prepared = prepare_request($operation, $endpoint_id, $login, $fields, $nonce, $timestamp);
    if ($command === '--base-string') {
        echo $prepared['base_string'];
        exit(0);
    }
    $key = ['none' => fn () => null, 'RSA-SHA256' => 'private_key'][$scheme] ?? 'control_key';
    $signed = sign_request($prepared, $key());
    echo "POST {$signed['url']} HTTP/1.1\\n";
    foreach ($signed['headers'] as $name => $value) {
        echo "$name: $value\\n";
    }
    echo "\\n{$signed['body']}";
}`,
  ]);
}
