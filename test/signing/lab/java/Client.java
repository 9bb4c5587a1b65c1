import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs each request under each fault of a table, and under pairs of them. Reads lines, writes JSON. */
class Client {
  record Pair(String name, String value) {}

  record Encoded(String name, String value, Pair plain) {}

  static class Request {
    final Map<String, String> text = new LinkedHashMap<>();
    final Map<String, List<Pair>> pairs = new LinkedHashMap<>();

    String get(String name) {
      return text.get(name);
    }

    List<Pair> list(String name) {
      return pairs.getOrDefault(name, List.of());
    }
  }

  interface Bytes {
    byte[] of(byte[] key, byte[] data) throws Exception;
  }

  interface Data {
    byte[] of(String text) throws Exception;
  }

  /** What a client does otherwise at one or more steps. */
  static class Steps implements Cloneable {
    BiFunction<List<Pair>, Request, List<Pair>> pairs;
    UnaryOperator<String> encode;
    Function<List<Encoded>, List<Encoded>> order;
    Function<List<Encoded>, String> join;
    UnaryOperator<String> method;
    Function<Request, String> uri;
    UnaryOperator<String> outer;
    Function<String[], String> whole;
    UnaryOperator<String> text;
    UnaryOperator<String> key;
    Data keyBytes;
    Data bytes;
    Bytes mac;
    Function<byte[], String> write;
    BiFunction<List<String>, String, String> concat;
  }

  record Fault(String channel, String expected, String what, Steps steps) {}

