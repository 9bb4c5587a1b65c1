import type { ControlEncoding } from '../../../../signing/index.js';
import { giveUp, hex, readControlKey } from '../../sign/code/java.js';
import { paragraphs } from '../../sign/code/plan.js';
import { indented } from '../../sign/code/program-parts.js';
import { duties, inside, introduction } from './introduction.js';

const digests: Readonly<Record<ControlEncoding, readonly [given: string, digest: string]>> = {
  'hex-lower': ['control.toLowerCase(Locale.ROOT)', 'hex(digest)'],
  'hex-upper': ['control.toLowerCase(Locale.ROOT)', 'hex(digest)'],
  base64: ['control', 'Base64.getEncoder().encodeToString(digest)'],
};

/** A Java handler on the server of the JDK. */
export function javaHandler(encoding: ControlEncoding, run: string): string {
  const [given, digest] = digests[encoding];
  const imports = [
    ...['com.sun.net.httpserver.HttpExchange', 'com.sun.net.httpserver.HttpServer', 'java.io.IOException'],
    ...['java.net.InetSocketAddress', 'java.net.URLDecoder', 'java.nio.charset.StandardCharsets'],
    ...['java.nio.file.Files', 'java.nio.file.Path', 'java.security.MessageDigest'],
    ...['java.security.NoSuchAlgorithmException', 'java.util.ArrayList', 'java.util.List'],
    ...(encoding === 'base64' ? ['java.util.Base64'] : ['java.util.Locale']),
  ];
  return paragraphs([
    introduction('//', 'Java 11 or later', run),
    imports.sort().map((name) => `import ${name};`),
    [
      'public final class Callback {',
      indented([
        `public static void main(String[] args) throws IOException {
    String key = readControlKey();
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
        try {
            List<String> callback = verifyCallback(queryOf(exchange), key);
            if (callback != null) {
                handle(callback.get(0), callback.get(1), callback.get(2));
            }
            answer(exchange, callback == null ? 403 : 200, callback == null ? "refused\\n" : "OK\\n");
        } catch (RuntimeException | NoSuchAlgorithmException error) {
            error.printStackTrace();
            answer(exchange, 500, "");
        }
    });
    server.start();
}`,
        `/** Status and both ids of a callback; null when it is not signed by this key. */
static List<String> verifyCallback(String query, String key) throws NoSuchAlgorithmException {
    List<String> texts = new ArrayList<>();
    for (String name : List.of("status", "orderid", "client_orderid", "control")) {
        String value = singleValue(query, name);
        if (value.isEmpty()) {
            return null;
        }
        texts.add(value);
    }
    String control = texts.remove(3);
    byte[] text = (String.join("", texts) + key).getBytes(StandardCharsets.UTF_8);
    byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
    byte[] expected = ${digest}.getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(expected, ${given}.getBytes(StandardCharsets.UTF_8)) ? texts : null;
}`,
        `/** The one value of a field; an empty string when it is missing or was sent more than once. */
private static String singleValue(String query, String name) {
    List<String> values = new ArrayList<>();
    for (String pair : query.split("&")) {
        String[] parts = pair.split("=", 2);
        try {
            if (URLDecoder.decode(parts[0], StandardCharsets.UTF_8).equals(name)) {
                values.add(parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
            }
        } catch (IllegalArgumentException error) {
            return "";
        }
    }
    return values.size() == 1 ? values.get(0) : "";
}`,
        `private static void handle(String status, String orderId, String clientOrderId) {
${inside('    ', duties('//'))}
    System.out.println("verified: " + status + ", order " + orderId + " (" + clientOrderId + ")");
}`,
        `private static String queryOf(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("POST")) {
        return new String(exchange.getRequestBody().readNBytes(65536), StandardCharsets.US_ASCII);
    }
    String query = exchange.getRequestURI().getRawQuery();
    return query == null ? "" : query;
}`,
        `private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
}`,
        encoding === 'base64' ? '' : hex,
        readControlKey,
        giveUp,
      ]),
      '}',
    ],
  ]);
}
