import type { ControlEncoding } from '../../../../signing/index.js';
import { plainHeaders } from '../../../../signing/schemes/request.js';
import { type CodePlan, type OauthPlan, type PlannedSigning, paragraphs } from './plan.js';
import { camelCase, indented, programParts, type Syntax } from './program-parts.js';

/** A Java program of one file without any library. */
export function javaProgram(plan: CodePlan, run: string): string {
  const { address, signing } = plan;
  const parts = programParts(plan, syntax, { needs: 'Java 11 or later', run, cards: 'read from the variables' });
  const main = [
    [...parts.assignments, `String url = ${quoted(address)} + endpointId;`].join('\n'),
    [
      'List<Map.Entry<String, String>> fields = new ArrayList<>(List.of(',
      `${parts.pairs.map((pair) => `    ${pair}`).join(',\n')}));`,
    ].join('\n'),
    [
      'Map<String, String> headers = new LinkedHashMap<>(Map.of(',
      `${Object.entries(plainHeaders)
        .map(([name, value]) => `    ${quoted(name)}, ${quoted(value)}`)
        .join(',\n')}));`,
    ].join('\n'),
    parts.signing.join('\n'),
    post,
  ];
  const members = [
    `public static void main(String[] args) throws Exception {\n${indented(main)}\n}`,
    parts.asks ? fromEnvironment : '',
    encode,
    parts.isOauth ? baseString : '',
    signing.scheme === 'control' && signing.encoding !== 'base64' ? hex : '',
    parts.key,
    signing.scheme === 'none' ? '' : giveUp,
  ];
  return paragraphs([
    parts.introduction,
    imports(signing).map((name) => `import ${name};`),
    ['public final class Request {', indented(members), '}'],
  ]);
}

/**
 * In ASCII alone: before Java 18 a source file is read in the character set of the machine. A unicode escape of a quote
 * or a line end would be one for the compiler, so these have escapes of their own.
 */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, (unit) => {
    const known = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[unit];
    const code = unit.charCodeAt(0);
    return known ?? (code < 0x80 ? `\\${code.toString(8).padStart(3, '0')}` : unicode(code));
  });
  // Units of a pair are replaced one by one, as no flag joins them.
  return `"${escaped}"`;
}

