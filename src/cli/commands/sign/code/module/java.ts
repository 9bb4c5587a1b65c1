import { baseString, encode, giveUp, hex, quoted, readControlKey, readPrivateKey, written } from '../java.js';
import { paragraphs } from '../plan.js';
import { indented } from '../program-parts.js';
import { type ModulePlan, moduleIntroduction, vectors } from './plan.js';

const imports = [
  ...['java.io.IOException', 'java.net.URLEncoder', 'java.nio.charset.StandardCharsets', 'java.nio.file.Files'],
  ...['java.nio.file.Path', 'java.security.GeneralSecurityException', 'java.security.KeyFactory'],
  ...['java.security.MessageDigest', 'java.security.PrivateKey', 'java.security.SecureRandom'],
  ...['java.security.Signature', 'java.security.spec.PKCS8EncodedKeySpec', 'java.time.Instant', 'java.util.ArrayList'],
  ...['java.util.Arrays', 'java.util.Base64', 'java.util.LinkedHashMap', 'java.util.List', 'java.util.Map'],
  ...['java.util.stream.Collectors', 'javax.crypto.Mac', 'javax.crypto.spec.SecretKeySpec'],
];

/** The signer as a Java class. */
export function javaModule({ baseUrl, operations, encoding, keyForm, repeatsInBody }: ModulePlan): string {
  const pair = (texts: readonly string[]) => `Map.entry(${texts.map(quoted).join(', ')})`;
  const pairsType = 'List<Map.Entry<String, String>>';
  return paragraphs([
    moduleIntroduction('//', 'Java 11 or later', 'java GatewaySigner.java'),
    imports.map((name) => `import ${name};`),
    [
      'public final class GatewaySigner {',
      indented([
        `private static final String BASE_URL = ${quoted(baseUrl)};`,
        [
          '/** Scheme, path, whether the body contains the login, and what the checksum covers. */',
          'private static final Map<String, List<String>> OPERATIONS = Map.ofEntries(',
          operations
            .map(({ id, scheme, path, values, sendsLogin }) => {
              const row = [scheme, path, sendsLogin ? 'login' : '', ...values];
              return `    Map.entry(${quoted(id)}, List.of(${row.map(quoted).join(', ')}))`;
            })
            .join(',\n'),
          ');',
        ].join('\n'),
        `/** A request before it is signed. */
public static final class Prepared {
    public final String scheme;
    public final String url;
    public final ${pairsType} fields;
    public final ${pairsType} oauth;
    public final String baseString;

    private Prepared(String scheme, String url, ${pairsType} fields,
            ${pairsType} oauth, String baseString) {
        this.scheme = scheme;
        this.url = url;
        this.fields = fields;
        this.oauth = oauth;
        this.baseString = baseString;
    }
}`,
        `/** The request to send. */
public static final class Signed {
    public final String url;
    public final Map<String, String> headers;
    public final String body;

    private Signed(String url, Map<String, String> headers, String body) {
        this.url = url;
        this.headers = headers;
        this.body = body;
    }
}`,
        `/** Prepares a request. If nonce or timestamp is null, a new one is generated. */
public static Prepared prepare(String operation, String endpointId, String login,
        ${pairsType} given, String nonce, String timestamp) {
    List<String> row = OPERATIONS.get(operation);
    if (row == null) {
        throw new IllegalArgumentException("no operation " + operation);
    }
    String scheme = row.get(0);
    String url = BASE_URL + row.get(1) + endpointId;
    ${pairsType} fields = new ArrayList<>(given);
    if (!row.get(2).isEmpty() && given.stream().noneMatch(pair -> pair.getKey().equals("login"))) {
        fields.add(Map.entry("login", login));
    }
    if (scheme.equals("none")) {
        return new Prepared(scheme, url, fields, List.of(), "");
    }
    if (scheme.equals("control")) {
        String text = controlText(row.subList(3, row.size()), endpointId, login, fields);
        return new Prepared(scheme, url, fields, List.of(), text);
    }
    byte[] random = new byte[18];
    new SecureRandom().nextBytes(random);
    ${pairsType} oauth = List.of(
        Map.entry("oauth_consumer_key", login),
        Map.entry("oauth_nonce", nonce == null ? Base64.getUrlEncoder().encodeToString(random) : nonce),
        Map.entry("oauth_signature_method", scheme),
        Map.entry("oauth_timestamp", timestamp == null ? "" + Instant.now().getEpochSecond() : timestamp),
        Map.entry("oauth_version", "1.0"));
    return new Prepared(scheme, url, fields, oauth, baseString(url, joined(fields, oauth)));
}`,
        `/** Address, headers and body to send. RSA-SHA256 is signed with the private key, the rest with the control key. */
public static Signed sign(Prepared prepared, String controlKey, PrivateKey privateKey)
        throws GeneralSecurityException {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/x-www-form-urlencoded");
    headers.put("Accept", "application/vnd.pay+json");
    headers.put("Accept-Encoding", "identity");
    ${pairsType} fields = prepared.fields;
    if (prepared.scheme.equals("control")) {
        fields = joined(fields, List.of(Map.entry("control", checksum(prepared.baseString, controlKey))));
    } else if (!prepared.scheme.equals("none")) {
        String signature = prepared.scheme.equals("HMAC-SHA1")
            ? hmacSha1(prepared.baseString, controlKey)
            : rsaSha256(prepared.baseString, privateKey);
        headers.put("Authorization", joined(prepared.oauth, List.of(Map.entry("oauth_signature", signature))).stream()
            .map(pair -> pair.getKey() + "=\\"" + encode(pair.getValue()) + "\\"")
            .collect(Collectors.joining(", ", "OAuth ", "")));${
              repeatsInBody
                ? `
        if (prepared.scheme.equals("HMAC-SHA1")) {
            fields = joined(fields, prepared.oauth);
        }`
                : ''
            }
    }
    return new Signed(prepared.url, headers, encodeForm(fields));
}`,
        encode,
        `private static ${pairsType} joined(
        ${pairsType} one, ${pairsType} other) {
    ${pairsType} all = new ArrayList<>(one);
    all.addAll(other);
    return all;
}

static String minorUnits(String amount) {
    return amount.replace(".", "").replaceAll("^0+", "");
}

static String controlText(List<String> values, String endpointId, String login,
        ${pairsType} fields) {
    Map<String, String> known = new LinkedHashMap<>();
    fields.forEach(pair -> known.put(pair.getKey(), pair.getValue()));
    known.put("endpoint_id", endpointId);
    known.put("login", login);
    known.put("amount", minorUnits(known.getOrDefault("amount", "")));
    return values.stream().map(name -> known.getOrDefault(name, "")).collect(Collectors.joining());
}

static String checksum(String text, String key) throws GeneralSecurityException {
    byte[] digest = MessageDigest.getInstance("SHA-1").digest((text + key).getBytes(StandardCharsets.UTF_8));
    return ${written[encoding]};
}`,
        encoding === 'base64' ? '' : hex,
        baseString,
        `static String hmacSha1(String text, String key) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA1");
    byte[] secret = (${keyForm === 'raw' ? 'key' : 'encode(key)'} + "&").getBytes(StandardCharsets.UTF_8);
    mac.init(new SecretKeySpec(secret, "HmacSHA1"));
    return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
}

static String rsaSha256(String text, PrivateKey key) throws GeneralSecurityException {
    Signature signer = Signature.getInstance("SHA256withRSA");
    signer.initSign(key);
    signer.update(text.getBytes(StandardCharsets.UTF_8));
    return Base64.getEncoder().encodeToString(signer.sign());
}`,
        readPrivateKey,
        readControlKey,
        giveUp,
        `/** The expected values come from openssl. */
static boolean selfTest() throws GeneralSecurityException {
    String key = ${quoted(vectors.key)};
    ${pairsType} pairs = List.of(
${vectors.pairs.map((each) => `        ${pair(each)}`).join(',\n')});
    String text = ${vectors.baseString.map(quoted).join('\n        + ')};
    boolean amounts = ${vectors.amounts
      .map(([amount, minor]) => `minorUnits(${quoted(amount)}).equals(${quoted(minor)})`)
      .join('\n        && ')};
    return amounts
        && checksum(${quoted(vectors.controlText)}, key).equals(${quoted(vectors.control[encoding])})
        && baseString(${quoted(vectors.url)}, pairs).equals(text)
        && hmacSha1(text, key).equals(${quoted(vectors.hmac[keyForm])});
}`,
        `public static void main(String[] args) throws Exception {
    if (Arrays.equals(args, new String[] {"--self-test"})) {
        boolean passed = selfTest();
        System.out.println(passed ? "passed" : "FAILED");
        System.exit(passed ? 0 : 1);
    }
    boolean isRequest = args.length > 0 && args[0].equals("--request");
    if (args.length < 4 || (!isRequest && !args[0].equals("--base-string")) || !OPERATIONS.containsKey(args[1])) {
        throw giveUp("usage: --self-test | "
            + "--base-string or --request, OPERATION, ENDPOINT_ID, LOGIN [NONCE TIMESTAMP]");
    }
    ${pairsType} fields = new ArrayList<>();
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
        String[] parts = line.split("=", 2);
        if (!line.isEmpty()) {
            fields.add(Map.entry(parts[0], parts.length == 1 ? "" : parts[1]));
        }
    }
    String[] words = Arrays.copyOf(args, 6);
    Prepared prepared = prepare(words[1], words[2], words[3], fields, words[4], words[5]);
    if (!isRequest) {
        System.out.write(prepared.baseString.getBytes(StandardCharsets.UTF_8));
        System.out.flush();
        return;
    }
    boolean isRsa = prepared.scheme.equals("RSA-SHA256");
    String controlKey = isRsa || prepared.scheme.equals("none") ? null : readControlKey();
    Signed signed = sign(prepared, controlKey, isRsa ? readPrivateKey() : null);
    System.out.print("POST " + signed.url + " HTTP/1.1\\n");
    signed.headers.forEach((name, value) -> System.out.print(name + ": " + value + "\\n"));
    System.out.print("\\n" + signed.body);
    System.out.flush();
}`,
      ]),
      '}',
    ],
  ]);
}