  static String strict(String text) {
    StringBuilder out = new StringBuilder();
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      boolean isFree = each > 0 && (Character.isLetterOrDigit(each) || "-._~".indexOf(each) >= 0);
      out.append(isFree ? String.valueOf((char) each) : String.format("%%%02X", each));
    }
    return out.toString();
  }

  static byte[] hmac(String name, byte[] key, byte[] data) throws Exception {
    Mac mac = Mac.getInstance(name);
    mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, name));
    return mac.doFinal(data);
  }

  static <T> T or(T step, T usual) {
    return step == null ? usual : step;
  }

  static String baseString(Request r, Steps f) {
    List<Pair> pairs = new ArrayList<>(r.list("oauth"));
    pairs.addAll(r.list("query"));
    pairs.addAll(r.list("body"));
    if (f.pairs != null) pairs = f.pairs.apply(pairs, r);
    UnaryOperator<String> encode = or(f.encode, Client::strict);
    List<Encoded> encoded = new ArrayList<>();
    for (Pair p : pairs) encoded.add(new Encoded(encode.apply(p.name()), encode.apply(p.value()), p));
    if (f.order == null) encoded.sort(Comparator.comparing(Encoded::name).thenComparing(Encoded::value));
    else encoded = f.order.apply(encoded);
    String parameters = f.join != null
        ? f.join.apply(encoded)
        : encoded.stream().map(e -> e.name() + "=" + e.value()).collect(Collectors.joining("&"));
    String method = or(f.method, UnaryOperator.<String>identity()).apply(r.get("method"));
    String uri = f.uri == null ? r.get("uri") : f.uri.apply(r);
    if (f.whole != null) return f.whole.apply(new String[] {method, uri, parameters});
    UnaryOperator<String> outer = or(f.outer, Client::strict);
    String text = outer.apply(method) + "&" + outer.apply(uri) + "&" + outer.apply(parameters);
    return or(f.text, UnaryOperator.<String>identity()).apply(text);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String sign(Request r, Steps f) throws Exception {
    String key = f.key == null ? strict(r.get("secret")) + "&" : f.key.apply(r.get("secret"));
    byte[] data = or(f.bytes, Client::utf8).of(baseString(r, f));
    byte[] digest = or(f.mac, (k, t) -> hmac("HmacSHA1", k, t)).of(or(f.keyBytes, Client::utf8).of(key), data);
    return or(f.write, Base64.getEncoder()::encodeToString).apply(digest);
  }

  static String checksum(Request r, Steps f) throws Exception {
    List<Pair> values = r.list("values");
    if (f.pairs != null) values = f.pairs.apply(values, r);
    List<String> texts = values.stream().map(Pair::value).toList();
    String key = or(f.key, UnaryOperator.<String>identity()).apply(r.get("key"));
    String whole = f.concat == null ? String.join("", texts) + key : f.concat.apply(texts, key);
    byte[] data = or(f.bytes, Client::utf8).of(whole);
    byte[] digest = f.mac == null
        ? java.security.MessageDigest.getInstance("SHA-1").digest(data)
        : f.mac.of(utf8(key), data);
    return or(f.write, HexFormat.of()::formatHex).apply(digest);
  }

  interface Make {
    String of(Request request, Steps steps) throws Exception;
  }

  /** Both, unless a step is changed by each of them. */
  static Steps merged(Steps a, Steps b) throws Exception {
    Steps both = new Steps();
    for (Field field : Steps.class.getDeclaredFields()) {
      Object one = field.get(a), other = field.get(b);
      if (one != null && other != null) return null;
      field.set(both, one == null ? other : one);
    }
    return both;
  }

  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray())
      out.append(c == '"' || c == '\\' ? "\\" + c : c < 32 ? String.format("\\u%04x", (int) c) : String.valueOf(c));
    return out.append('"').toString();
  }

  static String one(int at, Request r, String value, Steps f, boolean isOauth, Fault... faults) {
    Function<Function<Fault, String>, String> list =
        part -> Arrays.stream(faults).map(part).map(Client::quoted).collect(Collectors.joining(","));
    boolean isBase = isOauth && f.key == null && f.keyBytes == null && f.bytes == null && f.mac == null && f.write == null;
    return "{\"request\":" + at + ",\"channels\":[" + list.apply(Fault::channel) + "],\"expected\":["
        + list.apply(Fault::expected) + "],\"what\":[" + list.apply(Fault::what) + "],\"value\":" + quoted(value)
        + (isBase ? ",\"base\":" + quoted(baseString(r, f)) : "") + "}";
  }

  static String made(List<Request> requests, List<Fault> table, Make make, boolean isOauth) throws Exception {
    List<String> out = new ArrayList<>();
    for (int at = 0; at < requests.size(); at++) {
      Request r = requests.get(at);
      String right = make.of(r, new Steps());
      List<String> alone = new ArrayList<>();
      for (Fault f : table) {
        String value = make.of(r, f.steps());
        alone.add(value);
        if (!value.equals(right)) out.add(one(at, r, value, f.steps(), isOauth, f));
      }
      for (int i = 0; i < table.size(); i++)
        for (int j = i + 1; j < table.size(); j++) {
          Fault a = table.get(i), b = table.get(j);
          Steps steps = merged(a.steps(), b.steps());
          if (steps == null || a.channel().equals(b.channel())) continue;
          if (alone.get(i).equals(right) || alone.get(j).equals(right)) continue;
          String value = make.of(r, steps);
          if (List.of(right, alone.get(i), alone.get(j)).contains(value)) continue;
          out.add(one(at, r, value, steps, isOauth, a, b));
        }
    }
    return "[" + String.join(",", out) + "]";
  }

  /** Lines of words, each in Base64: what a request is, a text of it, or a pair of one of its lists. */
  static void run(List<Fault> oauth, List<Fault> control) throws Exception {
    Map<String, List<Request>> given = Map.of("oauth", new ArrayList<>(), "control", new ArrayList<>());
    Request last = null;
    for (String line : new String(System.in.readAllBytes(), StandardCharsets.US_ASCII).split("\n")) {
      String[] word = Arrays.stream(line.split(" ", -1))
          .map(each -> new String(Base64.getDecoder().decode(each), StandardCharsets.UTF_8)).toArray(String[]::new);
      if (word.length == 1) given.get(word[0]).add(last = new Request());
      else if (word.length == 2) last.text.put(word[0], word[1]);
      else last.pairs.computeIfAbsent(word[0], name -> new ArrayList<>()).add(new Pair(word[1], word[2]));
    }
    String text = "{\"oauth\":" + made(given.get("oauth"), oauth, Client::sign, true)
        + ",\"control\":" + made(given.get("control"), control, Client::checksum, false) + "}";
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(text);
  }
}