function unicode(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

function imports(signing: PlannedSigning): readonly string[] {
  const oauth = ['java.security.SecureRandom', 'java.time.Instant', 'java.util.Base64'];
  const key = ['java.io.IOException', 'java.nio.file.Files', 'java.nio.file.Path'];
  const own = {
    control: [...key, 'java.security.MessageDigest'],
    'hmac-sha1': [...key, ...oauth, 'javax.crypto.Mac', 'javax.crypto.spec.SecretKeySpec'],
    'rsa-sha256': [
      ...[...key, ...oauth, 'java.security.GeneralSecurityException', 'java.security.KeyFactory'],
      ...['java.security.PrivateKey', 'java.security.Signature', 'java.security.spec.PKCS8EncodedKeySpec'],
    ],
    none: [],
  }[signing.scheme];
  const base64 = signing.scheme === 'control' && signing.encoding === 'base64' ? ['java.util.Base64'] : [];
  return [...new Set([...alwaysImported, ...own, ...base64])].sort();
}

const alwaysImported = [
  ...['java.net.URI', 'java.net.URLEncoder', 'java.net.http.HttpClient', 'java.net.http.HttpRequest'],
  ...['java.net.http.HttpResponse', 'java.nio.charset.StandardCharsets', 'java.time.Duration', 'java.util.ArrayList'],
  ...['java.util.LinkedHashMap', 'java.util.List', 'java.util.Map', 'java.util.stream.Collectors'],
];

const fromEnvironment = `private static String fromEnvironment(String name) {
    String value = System.getenv(name);
    if (value == null || value.isEmpty()) {
        System.err.println(name + " must be set");
        System.exit(2);
    }
    return value;
}`;

export const encode = `// Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986); URLEncoder alone does not.
static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8)
        .replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
}

static String encodeForm(List<Map.Entry<String, String>> pairs) {
    return pairs.stream()
        .map(pair -> encode(pair.getKey()) + "=" + encode(pair.getValue()))
        .collect(Collectors.joining("&"));
}`;

export const baseString = `// RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
static String baseString(String url, List<Map.Entry<String, String>> pairs) {
    String parameters = pairs.stream()
        .map(pair -> Map.entry(encode(pair.getKey()), encode(pair.getValue())))
        .sorted(Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
        .map(pair -> pair.getKey() + "=" + pair.getValue())
        .collect(Collectors.joining("&"));
    return "POST&" + encode(url) + "&" + encode(parameters);
}`;

export const hex = `static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte each : bytes) {
        text.append(String.format("%02x", each));
    }
    return text.toString();
}`;

export const readControlKey = `static String readControlKey() throws IOException {
    String file = System.getenv().getOrDefault("CONTROL_KEY_FILE", "");
    String key = file.isEmpty()
        ? System.getenv().getOrDefault("CONTROL_KEY", "")
        : new String(Files.readAllBytes(Path.of(file)), StandardCharsets.UTF_8).replaceAll("[\\\\r\\\\n]+$", "");
    if (key.isEmpty()) {
        throw giveUp("CONTROL_KEY_FILE must name the file with the merchant control key");
    }
    if (key.indexOf('\\ufffd') != -1) {
        throw giveUp("the key is not UTF-8, or CONTROL_KEY is not in the locale of this machine; use CONTROL_KEY_FILE");
    }
    return key;
}`;

export const readPrivateKey = `static PrivateKey readPrivateKey() {
    try {
        String pem = Files.readString(Path.of(System.getenv().getOrDefault("PRIVATE_KEY_FILE", "")));
        byte[] der = Base64.getDecoder().decode(pem.replaceAll("-----[A-Z ]+-----|\\\\s", ""));
        return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
    } catch (IOException | IllegalArgumentException | GeneralSecurityException error) {
        throw giveUp("PRIVATE_KEY_FILE must name the PEM file with the RSA private key in PKCS#8 (BEGIN PRIVATE KEY)");
    }
}`;

export const giveUp = `static IllegalStateException giveUp(String why) {
    System.err.println(why);
    System.exit(2);
    return new IllegalStateException(why);
}`;

export const written = {
  'hex-lower': 'hex(digest)',
  'hex-upper': 'hex(digest).toUpperCase()',
  base64: 'Base64.getEncoder().encodeToString(digest)',
} as const;

function control(variables: readonly string[], encoding: ControlEncoding): readonly string[] {
  return [
    `String text = ${[...variables, 'readControlKey()'].join(' + ')};`,
    'byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));',
    `fields.add(Map.entry("control", ${written[encoding]}));`,
  ];
}

/** RFC 5849 3.4 and 3.5.1. */
function oauth(signing: OauthPlan): readonly string[] {
  return [
    `byte[] nonce = new byte[18];
new SecureRandom().nextBytes(nonce);
List<Map.Entry<String, String>> oauth = List.of(
    Map.entry("oauth_consumer_key", login),
    Map.entry("oauth_nonce", Base64.getUrlEncoder().encodeToString(nonce)),
    Map.entry("oauth_signature_method", "${signing.method}"),
    Map.entry("oauth_timestamp", String.valueOf(Instant.now().getEpochSecond())),
    Map.entry("oauth_version", "1.0"));
List<Map.Entry<String, String>> signed = new ArrayList<>(fields);
signed.addAll(oauth);
byte[] text = baseString(url, signed).getBytes(StandardCharsets.UTF_8);`,
    ...signature(signing),
    `List<Map.Entry<String, String>> header = new ArrayList<>(oauth);
header.add(Map.entry("oauth_signature", Base64.getEncoder().encodeToString(signature)));
headers.put("Authorization", header.stream()
    .map(pair -> pair.getKey() + "=\\"" + encode(pair.getValue()) + "\\"")
    .collect(Collectors.joining(", ", "OAuth ", "")));`,
  ];
}

function signature(signing: OauthPlan): readonly string[] {
  if (signing.scheme === 'rsa-sha256')
    return [
      'Signature signer = Signature.getInstance("SHA256withRSA");',
      'signer.initSign(readPrivateKey());',
      'signer.update(text);',
      'byte[] signature = signer.sign();',
    ];
  const secret = signing.keyForm === 'raw' ? 'readControlKey()' : 'encode(readControlKey())';
  return [
    'Mac mac = Mac.getInstance("HmacSHA1");',
    `mac.init(new SecretKeySpec((${secret} + "&").getBytes(StandardCharsets.UTF_8), "HmacSHA1"));`,
    'byte[] signature = mac.doFinal(text);',
  ];
}

const post = `HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
    .timeout(Duration.ofSeconds(60))
    .POST(HttpRequest.BodyPublishers.ofString(encodeForm(fields)));
headers.forEach(request::header);
HttpClient client = HttpClient.newBuilder()
    .version(HttpClient.Version.HTTP_1_1)
    .followRedirects(HttpClient.Redirect.NEVER)
    .build();
HttpResponse<byte[]> reply = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
System.out.write(reply.body());
System.out.println();
System.err.println("HTTP " + reply.statusCode());
System.exit(reply.statusCode() == 200 ? 0 : 1);`;

const syntax: Syntax = {
  mark: '//',
  name: camelCase,
  quoted,
  asked: (variable) => `fromEnvironment("${variable}")`,
  assignment: (name, value) => `String ${name} = ${value};`,
  pair: (name, value) => `Map.entry(${name}, ${value})`,
  readControlKey,
  readPrivateKey,
  control,
  oauth,
  oauthIntoBody: 'fields.addAll(oauth);',
};
