import type { CodeLanguage } from './diagnosis.js';

/** A line as it is right, by what it does. */
export type CorrectedLine = keyof typeof correctedLines;

type Lines = Readonly<Record<CodeLanguage, string>>;

/**
 * Lines for a client, with the standard library of its language; Python signs by RSA with the package cryptography.
 * `encode` is a function made of the first line and `value` one name or value; `oauth`, `query` and `body` are lists of
 * names and values as they are, `pairs` the list of the encoded ones, `joined` what they are joined to, `base` the base
 * string; `values` are those of a checksum in the order of its recipe, and `key` is the control key.
 */
export const correctedLines = {
  encode: {
    php: 'rawurlencode($value)',
    python: "urllib.parse.quote(value, safe='')",
    java: 'URLEncoder.encode(value, UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~")',
    csharp: 'Uri.EscapeDataString(value)',
    go: 'strings.ReplaceAll(url.QueryEscape(value), "+", "%20")',
    ruby: 'ERB::Util.url_encode(value)',
    node: "encodeURIComponent(value).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())",
    shell: `printf %s "$value" | perl -0777 -pe 's/[^A-Za-z0-9._~-]/sprintf "%%%02X", ord $&/ge'`,
  },
  join: {
    php: `usort($pairs, fn($a, $b) => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1])); $joined = implode('&', array_map(fn($p) => "$p[0]=$p[1]", $pairs));`,
    python: "joined = '&'.join(f'{name}={value}' for name, value in sorted(pairs))",
    java: 'String joined = pairs.stream().sorted(Comparator.<String[], String>comparing(p -> p[0]).thenComparing(p -> p[1])).map(p -> p[0] + "=" + p[1]).collect(Collectors.joining("&"));',
    csharp:
      'var joined = string.Join("&", pairs.OrderBy(p => p.Key, StringComparer.Ordinal).ThenBy(p => p.Value, StringComparer.Ordinal).Select(p => p.Key + "=" + p.Value));',
    go: 'sort.Slice(pairs, func(i, j int) bool { a, b := pairs[i], pairs[j]; return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }); var texts []string; for _, p := range pairs { texts = append(texts, p[0]+"="+p[1]) }; joined := strings.Join(texts, "&")',
    ruby: `joined = pairs.sort.map { |name, value| "#{name}=#{value}" }.join('&')`,
    node: "const joined = pairs.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0)).map((pair) => pair.join('=')).join('&');",
    shell: `joined=$(printf '%s\\n' "$@" | LC_ALL=C sort -t= -k1,1 -k2 | paste -s -d'&' -)`,
  },
  base: {
    php: `$base = 'POST&' . rawurlencode($address) . '&' . rawurlencode($joined);`,
    python: "base = '&'.join(['POST', encode(address), encode(joined)])",
    java: 'String base = "POST&" + encode(address) + "&" + encode(joined);',
    csharp: 'var baseString = "POST&" + Uri.EscapeDataString(address) + "&" + Uri.EscapeDataString(joined);',
    go: 'base := "POST&" + encode(address) + "&" + encode(joined)',
    ruby: "base = ['POST', address, joined].map { |part| encode(part) }.join('&')",
    node: "const base = ['POST', address, joined].map(encode).join('&');",
    shell: 'base="POST&$(encode "$address")&$(encode "$joined")"',
  },
  pairs: {
    php: '$pairs = []; foreach ([...$oauth, ...$query, ...$body] as [$n, $v]) $pairs[] = [rawurlencode($n), rawurlencode($v)];',
    python: 'pairs = [(encode(name), encode(value)) for name, value in oauth + query + body]',
    java: 'List<String[]> pairs = Stream.of(oauth, query, body).flatMap(List::stream).map(p -> new String[] { encode(p[0]), encode(p[1]) }).collect(Collectors.toList());',
    csharp:
      'var pairs = oauth.Concat(query).Concat(body).Select(p => new KeyValuePair<string, string>(Uri.EscapeDataString(p.Key), Uri.EscapeDataString(p.Value)));',
    go: 'for _, list := range [][][2]string{oauth, query, body} { for _, p := range list { pairs = append(pairs, [2]string{encode(p[0]), encode(p[1])}) } }',
    ruby: 'pairs = (oauth + query + body).map { |pair| pair.map { |text| encode(text) } }',
    node: 'const pairs = [...oauth, ...query, ...body].map((pair) => pair.map(encode));',
    shell: 'set -- "$@" "$(encode "$name")=$(encode "$value")"',
  },
  address: {
    php: `$u = parse_url($url); $scheme = strtolower($u['scheme']); $port = $u['port'] ?? null; $address = "$scheme://" . strtolower($u['host']) . (in_array($port, [null, $scheme === 'https' ? 443 : 80], true) ? '' : ":$port") . ($u['path'] ?? '/');`,
    python: `u = urlsplit(url); port = '' if u.port in (None, {'http': 80, 'https': 443}[u.scheme]) else f':{u.port}'; address = f'{u.scheme}://{u.hostname}{port}{u.path or "/"}'`,
    java: 'URI u = URI.create(url); String scheme = u.getScheme().toLowerCase(Locale.ROOT), path = u.getRawPath(); boolean usual = u.getPort() == -1 || u.getPort() == (scheme.equals("https") ? 443 : 80); String address = scheme + "://" + u.getHost().toLowerCase(Locale.ROOT) + (usual ? "" : ":" + u.getPort()) + (path.isEmpty() ? "/" : path);',
    csharp: 'var u = new Uri(url); var address = u.GetLeftPart(UriPartial.Path);',
    go: 'u, err := url.Parse(raw); if err != nil { log.Fatal(err) }; host := strings.ToLower(u.Host); host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme]); path := u.EscapedPath(); if path == "" { path = "/" }; address := u.Scheme + "://" + host + path',
    ruby: `u = URI(url); address = "#{u.scheme}://#{u.host.downcase}#{":#{u.port}" if u.port != u.default_port}#{u.path.empty? ? '/' : u.path}"`,
    node: 'const { origin, pathname } = new URL(url); const address = origin + pathname;',
    shell: `address=$(printf %s "\${url%%[?#]*}" | sed -E 's#^([^/]*//[^/]*)$#\\1/#; s#^[^/]*//[^/]*#\\L&#; s#^(https://[^/]*):443/#\\1/#; s#^(http://[^/]*):80/#\\1/#')`,
  },
  hmac: {
    php: "$signature = base64_encode(hash_hmac('sha1', $base, rawurlencode($secret) . '&', true));",
    python:
      "signature = base64.b64encode(hmac.new((encode(secret) + '&').encode(), base.encode(), 'sha1').digest()).decode()",
    java: 'Mac mac = Mac.getInstance("HmacSHA1"); mac.init(new SecretKeySpec((encode(secret) + "&").getBytes(UTF_8), "HmacSHA1")); String signature = Base64.getEncoder().encodeToString(mac.doFinal(base.getBytes(UTF_8)));',
    csharp:
      'var signature = Convert.ToBase64String(new HMACSHA1(Encoding.UTF8.GetBytes(Uri.EscapeDataString(secret) + "&")).ComputeHash(Encoding.UTF8.GetBytes(baseString)));',
    go: 'mac := hmac.New(sha1.New, []byte(encode(secret)+"&")); mac.Write([]byte(base)); signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))',
    ruby: `signature = Base64.strict_encode64(OpenSSL::HMAC.digest('SHA1', "#{encode(secret)}&", base))`,
    node: "const signature = createHmac('sha1', encode(secret) + '&').update(base, 'utf8').digest('base64');",
    shell: 'signature=$(hmac_sha1 "$(encode "$secret")&" "$base")  # as in the script that paycli sign curl prints',
  },
  hmacRaw: {
    php: "$signature = base64_encode(hash_hmac('sha1', $base, $secret . '&', true));",
    python: "signature = base64.b64encode(hmac.new((secret + '&').encode(), base.encode(), 'sha1').digest()).decode()",
    java: 'Mac mac = Mac.getInstance("HmacSHA1"); mac.init(new SecretKeySpec((secret + "&").getBytes(UTF_8), "HmacSHA1")); String signature = Base64.getEncoder().encodeToString(mac.doFinal(base.getBytes(UTF_8)));',
    csharp:
      'var signature = Convert.ToBase64String(new HMACSHA1(Encoding.UTF8.GetBytes(secret + "&")).ComputeHash(Encoding.UTF8.GetBytes(baseString)));',
    go: 'mac := hmac.New(sha1.New, []byte(secret+"&")); mac.Write([]byte(base)); signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))',
    ruby: `signature = Base64.strict_encode64(OpenSSL::HMAC.digest('SHA1', "#{secret}&", base))`,
    node: "const signature = createHmac('sha1', secret + '&').update(base, 'utf8').digest('base64');",
    shell: 'signature=$(hmac_sha1 "$secret&" "$base")  # as in the script that paycli sign curl prints',
  },
  rsa: {
    php: 'openssl_sign($base, $bytes, $privateKey, OPENSSL_ALGO_SHA256); $signature = base64_encode($bytes);',
    python:
      'signature = base64.b64encode(private_key.sign(base.encode(), padding.PKCS1v15(), hashes.SHA256())).decode()',
    java: 'Signature s = Signature.getInstance("SHA256withRSA"); s.initSign(privateKey); s.update(base.getBytes(UTF_8)); String signature = Base64.getEncoder().encodeToString(s.sign());',
    csharp:
      'var signature = Convert.ToBase64String(rsa.SignData(Encoding.UTF8.GetBytes(baseString), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1));',
    go: 'sum := sha256.Sum256([]byte(base)); raw, err := rsa.SignPKCS1v15(rand.Reader, privateKey, crypto.SHA256, sum[:]); if err != nil { log.Fatal(err) }; signature := base64.StdEncoding.EncodeToString(raw)',
    ruby: "signature = Base64.strict_encode64(private_key.sign('SHA256', base))",
    node: "const signature = sign('sha256', Buffer.from(base, 'utf8'), privateKey).toString('base64');",
    shell: 'signature=$(printf %s "$base" | openssl dgst -sha256 -sign rsa.pem | openssl base64 -A)',
  },
  header: {
    php: `$header = 'OAuth ' . implode(', ', array_map(fn($p) => $p[0] . '="' . rawurlencode($p[1]) . '"', $oauth));`,
    python: `header = 'OAuth ' + ', '.join(f'{name}="{encode(value)}"' for name, value in oauth)`,
    java: `String header = "OAuth " + oauth.stream().map(p -> p[0] + "=\\"" + encode(p[1]) + "\\"").collect(Collectors.joining(", "));`,
    csharp: `var header = "OAuth " + string.Join(", ", oauth.Select(p => $"{p.Key}=\\"{Uri.EscapeDataString(p.Value)}\\""));`,
    go: 'var parts []string; for _, p := range oauth { parts = append(parts, fmt.Sprintf(`%s="%s"`, p[0], encode(p[1]))) }; header := "OAuth " + strings.Join(parts, ", ")',
    ruby: `header = 'OAuth ' + oauth.map { |name, value| %(#{name}="#{encode(value)}") }.join(', ')`,
    node: `const header = 'OAuth ' + oauth.map(([name, value]) => \`\${name}="\${encode(value)}"\`).join(', ');`,
    shell: `header="\${header:-OAuth }\${header:+, }$name=\\"$(encode "$value")\\""`,
  },
  timestamp: {
    php: '$timestamp = (string) time();',
    python: 'timestamp = str(int(time.time()))',
    java: 'String timestamp = String.valueOf(Instant.now().getEpochSecond());',
    csharp: 'var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();',
    go: 'timestamp := strconv.FormatInt(time.Now().Unix(), 10)',
    ruby: 'timestamp = Time.now.to_i.to_s',
    node: 'const timestamp = String(Math.floor(Date.now() / 1000));',
    shell: 'timestamp=$(date +%s)',
  },
  form: {
    php: `curl_setopt($ch, CURLOPT_POSTFIELDS, implode('&', array_map(fn($p) => "$p[0]=$p[1]", $bodyPairs)));`,
    python: "data = '&'.join(f'{encode(name)}={encode(value)}' for name, value in body)",
    java: '.header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(form))',
    csharp: 'request.Content = new StringContent(form, Encoding.UTF8, "application/x-www-form-urlencoded");',
    go: 'req.Header.Set("Content-Type", "application/x-www-form-urlencoded")',
    ruby: "request['Content-Type'] = 'application/x-www-form-urlencoded'; request.body = form",
    node: "headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: form",
    shell: 'curl --data-raw "$form" -H \'Content-Type: application/x-www-form-urlencoded\' "$url"',
  },
  control: {
    php: "$control = sha1(implode('', $values) . $key);",
    python: "control = hashlib.sha1((''.join(values) + key).encode()).hexdigest()",
    java: 'String control = String.format("%040x", new BigInteger(1, MessageDigest.getInstance("SHA-1").digest((String.join("", values) + key).getBytes(UTF_8))));',
    csharp:
      'var control = BitConverter.ToString(SHA1.Create().ComputeHash(Encoding.UTF8.GetBytes(string.Concat(values) + key))).Replace("-", "").ToLowerInvariant();',
    go: 'control := fmt.Sprintf("%x", sha1.Sum([]byte(strings.Join(values, "")+key)))',
    ruby: 'control = Digest::SHA1.hexdigest(values.join + key)',
    node: "const control = createHash('sha1').update(values.join('') + key, 'utf8').digest('hex');",
    shell: `control=$({ printf %s "$@"; printf %s "$key"; } | openssl dgst -sha1 -r | cut -c1-40)`,
  },
  controlUpper: {
    php: "$control = strtoupper(sha1(implode('', $values) . $key));",
    python: "control = hashlib.sha1((''.join(values) + key).encode()).hexdigest().upper()",
    java: 'String control = String.format("%040X", new BigInteger(1, MessageDigest.getInstance("SHA-1").digest((String.join("", values) + key).getBytes(UTF_8))));',
    csharp:
      'var control = BitConverter.ToString(SHA1.Create().ComputeHash(Encoding.UTF8.GetBytes(string.Concat(values) + key))).Replace("-", "");',
    go: 'control := fmt.Sprintf("%X", sha1.Sum([]byte(strings.Join(values, "")+key)))',
    ruby: 'control = Digest::SHA1.hexdigest(values.join + key).upcase',
    node: "const control = createHash('sha1').update(values.join('') + key, 'utf8').digest('hex').toUpperCase();",
    shell: `control=$({ printf %s "$@"; printf %s "$key"; } | openssl dgst -sha1 -r | cut -c1-40 | tr a-f A-F)`,
  },
  controlBase64: {
    php: "$control = base64_encode(sha1(implode('', $values) . $key, true));",
    python: "control = base64.b64encode(hashlib.sha1((''.join(values) + key).encode()).digest()).decode()",
    java: 'String control = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest((String.join("", values) + key).getBytes(UTF_8)));',
    csharp:
      'var control = Convert.ToBase64String(SHA1.Create().ComputeHash(Encoding.UTF8.GetBytes(string.Concat(values) + key)));',
    go: `sum := sha1.Sum([]byte(strings.Join(values, "") + key)); control := base64.StdEncoding.EncodeToString(sum[:])`,
    ruby: 'control = Base64.strict_encode64(Digest::SHA1.digest(values.join + key))',
    node: "const control = createHash('sha1').update(values.join('') + key, 'utf8').digest('base64');",
    shell: `control=$({ printf %s "$@"; printf %s "$key"; } | openssl dgst -sha1 -binary | openssl base64 -A)`,
  },
  minor: {
    php: "$minor = ltrim(str_replace('.', '', $amount), '0');",
    python: "minor = amount.replace('.', '').lstrip('0')",
    java: 'String minor = new BigDecimal(amount).unscaledValue().toString();',
    csharp: 'var minor = amount.Replace(".", "").TrimStart(\'0\');',
    go: 'minor := strings.TrimLeft(strings.Replace(amount, ".", "", 1), "0")',
    ruby: "minor = amount.delete('.').sub(/\\A0+/, '')",
    node: "const minor = amount.replace('.', '').replace(/^0+/, '');",
    shell: `minor=$(printf %s "$amount" | tr -d . | sed 's/^0*//')`,
  },
  key: {
    php: "$key = trim(file_get_contents('control.key'));",
    python: "key = Path('control.key').read_text(encoding='utf-8-sig').strip()",
    java: 'String key = Files.readString(Path.of("control.key")).strip();',
    csharp: 'var key = File.ReadAllText("control.key").Trim();',
    go: 'raw, err := os.ReadFile("control.key"); if err != nil { log.Fatal(err) }; key := strings.TrimSpace(string(raw))',
    ruby: "key = File.read('control.key', encoding: 'bom|utf-8').strip",
    node: "const key = readFileSync('control.key', 'utf8').trim();",
    shell: `key=$(tr -d '\\r\\n' <control.key)`,
  },
  orEmpty: {
    php: "$value = (string) ($order['orderid'] ?? '');",
    python: "value = order.get('orderid') or ''",
    java: 'String value = Objects.toString(order.get("orderid"), "");',
    csharp: 'var value = order.OrderId ?? "";',
    go: 'value := order["orderid"] // "" when it is missing',
    ruby: "value = order['orderid'].to_s",
    node: "const value = order.orderid ?? '';",
    shell: `value=\${orderid:-}`,
  },
  utf8: {
    php: "$text = iconv('Windows-1252', 'UTF-8', $text); // only where it is not UTF-8 yet",
    python: "text.encode('utf-8')",
    java: 'text.getBytes(StandardCharsets.UTF_8)',
    csharp: 'Encoding.UTF8.GetBytes(text)',
    go: '[]byte(text) // Go strings are UTF-8',
    ruby: "text.encode('UTF-8')",
    node: "Buffer.from(text, 'utf8')",
    shell: 'iconv -f WINDOWS-1252 -t UTF-8 # only where it is not UTF-8 yet',
  },
} as const satisfies Readonly<Record<string, Lines>>;
