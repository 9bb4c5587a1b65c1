<?php
// {{#introduction}}
// {{{.}}}
// {{/introduction}}

declare(strict_types=1);

// {{#asks}}
function from_environment(string $name): string
{
    $value = (string) getenv($name);
    if ($value === '') {
        fwrite(STDERR, "$name must be set\n");
        exit(2);
    }
    return $value;
}

// {{/asks}}
// {{#control}}
function value(array $fields, string $name): string
{
    foreach ($fields as [$each, $value]) {
        if ($each === $name) {
            return $value;
        }
    }
    return '';
}

// {{/control}}
// Percent-encodes names and values: all bytes except letters, digits and - . _ ~ (RFC 3986).
function encode(array $pairs): array
{
    return array_map(fn (array $pair): array => array_map('rawurlencode', $pair), $pairs);
}

function join_pairs(array $pairs): string
{
    return implode('&', array_map(fn (array $pair): string => implode('=', $pair), $pairs));
}

// {{#controlKey}}
$key = getenv('CONTROL_KEY_FILE') ? file_get_contents(getenv('CONTROL_KEY_FILE')) : getenv('CONTROL_KEY');
$key = rtrim((string) $key, "\r\n");
if ($key === '') {
    fwrite(STDERR, "CONTROL_KEY_FILE must name the file with the merchant control key\n");
    exit(2);
}

// {{/controlKey}}
// {{#rsa}}
$file = (string) getenv('PRIVATE_KEY_FILE');
$key = is_readable($file) ? openssl_pkey_get_private(file_get_contents($file)) : false;
if ($key === false) {
    fwrite(STDERR, "PRIVATE_KEY_FILE must name the PEM file with the RSA private key\n");
    exit(2);
}

// {{/rsa}}
// {{#usesLogin}}
$login = '{{login}}';
// {{/usesLogin}}
$endpoint_id = '{{endpointId}}';
$url = '{{address}}' . $endpoint_id;
$fields = [
    // {{#fields}}
    // {{^isAsked}}
    ['{{wire}}', '{{text}}'],
    // {{/isAsked}}
    // {{#isAsked}}
    ['{{wire}}', from_environment('{{variable}}')],
    // {{/isAsked}}
    // {{/fields}}
];
$headers = [
    // {{#headers}}
    '{{name}}: {{value}}',
    // {{/headers}}
];
// {{#control}}

// SHA-1 over these values without separators; one that is not sent is empty.
$text = implode('', [
    // {{#slots}}
    // {{#isEndpoint}}
    $endpoint_id,
    // {{/isEndpoint}}
    // {{#isLogin}}
    $login,
    // {{/isLogin}}
    // {{#minor}}
    '{{minor}}', // the amount in minor units
    // {{/minor}}
    // {{#field}}
    value($fields, '{{field}}'),
    // {{/field}}
    // {{/slots}}
    $key,
]);
// {{#hexLower}}
$control = sha1($text);
// {{/hexLower}}
// {{#hexUpper}}
$control = strtoupper(sha1($text));
// {{/hexUpper}}
// {{#base64}}
$control = base64_encode(sha1($text, true));
// {{/base64}}
$fields[] = ['control', $control];
// {{/control}}
// {{#oauth}}

$oauth = [
    ['oauth_consumer_key', $login],
    ['oauth_nonce', bin2hex(random_bytes(16))],
    ['oauth_signature_method', '{{method}}'],
    ['oauth_timestamp', (string) time()],
    ['oauth_version', '1.0'],
];
// RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
$encoded = encode(array_merge($fields, $oauth));
usort($encoded, fn (array $a, array $b): int => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
$text = 'POST&' . rawurlencode($url) . '&' . rawurlencode(join_pairs($encoded));
// {{#hmac}}
// {{#rawKey}}
$secret = $key . '&';
// {{/rawKey}}
// {{^rawKey}}
$secret = rawurlencode($key) . '&';
// {{/rawKey}}
$signature = hash_hmac('sha1', $text, $secret, true);
// {{/hmac}}
// {{#rsa}}
openssl_sign($text, $signature, $key, OPENSSL_ALGO_SHA256);
// {{/rsa}}
$header = [];
foreach (encode(array_merge($oauth, [['oauth_signature', base64_encode($signature)]])) as [$name, $value]) {
    $header[] = "$name=\"$value\"";
}
$headers[] = 'Authorization: OAuth ' . implode(', ', $header);
// {{#inBody}}
$fields = array_merge($fields, $oauth);
// {{/inBody}}
// {{/oauth}}

$stream = fopen($url, 'r', false, stream_context_create(['http' => [
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
echo stream_get_contents($stream), "\n";
$status = explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
fwrite(STDERR, "HTTP $status\n");
exit($status === '200' ? 0 : 1);
