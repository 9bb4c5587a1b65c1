import type { ControlEncoding } from '../../../../signing/index.js';
import { paragraphs } from '../../sign/code/plan.js';
import { duties, inside, introduction } from './introduction.js';

const digests: Readonly<Record<ControlEncoding, readonly [given: string, digest: string]>> = {
  'hex-lower': ['strtolower($control)', 'sha1($text)'],
  'hex-upper': ['strtolower($control)', 'sha1($text)'],
  base64: ['$control', 'base64_encode(sha1($text, true))'],
};

/** A PHP script for any web server. */
export function phpHandler(encoding: ControlEncoding, run: string): string {
  const [given, digest] = digests[encoding];
  return paragraphs([
    ['<?php', ...introduction('//', 'PHP 7.4 or later; any web server may run it', run)],
    'declare(strict_types=1);',
    `// The one value of a field; an empty string when it is missing or was sent more than once.
function single_value(string $query, string $name): string
{
    $values = [];
    foreach (explode('&', $query) as $pair) {
        [$field, $value] = explode('=', $pair, 2) + [1 => ''];
        if (urldecode($field) === $name) {
            $values[] = urldecode($value);
        }
    }
    return count($values) === 1 ? $values[0] : '';
}

// Status and both ids of a callback; null when it is not signed by this key.
function verify_callback(string $query, string $key): ?array
{
    $texts = array_map(fn (string $name): string => single_value($query, $name), ['status', 'orderid', 'client_orderid']);
    $control = single_value($query, 'control');
    if (in_array('', $texts, true) || $control === '' || $key === '') {
        return null;
    }
    $text = implode('', $texts) . $key;
    return hash_equals(${digest}, ${given}) ? $texts : null;
}`,
    `function handle(string $status, string $order_id, string $client_order_id): void
{
${inside('    ', duties('//'))}
    error_log("verified: $status, order $order_id ($client_order_id)");
}`,
    `$key = getenv('CONTROL_KEY_FILE') ? file_get_contents(getenv('CONTROL_KEY_FILE')) : getenv('CONTROL_KEY');
$key = rtrim((string) $key, "\\r\\n");
if ($key === '') {
    error_log('CONTROL_KEY_FILE must name the file with the merchant control key');
    http_response_code(500);
    exit;
}
$is_post = $_SERVER['REQUEST_METHOD'] === 'POST';
$query = $is_post ? file_get_contents('php://input', false, null, 0, 65536) : ($_SERVER['QUERY_STRING'] ?? '');
$callback = verify_callback($query, $key);
if ($callback === null) {
    http_response_code(403);
    exit("refused\\n");
}
handle(...$callback);
echo "OK\\n";`,
  ]);
}
