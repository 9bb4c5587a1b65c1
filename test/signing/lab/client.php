<?php
// A client in PHP: signs each request under each of its faults, and under pairs of them. Reads and writes JSON.

function base_string(array $r, array $f): string
{
    $pairs = ($f['pairs'] ?? fn($l, $r) => $l)(array_merge($r['oauth'], $r['query'], $r['body']), $r);
    $encode = $f['encode'] ?? 'rawurlencode';
    $name = $f['encode_name'] ?? $encode;
    $encoded = array_map(fn($p) => [$name($p[0]), $encode($p[1]), $p[0], $p[1]], $pairs);
    $encoded = ($f['order'] ?? 'by_name_and_value')($encoded);
    $joined = fn($l) => implode('&', array_map(fn($p) => $p[0] . '=' . $p[1], $l));
    $parameters = ($f['join'] ?? $joined)($encoded);
    $method = ($f['method'] ?? fn($m) => $m)($r['method']);
    $uri = ($f['uri'] ?? fn($r) => $r['uri'])($r);
    if (isset($f['whole'])) return $f['whole']($method, $uri, $parameters);
    $outer = $f['outer'] ?? 'rawurlencode';
    return ($f['text'] ?? fn($t) => $t)(implode('&', array_map($outer, [$method, $uri, $parameters])));
}

