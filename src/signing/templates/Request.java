// {{#introduction}}
// {{{.}}}
// {{/introduction}}

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
// {{#usesKey}}
import java.nio.file.Files;
import java.nio.file.Path;
// {{/usesKey}}
// {{#control}}
import java.security.MessageDigest;
// {{/control}}
// {{#rsa}}
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
// {{/rsa}}
// {{#oauth}}
import java.security.SecureRandom;
import java.time.Instant;
// {{/oauth}}
import java.time.Duration;
import java.util.ArrayList;
// {{#usesBase64}}
import java.util.Base64;
// {{/usesBase64}}
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
// {{#hmac}}
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
// {{/hmac}}

public final class Request {
    public static void main(String[] args) throws Exception {
        // {{#usesLogin}}
        String login = "{{login}}";
        // {{/usesLogin}}
        String endpointId = "{{endpointId}}";
        String url = "{{address}}" + endpointId;

        List<Map.Entry<String, String>> fields = new ArrayList<>();
        // {{#fields}}
        // {{^isAsked}}
        fields.add(Map.entry("{{wire}}", "{{text}}"));
        // {{/isAsked}}
        // {{#isAsked}}
        fields.add(Map.entry("{{wire}}", fromEnvironment("{{variable}}")));
        // {{/isAsked}}
        // {{/fields}}

        Map<String, String> headers = new LinkedHashMap<>();
        // {{#headers}}
        headers.put("{{name}}", "{{value}}");
        // {{/headers}}
        // {{#control}}

        // SHA-1 over these values without separators; one that is not sent is empty.
        String checked = ""
            // {{#slots}}
            // {{#isEndpoint}}
            + endpointId
            // {{/isEndpoint}}
            // {{#isLogin}}
            + login
            // {{/isLogin}}
            // {{#minor}}
            + "{{minor}}" // the amount in minor units
            // {{/minor}}
            // {{#field}}
            + value(fields, "{{field}}")
            // {{/field}}
            // {{/slots}}
            + readControlKey();
        byte[] digest = MessageDigest.getInstance("SHA-1").digest(checked.getBytes(StandardCharsets.UTF_8));
        // {{#hexLower}}
        fields.add(Map.entry("control", hex(digest)));
        // {{/hexLower}}
        // {{#hexUpper}}
        fields.add(Map.entry("control", hex(digest).toUpperCase()));
        // {{/hexUpper}}
        // {{#base64}}
        fields.add(Map.entry("control", Base64.getEncoder().encodeToString(digest)));
        // {{/base64}}
        // {{/control}}
        // {{#oauth}}

        byte[] nonce = new byte[18];
        new SecureRandom().nextBytes(nonce);
        List<Map.Entry<String, String>> oauth = List.of(
            Map.entry("oauth_consumer_key", login),
            Map.entry("oauth_nonce", Base64.getUrlEncoder().encodeToString(nonce)),
            Map.entry("oauth_signature_method", "{{method}}"),
            Map.entry("oauth_timestamp", String.valueOf(Instant.now().getEpochSecond())),
            Map.entry("oauth_version", "1.0"));
        List<Map.Entry<String, String>> signed = new ArrayList<>(fields);
        signed.addAll(oauth);
        byte[] signature = sign(baseString(url, signed).getBytes(StandardCharsets.UTF_8));
        List<Map.Entry<String, String>> header = new ArrayList<>(oauth);
        header.add(Map.entry("oauth_signature", Base64.getEncoder().encodeToString(signature)));
        headers.put("Authorization", header.stream()
            .map(pair -> pair.getKey() + "=\"" + encode(pair.getValue()) + "\"")
            .collect(Collectors.joining(", ", "OAuth ", "")));
        // {{#inBody}}
        fields.addAll(oauth);
        // {{/inBody}}
        // {{/oauth}}

        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
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
        System.exit(reply.statusCode() == 200 ? 0 : 1);
    }

    // {{#asks}}
    private static String fromEnvironment(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) {
            throw giveUp(name + " must be set");
        }
        return value;
    }

    // {{/asks}}
    // Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986); URLEncoder alone does not.
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
            .replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
    }

    private static String encodeForm(List<Map.Entry<String, String>> pairs) {
        return pairs.stream()
            .map(pair -> encode(pair.getKey()) + "=" + encode(pair.getValue()))
            .collect(Collectors.joining("&"));
    }
    // {{#control}}

    private static String value(List<Map.Entry<String, String>> fields, String name) {
        return fields.stream().filter(pair -> pair.getKey().equals(name)).findFirst().map(Map.Entry::getValue).orElse("");
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            text.append(String.format("%02x", each));
        }
        return text.toString();
    }
    // {{/control}}
    // {{#oauth}}

    // RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
    private static String baseString(String url, List<Map.Entry<String, String>> pairs) {
        String parameters = pairs.stream()
            .map(pair -> Map.entry(encode(pair.getKey()), encode(pair.getValue())))
            .sorted(Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
            .map(pair -> pair.getKey() + "=" + pair.getValue())
            .collect(Collectors.joining("&"));
        return "POST&" + encode(url) + "&" + encode(parameters);
    }

    private static byte[] sign(byte[] text) throws Exception {
        byte[] signature = {};
        // {{#hmac}}
        String secret = encode(readControlKey());
        // {{#rawKey}}
        secret = readControlKey();
        // {{/rawKey}}
        Mac mac = Mac.getInstance("HmacSHA1");
        mac.init(new SecretKeySpec((secret + "&").getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
        signature = mac.doFinal(text);
        // {{/hmac}}
        // {{#rsa}}
        Signature signer = Signature.getInstance("SHA256withRSA");
        signer.initSign(readPrivateKey());
        signer.update(text);
        signature = signer.sign();
        // {{/rsa}}
        return signature;
    }
    // {{/oauth}}
    // {{#controlKey}}

    private static String readControlKey() throws Exception {
        String file = System.getenv().getOrDefault("CONTROL_KEY_FILE", "");
        String key = file.isEmpty()
            ? System.getenv().getOrDefault("CONTROL_KEY", "")
            : new String(Files.readAllBytes(Path.of(file)), StandardCharsets.UTF_8).replaceAll("[\\r\\n]+$", "");
        if (key.isEmpty()) {
            throw giveUp("CONTROL_KEY_FILE must name the file with the merchant control key");
        }
        if (key.indexOf('\ufffd') != -1) {
            throw giveUp("the key is not UTF-8, or CONTROL_KEY is not in the locale of this machine; use CONTROL_KEY_FILE");
        }
        return key;
    }
    // {{/controlKey}}
    // {{#rsa}}

    private static PrivateKey readPrivateKey() {
        try {
            String pem = Files.readString(Path.of(System.getenv().getOrDefault("PRIVATE_KEY_FILE", "")));
            byte[] der = Base64.getDecoder().decode(pem.replaceAll("-----[A-Z ]+-----|\\s", ""));
            return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
        } catch (Exception error) {
            throw giveUp("PRIVATE_KEY_FILE must name the PEM file with the RSA private key in PKCS#8 (BEGIN PRIVATE KEY)");
        }
    }
    // {{/rsa}}
    // {{#usesEnvironment}}

    private static IllegalStateException giveUp(String why) {
        System.err.println(why);
        System.exit(2);
        return new IllegalStateException(why);
    }
    // {{/usesEnvironment}}
}
