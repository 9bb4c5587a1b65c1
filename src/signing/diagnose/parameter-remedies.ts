import { type RemedyRow, row } from './remedy-row.js';

const asSent = 'sign the text that is sent, character for character: make it once, and use it for both';

const writtenOtherwise = ['encoded-twice-or-once', 'space-plus', 'not-utf8', 'reserved-characters'] as const;

/** Of the values and the address: what RFC 5849 has for every operation by OAuth. */
export const parameterRemedies: readonly RemedyRow[] = [
  row(
    'reserved-characters',
    /^raw-!'\(\)\*$/,
    "percent-encode ! ' ( ) * as well; URL encoders leave them as they are (RFC 3986 2.2, RFC 5849 3.6)",
    'encode',
    {
      node: 'encodeURIComponent',
      csharp: 'Uri.EscapeDataString before .NET 4.5',
      shell: '@uri of jq before 1.7',
    },
  ),
  row('reserved-characters', /^raw-\*$/, 'percent-encode * as %2A', 'encode', {
    java: 'URLEncoder.encode',
    node: 'URLSearchParams',
    python: 'quote(…, safe="*")',
  }),
  row('reserved-characters', /^raw-/, 'percent-encode everything except letters, digits and -._~', 'encode'),
  row('reserved-characters', /^tilde$/, 'leave ~ as it is', 'encode', {
    php: 'urlencode, rawurlencode before 5.3',
    java: 'URLEncoder.encode',
    python: 'urllib.parse.quote before 3.7',
    node: 'URLSearchParams',
  }),
  row('reserved-characters', /^lower-case$/, 'write escapes in upper case, %2F and not %2f', 'encode', {
    csharp: 'HttpUtility.UrlEncode',
  }),
  row('reserved-characters', /^slash$/, 'percent-encode / as %2F', 'encode', {
    python: 'urllib.parse.quote with its default safe="/"',
  }),
  row(
    'reserved-characters',
    /^like-an-address$/,
    'encode each name and value separately, not as part of a whole URL',
    'encode',
    { node: 'encodeURI', ruby: 'URI::DEFAULT_PARSER.escape', csharp: 'Uri.EscapeUriString', go: 'url.PathEscape' },
  ),
  row('reserved-characters', /^all-/, 'leave the case of the base string as it is', 'base', {
    php: 'strtolower, strtoupper',
  }),
  row('reserved-characters', /^values?-(?:upper|lower|title|swapped|\w+)-?case$/, asSent, 'pairs', {
    python: 'str(True)',
    csharp: 'true.ToString()',
    ruby: 'capitalize',
  }),
  ...writtenOtherwise.map((name) => row(name, /^values?-(?!twice$|raw$)/, asSent, 'pairs')),
  row(
    'reserved-characters',
    undefined,
    'percent-encode everything except letters, digits and -._~, and never encode those (RFC 5849 3.6)',
    'encode',
  ),
  row('space-plus', /^plus$/, 'write a space as %20, not as +', 'encode', {
    php: 'urlencode, http_build_query without PHP_QUERY_RFC3986',
    python: 'urllib.parse.quote_plus, urlencode',
    go: 'url.QueryEscape, url.Values.Encode',
    ruby: 'CGI.escape, URI.encode_www_form',
  }),
  row('space-plus', /^form-encoder-lower$/, 'encode as RFC 3986 says, not as a form', 'encode', {
    csharp: 'HttpUtility.UrlEncode',
  }),
  row('space-plus', /^form-encoder-raw$/, 'encode as RFC 3986 says, not as a form', 'encode', {
    csharp: 'WebUtility.UrlEncode',
  }),
  row('space-plus', /^form-encoder-strict$/, 'encode as RFC 3986 says, not as a form', 'encode', { php: 'urlencode' }),
  row('space-plus', /^form-encoder$/, 'encode as RFC 3986 says, not as a form', 'encode', {
    java: 'URLEncoder.encode',
    node: 'URLSearchParams',
  }),
  row('space-plus', /^trimmed$/, 'sign a value with all its spaces, as it is sent', 'encode', {
    php: 'trim',
    python: 'str.strip',
  }),
  row(
    'space-plus',
    undefined,
    'write a space as %20 and a plus sign as %2B; a + in a form body means a space',
    'encode',
  ),
  row('encoded-twice-or-once', /^(?:parameters|values)-twice$/, 'encode each name and value once', 'pairs'),
  row(
    'encoded-twice-or-once',
    /^(?:parameters|names|values|letters|oauth)-raw$/,
    'encode each name and value before they are joined',
    'pairs',
  ),
  row(
    'encoded-twice-or-once',
    /^(?:element|elements|everything|address)-(?:raw|twice)$|^whole-again$/,
    'encode the address and the joined parameters once each when the base string is put together',
    'base',
  ),
  row('encoded-twice-or-once', /^joined-otherwise$/, 'join name and value with =, and the parameters with &', 'join'),
  row(
    'encoded-twice-or-once',
    /^elements-otherwise$/,
    'join the method, the encoded address and the encoded parameters with &, in this order',
    'base',
  ),
  row('encoded-twice-or-once', /^quoted$/, 'sign values as they are sent, without quotes', 'pairs', {
    ruby: 'inspect',
    go: '%q',
    node: 'JSON.stringify',
    python: 'repr',
  }),
  row('encoded-twice-or-once', /^path-/, 'sign the path exactly as it is sent, without decoding it', 'address', {
    python: 'urllib.parse.unquote',
    php: 'urldecode',
  }),
  row('encoded-twice-or-once', /^query-/, 'decode the query as a form, then encode each name and value once', 'pairs'),
  row('encoded-twice-or-once', /^html$/, 'sign values as they are sent; HTML escapes belong only in pages', 'pairs', {
    php: 'htmlspecialchars',
    python: 'html.escape',
    ruby: 'CGI.escapeHTML',
  }),
  row('encoded-twice-or-once', /^slashes$/, 'sign values as they are sent', 'pairs', { php: 'addslashes' }),
  row(
    'encoded-twice-or-once',
    undefined,
    'encode each name and value once, then the joined parameters once more',
    'base',
  ),
  row(
    'body-left-out',
    /json|form-text|hash/,
    'send the fields as a form and sign each of them; the body itself, or a hash of it, is not signed',
    'form',
    { node: 'JSON.stringify', php: 'json_encode', python: 'requests.post(json=…)' },
  ),
  row('body-left-out', /^other-number$/, 'sign the amount exactly as it is sent; keep amounts as text', 'pairs', {
    node: 'Number, parseFloat',
    php: '(float)',
    python: 'float',
  }),
  row('body-left-out', /^other-case$/, 'sign each value without changing its case', 'pairs'),
  row('body-left-out', /^values?-|^number-/, asSent, 'pairs'),
  row('body-left-out', /^fields?-/, 'sign the fields that are sent, each with its own value, and no others', 'pairs'),
  row('body-left-out', undefined, 'sign every field of the form body together with the oauth_ parameters', 'pairs'),
  row(
    'query-left-out',
    /^in-/,
    'leave the query out of the address, and sign its fields among the parameters',
    'address',
  ),
  row(
    'query-left-out',
    undefined,
    'sign the fields of the query once among the parameters, and leave the query out of the address',
    'pairs',
  ),
  row('sort-order', /^locale/, 'compare bytes, never in locale order', 'join', {
    node: 'String.localeCompare',
    csharp: 'List.Sort() and OrderBy without StringComparer.Ordinal',
    php: 'strcoll',
    java: 'Collator',
  }),
  row('sort-order', /^ignoring-case/, 'compare case-sensitively', 'join', {
    php: 'strcasecmp, SORT_FLAG_CASE',
    java: 'String.CASE_INSENSITIVE_ORDER',
    csharp: 'StringComparer.OrdinalIgnoreCase',
    ruby: 'sort_by(&:downcase)',
    python: 'key=str.lower',
  }),
  row(
    'sort-order',
    /^(?:before-encoding|joined-text)/,
    'encode first, then sort by name, and by value where names are equal',
    'join',
    {
      node: "pairs.map((p) => p.join('=')).sort()",
      java: 'TreeMap of unencoded names',
      php: 'ksort before rawurlencode',
    },
  ),
  row('sort-order', undefined, 'sort all parameters together, by encoded name and then by encoded value', 'join', {
    php: 'ksort with repeated names, or no sort',
  }),
  row(
    'scheme-host-port',
    /^(?:path-(?:prefix-lost|end-lost|version|operation)|other-host)$/,
    'sign the same address the request is sent to: build it once, with its whole path, and use it for both',
    'address',
  ),
  row(
    'scheme-host-port',
    /^(?:https?-for-https?|scheme)/,
    'sign the scheme the request is sent with; behind a proxy, that is the scheme its client uses',
    'address',
  ),
  row('scheme-host-port', /port/, 'sign the port unless it is the default, 80 for http and 443 for https', 'address'),
  row('scheme-host-port', /slash|^path-resolved/, 'sign the path exactly as it is sent', 'address'),
  row('scheme-host-port', /case/, 'sign scheme and host in lower case and the path as it is', 'address'),
  row('scheme-host-port', /^other-name$/, 'sign the host name in the address of the request', 'address'),
  row('scheme-host-port', /lost|fragment/, 'sign scheme, host and path, without query and fragment', 'address', {
    php: '$_SERVER["REQUEST_URI"]',
    node: 'request.url',
  }),
  row(
    'scheme-host-port',
    undefined,
    'sign the address the request is sent to: https stays https, host in lower case, port only where it is not the \
default',
    'address',
  ),
  row(
    'header-not-encoded',
    /^twice$/,
    'percent-encode each value of the Authorization header once, including the signature',
    'header',
  ),
  row(
    'header-not-encoded',
    undefined,
    'percent-encode each value of the Authorization header, including the signature',
    'header',
  ),
  row('empty-values', /^version/, 'sign oauth_version=1.0 exactly when it is sent', 'pairs'),
  row('empty-values', /^oauth-left-out$/, 'sign the oauth_ parameters of the header, all but oauth_signature', 'pairs'),
  row('empty-values', /^consumer-key/, 'sign oauth_consumer_key, the merchant login', 'pairs'),
  row('empty-values', /-added$/, 'sign nothing that is not sent', 'pairs'),
  row(
    'empty-values',
    /^(?:null|undefined|None|nil|false|0|field-emptied)$/,
    'sign an empty string for an empty field, and the value that is sent for every other',
    'orEmpty',
    { node: 'String(undefined)', python: 'str(None)', java: 'String.valueOf(null)', go: 'fmt.Sprint(nil)' },
  ),
  row('empty-values', /^value-word$/, asSent, 'pairs', {
    php: '(string) true, which is 1',
    node: 'String(undefined)',
    python: 'str(None)',
  }),
  row('empty-values', undefined, 'sign an empty field as name=, and send it the same way', 'pairs', {
    php: 'array_filter without a callback',
    python: 'urllib.parse.parse_qsl without keep_blank_values',
  }),
  row(
    'not-utf8',
    /^(?:decomposed|composed|unaccented)$/,
    'sign and send the same text: normalize it before both, or not at all',
    'pairs',
    { php: 'Normalizer::normalize', python: 'unicodedata.normalize', node: 'normalize()', ruby: 'unicode_normalize' },
  ),
  row('not-utf8', /^(?:escape|code-units)$/, 'encode the UTF-8 bytes', 'encode', { node: 'escape' }),
  row('not-utf8', /^bytes-printed$/, 'decode bytes to a string before you insert them into one', 'utf8', {
    python: 'str(bytes), f"{bytes}"',
  }),
  row('not-utf8', /utf-16/, 'convert the text to UTF-8 bytes', 'utf8', {
    csharp: 'Encoding.Unicode.GetBytes',
    java: 'getBytes(StandardCharsets.UTF_16LE)',
  }),
  row('not-utf8', /^byte-order-mark$/, 'write no byte order mark before the base string', 'utf8', {
    csharp: 'StreamWriter with Encoding.UTF8',
    python: "encode('utf-8-sig')",
  }),
  row('not-utf8', /^(?:ascii|dropped)$/, 'convert the text to UTF-8 bytes', 'utf8', {
    csharp: 'Encoding.ASCII.GetBytes',
    python: "encode('ascii', 'replace')",
  }),
  row('not-utf8', undefined, 'convert the text to UTF-8 bytes before you encode it', 'utf8', {
    php: 'utf8_decode, or utf8_encode of UTF-8 text',
    java: 'getBytes() before Java 18',
    python: "encode('latin-1')",
    csharp: 'Encoding.Default on .NET Framework',
  }),
  row(
    'repeated-or-nested-names',
    /^(?:first|last|left-out)$/,
    'keep fields as a list of pairs; a map loses values',
    'pairs',
    {
      php: '$_POST, parse_str',
      python: 'dict',
      node: 'Object.fromEntries',
      java: 'HashMap',
      go: 'map, url.Values.Get',
      csharp: 'Dictionary',
      ruby: 'Hash',
    },
  ),
  row(
    'repeated-or-nested-names',
    /^(?:object|array|json|comma)/,
    'flatten a nested value into the fields that are sent, and sign each',
    'pairs',
    { node: 'String(object), String(array)', php: '(string) $array', csharp: 'NameValueCollection["name"]' },
  ),
  row(
    'repeated-or-nested-names',
    /^names-written$/,
    'sign the names of the fields as they are sent, with the same underscores, dashes and case',
    'pairs',
  ),
  row('repeated-or-nested-names', /twice$/, 'sign every parameter as often as it is sent', 'pairs'),
  row(
    'repeated-or-nested-names',
    undefined,
    'sign names with their brackets exactly as they are sent, in a list of pairs, since a map loses values',
    'pairs',
    { php: 'http_build_query', python: 'requests with a list' },
  ),
  row('nonce-timestamp', /^milliseconds$/, 'write oauth_timestamp in whole seconds, ten digits', 'timestamp', {
    node: 'Date.now()',
    java: 'System.currentTimeMillis()',
    csharp: 'ToUnixTimeMilliseconds()',
    go: 'time.Now().UnixMilli()',
  }),
  row('nonce-timestamp', /^fraction$/, 'write oauth_timestamp in whole seconds', 'timestamp', {
    python: 'time.time()',
    php: 'microtime(true)',
    ruby: 'Time.now.to_f',
    node: 'Date.now() / 1000',
  }),
  row('nonce-timestamp', /^time-zone$/, 'count the seconds since 1970 in UTC', 'timestamp', {
    csharp: 'DateTime.Now',
    java: 'LocalDateTime.now()',
    python: 'datetime.utcnow().timestamp()',
  }),
  row('nonce-timestamp', /left-out$/, 'sign oauth_nonce and oauth_timestamp, which are sent', 'pairs'),
  row('nonce-timestamp', /^(?:clock-off)$/, 'synchronize the clock of the machine with NTP', 'timestamp'),
  row(
    'nonce-timestamp',
    undefined,
    'generate the nonce and the timestamp (whole seconds) once for each attempt, and use both in the header and the \
base string',
    'timestamp',
  ),
  row('realm', /^field/, 'sign a body field named realm like any other field', 'pairs'),
  row('realm', undefined, 'leave the realm in the header out of the base string', 'pairs'),
  row('method', undefined, 'sign the method that is sent, in upper case: POST', 'base'),
];