function by_name_and_value(array $l): array
{
    usort($l, fn($a, $b) => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
    return $l;
}

function sorted(callable $compare): callable
{
    return function ($l) use ($compare) {
        usort($l, $compare);
        return $l;
    };
}

/** Sorted by value, as an array that lost no equal names. */
function asorted(callable $sort): callable
{
    return function ($l) use ($sort) {
        $values = array_column($l, 1);
        $sort($values);
        return array_map(fn($at) => $l[$at], array_keys($values));
    };
}

/** An array of PHP: equal names are one, and numbers are numbers. */
function keyed(array $l): array
{
    $map = [];
    foreach ($l as $p) $map[$p[2]] = $p;
    return $map;
}

function sign(array $r, array $f): string
{
    $base = base_string($r, $f);
    $key = ($f['key'] ?? fn($s) => rawurlencode($s) . '&')($r['secret']);
    $digest = ($f['mac'] ?? fn($k, $t) => hash_hmac('sha1', $t, $k, true))($key, $base);
    return ($f['write'] ?? 'base64_encode')($digest);
}

/** As utf8_decode had it. */
function latin(string $s): string
{
    return iconv('UTF-8', 'ISO-8859-1', preg_replace('/[^\x{0}-\x{ff}]/u', '?', $s));
}

$without = fn($test) => fn($l, $r) => array_values(array_filter($l, fn($p) => !$test($p, $r)));
$each = fn($change) => fn($l, $r) => array_map($change, $l);
$field = fn(int $at, $change) => fn($l, $r) => array_values(array_filter(array_map(
    fn($p) => $p[0] === $r['body'][$at][0] ? $change($p) : $p, $l)));
$of = fn($n, $value) => $each(fn($p) => $p[0] === $n ? [$n, $value($p[1])] : $p);
$encoder = 'space-plus|reserved-characters';

$oauth = [
    ['encoder', $encoder, 'urlencode', ['encode' => 'urlencode']],
    ['encoder', $encoder, 'urlencode of everything', ['encode' => 'urlencode', 'outer' => 'urlencode']],
    ['encoder', 'any', 'http_build_query', ['join' => fn($l) => http_build_query(array_column($l, 3, 2))]],
    ['encoder', 'repeated-or-nested-names|sort-order', 'http_build_query, RFC 3986', ['join' => fn($l) => http_build_query(array_column($l, 3, 2), '', '&', PHP_QUERY_RFC3986)]],
    ['encoder', 'encoded-twice-or-once', 'rawurlencode twice', ['encode' => fn($s) => rawurlencode(rawurlencode($s))]],
    ['encoder', 'encoded-twice-or-once', 'nothing encoded', ['encode' => fn($s) => $s]],
    ['encoder', 'encoded-twice-or-once', 'names not encoded', ['encode_name' => fn($s) => $s]],
    ['encoder', 'not-utf8', 'Latin-1', ['encode' => fn($s) => rawurlencode(latin($s))]],
    ['encoder', 'not-utf8', 'encoded as UTF-8 again', ['encode' => fn($s) => rawurlencode(iconv('ISO-8859-1', 'UTF-8', $s))]],
    ['encoder', 'reserved-characters', 'the tilde, as before PHP 5.3', ['encode' => fn($s) => str_replace('~', '%7E', rawurlencode($s))]],
    ['encoder', 'encoded-twice-or-once', 'parameters not encoded again', ['whole' => fn($m, $u, $p) => implode('&', [$m, rawurlencode($u), $p])]],
    ['encoder', 'encoded-twice-or-once', 'no element encoded', ['whole' => fn($m, $u, $p) => implode('&', [$m, $u, $p])]],
    ['encoder', $encoder, 'outer urlencode', ['outer' => 'urlencode']],
    ['order', 'sort-order', 'not sorted', ['order' => fn($l) => $l]],
    ['order', 'sort-order', 'body first', ['order' => fn($l) => array_merge(
        array_filter($l, fn($p) => strncmp($p[2], 'oauth_', 6)), array_filter($l, fn($p) => !strncmp($p[2], 'oauth_', 6)))]],
    ['order', 'sort-order', 'strcasecmp', ['order' => sorted(fn($a, $b) => strcasecmp($a[0], $b[0]))]],
    ['order', 'sort-order', 'strnatcmp', ['order' => sorted(fn($a, $b) => strnatcmp($a[0], $b[0]))]],
    ['order', 'sort-order', 'before encoding', ['order' => sorted(fn($a, $b) => strcmp($a[2], $b[2]) ?: strcmp($a[3], $b[3]))]],
    ['order', 'sort-order', 'joined', ['order' => sorted(fn($a, $b) => strcmp("$a[0]=$a[1]", "$b[0]=$b[1]"))]],
    ['order', 'sort-order', 'rsort', ['order' => sorted(fn($a, $b) => strcmp($b[0], $a[0]) ?: strcmp($b[1], $a[1]))]],
    ['source', 'repeated-or-nested-names', 'an array', ['pairs' => fn($l) => array_map(null, array_keys(array_column($l, 1, 0)), array_column($l, 1, 0))]],
    ['source', 'empty-values', 'array_filter', ['pairs' => fn($l) => array_values(array_filter($l, fn($p) => $p[1]))]],
    ['source', 'empty-values', 'null as a word', ['pairs' => $each(fn($p) => [$p[0], $p[1] === '' ? json_encode(null) : $p[1]])]],
    ['source', 'body-left-out', 'body left out', ['pairs' => fn($l, $r) => array_merge($r['oauth'], $r['query'])]],
    ['source', 'body-left-out', 'JSON body', ['pairs' => fn($l, $r) => array_merge($r['oauth'], $r['query'], [[json_encode(array_column($r['body'], 1, 0)), '']])]],
    ['source', 'body-left-out', 'second field missing', ['pairs' => $field(1, fn($p) => null)]],
    ['source', 'body-left-out|empty-values', 'third field empty', ['pairs' => $field(2, fn($p) => [$p[0], ''])]],
    ['source', 'body-left-out|empty-values', 'first field null', ['pairs' => $field(0, fn($p) => [$p[0], 'null'])]],
    ['source', 'space-plus', 'trim', ['pairs' => $each(fn($p) => [$p[0], trim($p[1])])]],
    ['source', 'empty-values', 'oauth_token', ['pairs' => fn($l) => array_merge($l, [['oauth_token', '']])]],
    ['source', 'any', 'oauth_callback', ['pairs' => fn($l) => array_merge($l, [['oauth_callback', 'oob']])]],
    ['source', 'any', 'empty e-mail that is not sent', ['pairs' => fn($l) => array_merge($l, [['phone', '']])]],
    ['source', 'any', 'version left out', ['pairs' => $without(fn($p) => $p[0] === 'oauth_version')]],
    ['source', 'any', 'version 1.0a', ['pairs' => $of('oauth_version', fn() => '1.0a')]],
    ['source', 'any', 'version 1', ['pairs' => $of('oauth_version', fn($v) => (string) (float) $v)]],
    ['source', 'any', 'oauth_ values twice', ['pairs' => fn($l, $r) => array_merge($l, $r['oauth'])]],
    ['source', 'any', 'consumer key left out', ['pairs' => $without(fn($p) => $p[0] === 'oauth_consumer_key')]],
    ['source', 'nonce-timestamp', 'time in another zone', ['pairs' => $of('oauth_timestamp', fn($t) => (string) ($t + 3600))]],
    ['source', 'nonce-timestamp', 'time read twice', ['pairs' => $of('oauth_timestamp', fn($t) => (string) ($t - 1))]],
    ['source', 'nonce-timestamp', 'time left out', ['pairs' => $without(fn($p) => $p[0] === 'oauth_timestamp')]],
    ['source', 'any', 'amount as a number', ['pairs' => $of('amount', fn($t) => (string) (float) $t)]],
    ['source', 'any', 'amount in cents', ['pairs' => $of('amount', fn($t) => (string) round($t * 100))]],
    ['source', 'any', 'escaped for HTML', ['pairs' => $each(fn($p) => [$p[0], htmlspecialchars($p[1])])]],
    ['source', 'any', 'line ends', ['pairs' => $each(fn($p) => [$p[0], nl2br($p[1])])]],
    ['source', 'any', 'slashes', ['pairs' => $each(fn($p) => [$p[0], addslashes($p[1])])]],
    ['source', 'query-left-out', 'query left out', ['pairs' => fn($l, $r) => array_merge($r['oauth'], $r['body'])]],
    ['source', 'query-left-out|space-plus', 'a plus of the query as a plus', ['pairs' => fn($l, $r) => array_merge($r['oauth'],
        array_map(fn($q) => array_map('rawurldecode', explode('=', $q . '=')), $r['queryText'] === '' ? [] : explode('&', $r['queryText'])), $r['body'])]],
    ['source', 'query-left-out|encoded-twice-or-once', 'query taken literally', ['pairs' => fn($l, $r) => array_merge($r['oauth'],
        array_map(fn($q) => explode('=', $q . '='), $r['queryText'] === '' ? [] : explode('&', $r['queryText'])), $r['body'])]],
    ['address', 'scheme-host-port', 'http', ['uri' => fn($r) => str_replace('https:', 'http:', $r['uri'])]],
    ['address', 'scheme-host-port', 'host of the address as written', ['uri' => fn($r) => $r['written']]],
    ['address', 'scheme-host-port', 'http and port lost', ['uri' => fn($r) => str_replace(['https:', $r['port']], ['http:', ''], $r['uri'])]],
    ['address', 'scheme-host-port', 'rtrim', ['uri' => fn($r) => rtrim($r['uri'], '/')]],
    ['address', 'scheme-host-port', 'default port', ['uri' => fn($r) => $r['port'] === '' ? str_replace($r['host'], $r['host'] . ':443', $r['uri']) : $r['uri']]],
    ['address', 'method', 'ucfirst', ['method' => fn($m) => ucfirst(strtolower($m))]],
    ['text', 'any', 'line end behind the base string', ['text' => fn($t) => $t . PHP_EOL]],
    ['text', 'any', 'ampersand behind the base string', ['text' => fn($t) => $t . '&']],
    ['key', 'signing-key', 'no ampersand', ['key' => fn($s) => $s]],
    ['key', 'signing-key', 'raw', ['key' => fn($s) => $s . '&' . null]],
    ['key', 'signing-key', 'null', ['key' => fn($s) => rawurlencode($s) . '&null']],
    ['key', 'signing-key', 'var_export of null', ['key' => fn($s) => rawurlencode($s) . '&' . var_export(null, true)]],
    ['key', 'signing-key', 'md5', ['key' => fn($s) => md5($s) . '&']],
    ['key', 'signing-key', 'uuid without dashes', ['key' => fn($s) => str_replace('-', '', $s) . '&']],
    ['key', 'signing-key', 'line end', ['key' => fn($s) => $s . "\n&"]],
    ['key', 'signing-key', 'rawurlencode twice', ['key' => fn($s) => rawurlencode(rawurlencode($s)) . '&']],
    ['key', 'signing-key', 'urlencode of all', ['key' => fn($s) => rawurlencode("$s&")]],
    ['key', 'signing-key', 'upper case', ['key' => fn($s) => rawurlencode(strtoupper($s)) . '&']],
    ['key', 'signing-key', 'secret twice', ['key' => fn($s) => rawurlencode($s) . '&' . rawurlencode($s)]],
    ['key', 'signing-key', 'base64', ['key' => fn($s) => base64_encode($s) . '&']],
    ['digest', 'digest', 'sha256', ['mac' => fn($k, $t) => hash_hmac('sha256', $t, $k, true)]],
    ['digest', 'digest', 'sha1', ['mac' => fn($k, $t) => sha1($t . $k, true)]],
    ['digest', 'digest', 'sha1 of the text alone', ['mac' => fn($k, $t) => sha1($t, true)]],
    ['digest', 'digest', 'md5 hmac', ['mac' => fn($k, $t) => hash_hmac('md5', $t, $k, true)]],
    ['writing', 'digest', 'base64 of hex', ['write' => fn($d) => base64_encode(bin2hex($d))]],
    ['writing', 'digest', 'hex', ['write' => 'bin2hex']],
    ['writing', 'digest', 'upper-case hex', ['write' => fn($d) => strtoupper(bin2hex($d))]],
    ['writing', 'digest', 'chunk_split', ['write' => fn($d) => chunk_split(base64_encode($d))]],
    ['writing', 'digest', 'rawurlencode', ['write' => fn($d) => rawurlencode(base64_encode($d))]],
    ['writing', 'digest', 'rawurlencode twice', ['write' => fn($d) => rawurlencode(rawurlencode(base64_encode($d)))]],
    ['writing', 'digest', 'url-safe', ['write' => fn($d) => rtrim(strtr(base64_encode($d), '+/', '-_'), '=')]],
    ['writing', 'digest', 'base64 twice', ['write' => fn($d) => base64_encode(base64_encode($d))]],
    ['writing', 'digest', 'JSON', ['write' => fn($d) => json_encode(base64_encode($d))]],
];
// Of these no pairs are made.
$oauthAlone = [
    ['order', 'sort-order', 'asort', ['order' => asorted('asort')]],
    ['order', 'sort-order', 'asort as text', ['order' => asorted(fn(&$m) => asort($m, SORT_STRING))]],
    ['order', 'sort-order', 'arsort', ['order' => asorted('arsort')]],
    ['order', 'sort-order', 'krsort', ['order' => sorted(fn($a, $b) => strcmp($b[0], $a[0]))]],
    ['order', 'sort-order', 'array_reverse', ['order' => 'array_reverse']],
    ['order', 'sort-order', 'strnatcasecmp', ['order' => sorted(fn($a, $b) => strnatcasecmp($a[0], $b[0]))]],
    ['source', 'repeated-or-nested-names', 'array_values', ['join' => fn($l) => http_build_query(array_column($l, 3), '', '&', PHP_QUERY_RFC3986)]],
    ['source', 'repeated-or-nested-names', 'ucfirst of names', ['pairs' => $each(fn($p) => [ucfirst($p[0]), $p[1]])]],
    ['source', 'repeated-or-nested-names', 'ucwords of names', ['pairs' => $each(fn($p) => [ucwords($p[0], '_'), $p[1]])]],
    ['source', 'any', 'http_build_query of a field', ['pairs' => fn($l, $r) => array_merge($r['oauth'], $r['query'], array_map(fn($p) => ["payment[$p[0]]", $p[1]], $r['body']))]],
    ['source', 'encoded-twice-or-once|space-plus', 'FILTER_SANITIZE_EMAIL', ['pairs' => $each(fn($p) => [$p[0], filter_var($p[1], FILTER_SANITIZE_EMAIL)])]],
    ['source', 'encoded-twice-or-once|space-plus', 'FILTER_SANITIZE_URL', ['pairs' => $each(fn($p) => [$p[0], filter_var($p[1], FILTER_SANITIZE_URL)])]],
    ['source', 'encoded-twice-or-once', 'FILTER_SANITIZE_ENCODED', ['pairs' => $each(fn($p) => [$p[0], filter_var($p[1], FILTER_SANITIZE_ENCODED)])]],
    ['source', 'encoded-twice-or-once', 'FILTER_SANITIZE_ADD_SLASHES', ['pairs' => $each(fn($p) => [$p[0], filter_var($p[1], FILTER_SANITIZE_ADD_SLASHES)])]],
    ['source', 'body-left-out', 'number_format, Swiss', ['pairs' => $of('amount', fn($t) => 'CHF ' . number_format($t, 2, '.', '’'))]],
    ['source', 'body-left-out', 'number_format, French', ['pairs' => $of('amount', fn($t) => number_format($t, 2, ',', "\u{202f}") . "\u{a0}€")]],
    ['source', 'body-left-out', 'number_format, German', ['pairs' => $of('amount', fn($t) => number_format($t, 2, ',', '.') . ' EUR')]],
    ['source', 'body-left-out', 'number_format of cents', ['pairs' => $of('amount', fn($t) => number_format($t * 100, 0, ',', '.'))]],
    ['key', 'signing-key', 'sha1, raw', ['key' => fn($s) => sha1($s, true)]],
    ['key', 'signing-key', 'sha1, raw, and ampersand', ['key' => fn($s) => sha1($s, true) . '&']],
    ['key', 'signing-key', 'bin2hex', ['key' => fn($s) => bin2hex($s)]],
    ['key', 'signing-key', 'base64 without ampersand', ['key' => 'base64_encode']],
    ['writing', 'digest', 'convert_uuencode', ['write' => 'convert_uuencode']],
    ['writing', 'digest', 'quoted_printable_encode', ['write' => 'quoted_printable_encode']],
];

function checksum(array $r, array $f): string
{
    $values = ($f['values'] ?? fn($v, $r) => $v)($r['values'], $r);
    $texts = ($f['texts'] ?? fn($l) => $l)(array_column($values, 1));
    $key = ($f['key'] ?? fn($k) => $k)($r['key']);
    $whole = isset($f['whole'])
        ? $f['whole'](array_combine(array_column($values, 0), $texts), $key)
        : ($f['join'] ?? fn($l, $k) => implode('', $l) . $k)($texts, $key);
    $data = ($f['bytes'] ?? fn($t) => $t)($whole);
    return ($f['write'] ?? 'bin2hex')(($f['hash'] ?? fn($d) => sha1($d, true))($data));
}

$value = fn($n, $change) => fn($v) => array_map(fn($p) => $p[0] === $n ? [$n, $change($p[1])] : $p, $v);
$recipe = fn(...$names) => fn($v, $r) => array_map(fn($n) => [$n, $r['all'][$n] ?? ''], $names);
$control = [
    ['join', 'order', 'implode by commas', ['join' => fn($l, $k) => implode(',', [...$l, $k])]],
    ['join', 'order', 'implode by pipes', ['join' => fn($l, $k) => implode('|', [...$l, $k])]],
    ['join', 'order', 'implode by line ends', ['join' => fn($l, $k) => implode(PHP_EOL, [...$l, $k])]],
    ['join', 'order', 'implode by dashes, but for the key', ['join' => fn($l, $k) => implode('-', $l) . $k]],
    ['join', 'order', 'implode by ampersands', ['join' => fn($l, $k) => implode('&', [...$l, $k])]],
    ['join', 'order', 'sort', ['join' => function ($l, $k) { sort($l, SORT_STRING); return implode('', $l) . $k; }]],
    ['join', 'order', 'ksort', ['values' => function ($v) { usort($v, fn($a, $b) => strcmp($a[0], $b[0])); return $v; }]],
    ['join', 'order', 'key before', ['join' => fn($l, $k) => $k . implode('', $l)]],
    ['join', 'order', 'key at both ends', ['join' => fn($l, $k) => $k . implode('', $l) . $k]],
    ['value', 'decimal-amount', 'number_format', ['values' => $value('amount', fn($t) => number_format($t / 100, 2, '.', ''))]],
    ['value', 'decimal-amount', 'number_format, grouped', ['values' => $value('amount', fn($t) => number_format($t / 100, 2))]],
    ['value', 'decimal-amount', 'number_format, German', ['values' => $value('amount', fn($t) => number_format($t / 100, 2, ',', '.'))]],
    ['value', 'decimal-amount', 'number_format, no digits', ['values' => $value('amount', fn($t) => number_format($t / 100))]],
    ['value', 'decimal-amount', 'a float', ['values' => $value('amount', fn($t) => (string) ($t / 100))]],
    ['value', 'decimal-amount', 'one digit', ['values' => $value('amount', fn($t) => sprintf('%.1f', $t / 100))]],
    ['value', 'decimal-amount', 'times 100', ['values' => $value('amount', fn($t) => (string) ($t * 100))]],
    ['value', 'decimal-amount', 'cents, grouped', ['values' => $value('amount', fn($t) => number_format($t))]],
    ['value', 'decimal-amount', 'intval', ['values' => $value('amount', fn($t) => (string) intdiv((int) $t, 100))]],
    ['value', 'orderid-text', 'null for the order id', ['values' => $value('orderId', fn($t) => $t === '' ? json_encode(null) : $t)]],
    ['value', 'orderid-text', 'NULL for the order id', ['values' => $value('orderId', fn($t) => $t === '' ? var_export(null, true) : $t)]],
    ['value', 'orderid-text', 'intval of the order id', ['values' => $value('orderId', fn($t) => (string) intval($t))]],
    ['value', 'orderid-text', 'intval of the own order id', ['values' => $value('clientOrderId', fn($t) => (string) intval($t))]],
    ['value', 'any', 'trim', ['texts' => fn($l) => array_map('trim', $l)]],
    ['value', 'upper-case', 'strtolower', ['texts' => fn($l) => array_map('strtolower', $l)]],
    ['value', 'missing-email|charset', 'urlencode of the e-mail', ['values' => $value('email', 'urlencode')]],
    ['values', 'charset', 'urlencode', ['texts' => fn($l) => array_map('urlencode', $l)]],
    ['values', 'charset', 'htmlspecialchars', ['texts' => fn($l) => array_map('htmlspecialchars', $l)]],
    ['values', 'charset', 'json_encode', ['texts' => fn($l) => array_map(fn($t) => trim(json_encode($t), '"'), $l)]],
    ['recipe', 'any', 'of status', ['values' => $recipe('login', 'clientOrderId', 'orderId')]],
    ['recipe', 'any', 'of sale', ['values' => $recipe('endpointId', 'clientOrderId', 'amount', 'email')]],
    ['recipe', 'any', 'of capture', ['values' => $recipe('login', 'clientOrderId', 'orderId', 'amount', 'currency')]],
    ['recipe', 'any', 'of verification', ['values' => $recipe('endpointId', 'clientOrderId', 'email')]],
    ['recipe', 'endpoint-login', 'login and endpoint', ['values' => fn($v, $r) => [['l', $r['all']['login']], ['e', $r['all']['endpointId']], ...array_slice($v, 1)]]],
    ['key', 'key-whitespace', 'line end', ['key' => fn($k) => $k . PHP_EOL]],
    ['key', 'upper-case', 'lower case', ['key' => 'strtolower']],
    ['key', 'other-key', 'md5 of it', ['key' => 'md5']],
    ['key', 'other-key', 'quoted', ['key' => fn($k) => json_encode($k)]],
    ['key', 'other-key', 'left out', ['key' => fn($k) => '']],
    ['key', 'other-key', 'base64', ['key' => 'base64_encode']],
    ['bytes', 'charset', 'Latin-1', ['bytes' => 'latin']],
    ['bytes', 'charset', 'UTF-8 twice', ['bytes' => fn($t) => iconv('ISO-8859-1', 'UTF-8', $t)]],
    ['hash', 'digest', 'md5', ['hash' => fn($d) => md5($d, true)]],
    ['hash', 'digest', 'sha256', ['hash' => fn($d) => hash('sha256', $d, true)]],
    ['hash', 'digest', 'sha1 twice', ['hash' => fn($d) => sha1(sha1($d), true)]],
    ['hash', 'digest', 'sha1 of upper-case hex', ['hash' => fn($d) => sha1(strtoupper(sha1($d)), true)]],
    ['hash', 'digest', 'md5 of hex', ['hash' => fn($d) => md5(sha1($d), true)]],
    ['writing', 'upper-case', 'strtoupper', ['write' => fn($d) => strtoupper(bin2hex($d))]],
    ['writing', 'base64', 'base64', ['write' => 'base64_encode']],
    ['writing', 'base64', 'base64 of hex', ['write' => fn($d) => base64_encode(bin2hex($d))]],
    ['writing', 'base64', 'url-safe', ['write' => fn($d) => rtrim(strtr(base64_encode($d), '+/', '-_'), '=')]],
    ['writing', 'any', 'JSON', ['write' => fn($d) => json_encode(bin2hex($d))]],
];
$body = fn($write) => ['values' => fn($v, $r) => [['body', $write(array_column($r['body'], 1, 0))]]];
$controlAlone = [
    ['values', 'order', 'http_build_query of the body', $body('http_build_query')],
    ['values', 'order', 'http_build_query of the body, RFC 3986', $body(fn($b) => http_build_query($b, '', '&', PHP_QUERY_RFC3986))],
    ['values', 'order', 'json_encode of the body', $body('json_encode')],
    ['values', 'order', 'json_encode of the body, plain', $body(fn($b) => json_encode($b, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE))],
    ['values', 'order', 'all values after ksort', $body(function ($b) { ksort($b); return implode('', $b); })],
    ['values', 'order', 'all values', $body(fn($b) => implode('', $b))],
    ['values', 'order', 'comment at the end', ['values' => fn($v, $r) => [...$v, ['comment', array_column($r['body'], 1, 0)['comment']]]]],
    ['value', 'missing-email|charset', 'urldecode of the e-mail', ['values' => $value('email', 'urldecode')]],
    ['value', 'orderid-text|charset', 'up to the first blank', ['values' => $value('clientOrderId', fn($t) => explode(' ', $t)[0])]],
    ['value', 'endpoint-login', 'the end of the path with its slash', ['values' => $value('endpointId', fn($t) => '/' . $t)]],
    ['join', 'order', 'serialize', ['whole' => fn($m, $k) => serialize($m) . $k]],
    ['join', 'order', 'print_r', ['whole' => fn($m, $k) => print_r($m, true) . $k]],
    ['join', 'order', 'var_export', ['whole' => fn($m, $k) => var_export($m, true) . $k]],
    ['join', 'order', 'json_encode', ['whole' => fn($m, $k) => json_encode($m) . $k]],
    ['join', 'order', 'json_encode, pretty', ['whole' => fn($m, $k) => json_encode($m, JSON_PRETTY_PRINT) . $k]],
    ['join', 'order', 'json_encode, plain', ['whole' => fn($m, $k) => json_encode($m, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE) . $k]],
    ['join', 'order', 'json_encode, numbers', ['whole' => fn($m, $k) => json_encode($m, JSON_NUMERIC_CHECK) . $k]],
    ['join', 'order', 'json_encode of the key too', ['whole' => fn($m, $k) => json_encode($m + ['key' => $k])]],
    ['join', 'order', 'http_build_query', ['whole' => fn($m, $k) => http_build_query($m) . $k]],
    ['join', 'order', 'serialize of a list', ['join' => fn($l, $k) => serialize($l) . $k]],
    ['join', 'order', 'serialize of a list and the key', ['join' => fn($l, $k) => serialize([...$l, $k])]],
    ['join', 'order', 'print_r of a list', ['join' => fn($l, $k) => print_r($l, true) . $k]],
    ['join', 'order', 'var_export of a list', ['join' => fn($l, $k) => var_export($l, true) . $k]],
    ['join', 'order', 'json_encode of a list', ['join' => fn($l, $k) => json_encode([...$l, $k])]],
    ['join', 'order|key-whitespace', 'fputcsv', ['join' => fn($l, $k) => csvOf([...$l, $k])]],
    ['join', 'order', 'fputcsv, key behind', ['join' => fn($l, $k) => csvOf($l, ';') . $k]],
    ['join', 'order', 'implode of names and values', ['whole' => fn($m, $k) => implode(';', array_map(fn($n, $v) => "$n=$v", array_keys($m), $m)) . ';' . $k]],
    ['join', 'order', 'implode with |#|', ['join' => fn($l, $k) => implode('|#|', [...$l, $k])]],
    ['values', 'charset', 'serialize', ['texts' => fn($l) => array_map('serialize', $l)]],
    ['values', 'charset', 'var_export', ['texts' => fn($l) => array_map(fn($t) => var_export($t, true), $l)]],
    ['hash', 'digest', 'sha512 cut', ['write' => fn($d) => substr($d, 0, 40), 'hash' => fn($d) => hash('sha512', $d)]],
    ['hash', 'digest', 'sha256 cut', ['write' => fn($d) => substr($d, 0, 40), 'hash' => fn($d) => hash('sha256', $d)]],
    ['hash', 'digest', 'md5 padded', ['write' => fn($d) => str_pad($d, 40, '0'), 'hash' => fn($d) => md5($d)]],
    ['writing', 'digest|base64', 'convert_uuencode', ['write' => 'convert_uuencode']],
    ['writing', 'digest|base64', 'quoted_printable_encode', ['write' => 'quoted_printable_encode']],
];

function csvOf(array $values, string $mark = ','): string
{
    $file = fopen('php://memory', 'r+');
    fputcsv($file, $values, $mark, '"', '\\');
    rewind($file);
    return stream_get_contents($file);
}

function made(array $requests, array $paired, array $rare, callable $make, ?callable $text): array
{
    $out = [];
    $table = array_merge($paired, $rare);
    foreach ($requests as $at => $r) {
        $right = $make($r, []);
        $alone = array_map(fn($row) => $make($r, $row[3]), $table);
        foreach ($table as $i => $row)
            if ($alone[$i] !== $right) $out[] = one($at, [$row], $alone[$i], $text, $r);
        foreach ($paired as $i => $a)
            foreach (array_slice($paired, $i + 1, null, true) as $j => $b) {
                if ($a[0] === $b[0] || array_intersect_key($a[3], $b[3])) continue;
                if ($alone[$i] === $right || $alone[$j] === $right) continue;
                $both = $make($r, $a[3] + $b[3]);
                if (!in_array($both, [$right, $alone[$i], $alone[$j]], true)) $out[] = one($at, [$a, $b], $both, $text, $r);
            }
    }
    return $out;
}

function one(int $at, array $rows, string $value, ?callable $text, array $r): array
{
    $faults = array_merge(...array_column($rows, 3));
    $isBase = $text !== null && !array_intersect_key($faults, ['key' => 1, 'mac' => 1, 'write' => 1]);
    return ['request' => $at, 'channels' => array_column($rows, 0), 'expected' => array_column($rows, 1),
        'what' => array_column($rows, 2), 'value' => $value] + ($isBase ? ['base' => $text($r, $faults)] : []);
}

$given = json_decode(stream_get_contents(STDIN), true);
echo json_encode(['oauth' => made($given['oauth'], $oauth, $oauthAlone, 'sign', 'base_string'),
    'control' => made($given['control'], $control, $controlAlone, 'checksum', null)], JSON_INVALID_UTF8_SUBSTITUTE);
