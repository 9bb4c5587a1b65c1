import java.math.*;
import java.net.*;
import java.nio.charset.*;
import java.security.MessageDigest;
import java.text.*;
import java.time.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

class Faults extends Client {
  interface Set { void on(Steps s); }
  static Steps st(Set set) { Steps s = new Steps(); set.on(s); return s; }
  static List<Pair> map(List<Pair> l, Function<Pair, Pair> f) { return l.stream().map(f).toList(); }
  static Steps body(UnaryOperator<String> f) { return st(s -> s.pairs = (l, r) -> map(l, p -> p.name().startsWith("oauth_") ? p : new Pair(p.name(), f.apply(p.value())))); }
  static Steps of(String n, UnaryOperator<String> f) { return st(s -> s.pairs = (l, r) -> map(l, p -> p.name().equals(n) ? new Pair(n, f.apply(p.value())) : p)); }
  static Steps enc(UnaryOperator<String> f) { return st(s -> s.encode = f); }
  static Steps uri(Function<Request, String> f) { return st(s -> s.uri = f); }
  static Steps key(UnaryOperator<String> f) { return st(s -> s.key = f); }
  static Steps mac(Bytes f) { return st(s -> s.mac = f); }
  static Steps write(Function<byte[], String> f) { return st(s -> s.write = f); }
  static Steps order(Function<List<Encoded>, List<Encoded>> f) { return st(s -> s.order = f); }
  static Steps by(Comparator<Encoded> c) { return order(l -> l.stream().sorted(c).toList()); }
  static List<Pair> cat(List<Pair>... ls) { List<Pair> out = new ArrayList<>(); for (var l : ls) out.addAll(l); return out; }
  static String form(String t, Charset c) { return URLEncoder.encode(t, c); }
  static String form(String t) { return form(t, StandardCharsets.UTF_8); }
  static URI parsed(Request r) { return URI.create(r.get("written") + (r.get("queryText").isEmpty() ? "" : "?" + r.get("queryText"))); }
  static String b64(byte[] d) { return Base64.getEncoder().encodeToString(d); }
  static String uriOf(String t) { try { return new URI(null, null, "/" + t, null).getRawPath().substring(1); } catch (Exception e) { throw new RuntimeException(e); } }
  static String hexes(byte[] d, Function<Byte, String> f) { StringBuilder s = new StringBuilder(); for (byte b : d) s.append(f.apply(b)); return s.toString(); }
  static byte[] md(String n, byte[] d) throws Exception { return MessageDigest.getInstance(n).digest(d); }
  static byte[] plus(byte[] a, byte[] b) { byte[] o = Arrays.copyOf(a, a.length + b.length); System.arraycopy(b, 0, o, a.length, b.length); return o; }
  static final String E = "space-plus|reserved-characters";
  static Fault f(String c, String e, String w, Steps s) { return new Fault(c, e, w, s); }

  static final List<Fault> oauth = List.of(
    f("encoder", E, "URLEncoder", enc(Faults::form)),
    f("encoder", "reserved-characters", "URLEncoder, plus replaced", enc(t -> form(t).replace("+", "%20"))),
    f("encoder", "reserved-characters", "URLEncoder, plus and star replaced", enc(t -> form(t).replace("+", "%20").replace("*", "%2A"))),
    f("encoder", E, "URLEncoder outside", st(s -> s.outer = Faults::form)),
    f("encoder", "not-utf8|reserved-characters|space-plus", "URLEncoder ISO-8859-1", enc(t -> form(t, StandardCharsets.ISO_8859_1))),
    f("encoder", "not-utf8|reserved-characters|space-plus", "URLEncoder windows-1252", enc(t -> form(t, Charset.forName("windows-1252")))),
    f("encoder", "not-utf8|any", "URLEncoder UTF-16", enc(t -> form(t, StandardCharsets.UTF_16).replace("+", "%20"))),
    f("encoder", "not-utf8|any", "strict over US-ASCII", enc(t -> strict(new String(t.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII)))),
    f("encoder", "reserved-characters|encoded-twice-or-once|not-utf8", "URI.getRawPath", enc(Faults::uriOf)),
    f("encoder", "reserved-characters|encoded-twice-or-once", "URI.toASCIIString", enc(t -> { try { return new URI(null, null, "/" + t, null).toASCIIString().substring(1); } catch (Exception e) { throw new RuntimeException(e); } })),
    f("encoder", "encoded-twice-or-once", "URLEncoder twice", enc(t -> strict(strict(t)))),
    f("encoder", "encoded-twice-or-once", "nothing", enc(t -> t)),
    f("encoder", "encoded-twice-or-once", "String.join", st(s -> s.whole = l -> String.join("&", l))),
    f("encoder", "any", "HTML escaped", body(t -> t.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&#34;").replace("'", "&#39;"))),
    f("encoder", "any", "Jackson escapes", body(t -> t.replace("\\", "\\\\").replace("\"", "\\\""))),
    f("encoder", "not-utf8|any", "Normalizer NFD", body(t -> Normalizer.normalize(t, Normalizer.Form.NFD))),
    f("order", "sort-order", "TreeMap CASE_INSENSITIVE", by(Comparator.comparing(Encoded::name, String.CASE_INSENSITIVE_ORDER))),
    f("order", "sort-order", "insertion order", order(l -> l)),
    f("order", "sort-order", "Collator", by((a, b) -> Collator.getInstance(Locale.US).compare(a.name(), b.name()))),
    f("order", "sort-order", "Collections.sort of joined", by(Comparator.comparing(e -> e.name() + "=" + e.value()))),
    f("order", "sort-order", "plain names", by(Comparator.comparing((Encoded e) -> e.plain().name()).thenComparing(e -> e.plain().value()))),
    f("order", "sort-order", "reverseOrder", by(Comparator.comparing(Encoded::name).thenComparing(Encoded::value).reversed())),
    f("source", "repeated-or-nested-names", "a TreeMap", st(s -> s.pairs = (l, r) -> { var m = new TreeMap<String, String>(); l.forEach(p -> m.put(p.name(), p.value())); return m.entrySet().stream().map(e -> new Pair(e.getKey(), e.getValue())).toList(); })),
    f("source", "repeated-or-nested-names", "putIfAbsent", st(s -> s.pairs = (l, r) -> { var m = new TreeMap<String, String>(); l.forEach(p -> m.putIfAbsent(p.name(), p.value())); return m.entrySet().stream().map(e -> new Pair(e.getKey(), e.getValue())).toList(); })),
    f("source", "repeated-or-nested-names|any", "Arrays.toString of a parameter", st(s -> s.pairs = (l, r) -> { var m = new TreeMap<String, List<String>>(); l.forEach(p -> m.computeIfAbsent(p.name(), n -> new ArrayList<>()).add(p.value())); return m.entrySet().stream().map(e -> new Pair(e.getKey(), e.getValue().size() > 1 ? e.getValue().toString() : e.getValue().get(0))).toList(); })),
    f("source", "repeated-or-nested-names|any", "getParameterMap, each printed", st(s -> s.pairs = (l, r) -> cat(r.list("oauth"), r.list("query"), map(r.list("body"), p -> new Pair(p.name(), List.of(p.value()).toString()))))),
    f("source", "body-left-out", "getInputStream was read", st(s -> s.pairs = (l, r) -> cat(r.list("oauth"), r.list("query")))),
    f("source", "body-left-out|any", "the map by toString", st(s -> s.pairs = (l, r) -> { var m = new LinkedHashMap<String, String>(); r.list("body").forEach(p -> m.put(p.name(), p.value())); return cat(r.list("oauth"), r.list("query"), List.of(new Pair(m.toString(), ""))); })),
    f("source", "query-left-out", "no query", st(s -> s.pairs = (l, r) -> cat(r.list("oauth"), r.list("body")))),
    f("source", "empty-values", "StringUtils.isNotEmpty", st(s -> s.pairs = (l, r) -> l.stream().filter(p -> !p.value().isEmpty()).toList())),
    f("source", "empty-values|any", "String.valueOf null", body(t -> t.isEmpty() ? String.valueOf((Object) null) : t)),
    f("source", "empty-values|any", "Optional.empty", body(t -> t.isEmpty() ? Optional.empty().toString() : t)),
    f("source", "any", "Optional of each", body(t -> Optional.of(t).toString())),
    f("source", "any", "Optional of the amount", of("amount", t -> Optional.of(new BigDecimal(t)).toString())),
    f("source", "any", "Double.toString", of("amount", t -> Double.toString(Double.parseDouble(t)))),
    f("source", "any", "float to double", of("amount", t -> Double.toString((double) Float.parseFloat(t)))),
    f("source", "any", "new BigDecimal(double)", of("amount", t -> new BigDecimal(Double.parseDouble(t)).toString())),
    f("source", "any", "stripTrailingZeros", of("amount", t -> new BigDecimal(t).stripTrailingZeros().toString())),
    f("source", "any", "stripTrailingZeros in full", of("amount", t -> new BigDecimal(t).stripTrailingZeros().toPlainString())),
    f("source", "any", "German format", of("amount", t -> String.format(Locale.GERMANY, "%.2f", new BigDecimal(t)))),
    f("source", "any", "DecimalFormat ¤", of("amount", t -> NumberFormat.getCurrencyInstance(Locale.US).format(new BigDecimal(t)))),
    f("source", "any", "DecimalFormat 0000000.00", of("amount", t -> new DecimalFormat("0000000.00", DecimalFormatSymbols.getInstance(Locale.US)).format(new BigDecimal(t)))),
    f("source", "any", "DecimalFormat #.#", of("amount", t -> new DecimalFormat("#.#", DecimalFormatSymbols.getInstance(Locale.US)).format(new BigDecimal(t)))),
    f("source", "any", "%e", of("amount", t -> String.format(Locale.US, "%e", Double.parseDouble(t)))),
    f("source", "any", "unscaledValue", of("amount", t -> new BigDecimal(t).unscaledValue().toString())),
    f("source", "space-plus|any", "strip", body(String::strip)),
    f("source", "nonce-timestamp", "currentTimeMillis", of("oauth_timestamp", t -> t + "123")),
    f("source", "nonce-timestamp|any", "Instant.toString", of("oauth_timestamp", t -> Instant.ofEpochSecond(Long.parseLong(t)).toString())),
    f("source", "any", "no version", st(s -> s.pairs = (l, r) -> l.stream().filter(p -> !p.name().equals("oauth_version")).toList())),
    f("source", "any", "version 1", of("oauth_version", t -> "1")),
    f("address", "scheme-host-port|query-left-out", "URI.toString", uri(r -> parsed(r).toString())),
    f("address", "scheme-host-port|any", "getPort is -1", uri(r -> { URI u = parsed(r); return u.getScheme() + "://" + u.getHost().toLowerCase() + ":" + u.getPort() + u.getRawPath(); })),
    f("address", "scheme-host-port", "getHost", uri(r -> { URI u = parsed(r); return u.getScheme() + "://" + u.getHost().toLowerCase() + u.getRawPath(); })),
    f("address", "scheme-host-port|encoded-twice-or-once|any", "getPath", uri(r -> { URI u = parsed(r); return u.getScheme() + "://" + u.getAuthority().toLowerCase() + u.getPath(); })),
    f("address", "scheme-host-port|query-left-out|any", "getRequestURI", uri(r -> parsed(r).getRawPath())),
    f("address", "scheme-host-port", "upper-case scheme", uri(r -> r.get("uri").replace("https", "HTTPS"))),
    f("address", "scheme-host-port", "default port 443", uri(r -> r.get("port").isEmpty() ? r.get("uri").replace(r.get("host"), r.get("host") + ":443") : r.get("uri"))),
    f("address", "scheme-host-port|encoded-twice-or-once|any", "toLowerCase", uri(r -> r.get("uri").toLowerCase())),
    f("address", "method", "PUT", st(s -> s.method = m -> "PUT")),
    f("text", "any", "println", st(s -> s.text = t -> t + System.lineSeparator())),
    f("text", "any", "trailing ampersand cut and the last sign", st(s -> s.text = t -> t.substring(0, t.length() - 1))),
    f("key", "signing-key", "raw", key(k -> k + "&")),
    f("key", "signing-key", "null", key(k -> strict(k) + "&" + null)),
    f("key", "signing-key", "no ampersand", key(Client::strict)),
    f("key", "signing-key", "URLEncoder", key(k -> form(k) + "&")),
    f("key", "signing-key", "URLEncoder of all", key(k -> form(k + "&"))),
    f("key", "signing-key", "Arrays.toString of bytes", key(k -> Arrays.toString(k.getBytes(StandardCharsets.UTF_8)) + "&")),
    f("key", "signing-key", "Arrays.toString of chars", key(k -> Arrays.toString(k.toCharArray()) + "&")),
    f("key", "signing-key", "Optional", key(k -> strict(Optional.of(k).toString()) + "&")),
    f("key", "signing-key", "lower case", key(k -> strict(k.toLowerCase()) + "&")),
    f("key", "signing-key", "Base64 of it", key(k -> b64(k.getBytes(StandardCharsets.UTF_8)) + "&")),
    f("key", "signing-key", "UTF-16 bytes", st(s -> s.keyBytes = k -> k.getBytes(StandardCharsets.UTF_16))),
    f("key", "signing-key", "ISO-8859-1, raw", st(s -> { s.key = k -> k + "&"; s.keyBytes = k -> k.getBytes(StandardCharsets.ISO_8859_1); })),
    f("digest", "digest", "HmacSHA256", mac((k, t) -> hmac("HmacSHA256", k, t))),
    f("digest", "digest", "HmacSHA512", mac((k, t) -> hmac("HmacSHA512", k, t))),
    f("digest", "digest", "SHA-1 without a key", mac((k, t) -> md("SHA-1", t))),
    f("digest", "digest|signing-key", "init with the text", mac((k, t) -> hmac("HmacSHA1", t, k))),
    f("digest", "digest|not-utf8", "UTF-16 bytes of the base string", st(s -> s.bytes = t -> t.getBytes(StandardCharsets.UTF_16))),
    f("digest", "digest|any", "doFinal after update of the same", mac((k, t) -> hmac("HmacSHA1", k, plus(t, t)))),
    f("digest", "digest|any", "doFinal without update", mac((k, t) -> hmac("HmacSHA1", k, new byte[0]))),
    f("writing", "digest", "Integer.toHexString, unpadded", write(d -> hexes(d, b -> Integer.toHexString(b & 255)))),
    f("writing", "digest", "Integer.toHexString, signed", write(d -> hexes(d, b -> Integer.toHexString(b)))),
    f("writing", "digest", "printHexBinary", write(d -> HexFormat.of().withUpperCase().formatHex(d))),
    f("writing", "digest", "HexFormat by colons", write(d -> HexFormat.ofDelimiter(":").formatHex(d))),
    f("writing", "digest", "Arrays.toString", write(Arrays::toString)),
    f("writing", "digest", "BigInteger", write(d -> new BigInteger(d).toString(16))),
    f("writing", "digest|any", "BigInteger, decimal", write(d -> new BigInteger(1, d).toString())),
    f("writing", "digest", "new String, then Base64", write(d -> b64(new String(d, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8)))),
    f("writing", "digest", "Base64 of hex", write(d -> b64(HexFormat.of().formatHex(d).getBytes()))),
    f("writing", "digest", "getUrlEncoder", write(d -> Base64.getUrlEncoder().encodeToString(d))),
    f("writing", "digest", "withoutPadding", write(d -> Base64.getEncoder().withoutPadding().encodeToString(d))),
    f("writing", "digest|any", "encode, Arrays.toString", write(d -> Arrays.toString(Base64.getEncoder().encode(d)))),
    f("writing", "digest|any", "Optional", write(d -> Optional.of(b64(d)).toString())),
    f("writing", "digest|header-not-encoded|any", "URLEncoder", write(d -> form(b64(d)))),
    f("writing", "digest|any", "blank for plus", write(d -> URLDecoder.decode(b64(d), StandardCharsets.UTF_8)))
  );

  static Steps all(UnaryOperator<String> f) { return st(s -> s.pairs = (l, r) -> map(l, p -> new Pair(p.name(), f.apply(p.value())))); }
  static BigDecimal dec(String t) { return new BigDecimal(t).movePointLeft(2); }
  static Steps money(Function<BigDecimal, String> f) { return of("amount", t -> f.apply(dec(t))); }
  static Steps con(BiFunction<List<String>, String, String> f) { return st(s -> s.concat = f); }
  static List<String> with(List<String> l, String k) { var out = new ArrayList<>(l); out.add(k); return out; }

  static final List<Fault> control = List.of(
    f("join", "order|any", "List.toString", con((l, k) -> l + k)),
    f("join", "order|any", "List.toString with the key", con((l, k) -> with(l, k).toString())),
    f("join", "order", "String.join comma", con((l, k) -> String.join(", ", with(l, k)))),
    f("join", "order", "String.join hyphen", con((l, k) -> String.join("-", with(l, k)))),
    f("join", "order|any", "println of each", con((l, k) -> with(l, k).stream().map(t -> t + "\n").collect(Collectors.joining()))),
    f("join", "order", "sorted", con((l, k) -> l.stream().sorted().collect(Collectors.joining()) + k)),
    f("join", "order", "key first", con((l, k) -> k + String.join("", l))),
    f("join", "order|any", "the map by toString", st(s -> s.pairs = (l, r) -> { var m = new LinkedHashMap<String, String>(); l.forEach(p -> m.put(p.name(), p.value())); return List.of(new Pair("", m.toString())); })),
    f("join", "order|any", "a record by toString", st(s -> s.pairs = (l, r) -> List.of(new Pair("", "Request[" + l.stream().map(p -> p.name() + "=" + p.value()).collect(Collectors.joining(", ")) + "]")))),
    f("value", "decimal-amount", "BigDecimal", money(BigDecimal::toString)),
    f("value", "decimal-amount", "doubleValue", money(d -> String.valueOf(d.doubleValue()))),
    f("value", "decimal-amount", "stripTrailingZeros", money(d -> d.stripTrailingZeros().toString())),
    f("value", "decimal-amount", "stripTrailingZeros of cents", of("amount", t -> new BigDecimal(t).stripTrailingZeros().toString())),
    f("value", "decimal-amount", "double of cents", of("amount", t -> String.valueOf(Double.parseDouble(t)))),
    f("value", "decimal-amount", "%,.2f", money(d -> String.format(Locale.US, "%,.2f", d))),
    f("value", "decimal-amount", "%,.2f German", money(d -> String.format(Locale.GERMANY, "%,.2f", d))),
    f("value", "decimal-amount", "French", money(d -> NumberFormat.getInstance(Locale.FRANCE).format(d))),
    f("value", "decimal-amount", "%012d", of("amount", t -> String.format("%012d", Long.parseLong(t)))),
    f("value", "decimal-amount", "%.4f", money(d -> String.format(Locale.US, "%.4f", d))),
    f("value", "decimal-amount", "setScale(0)", money(d -> d.setScale(0, RoundingMode.HALF_UP).toString())),
    f("value", "decimal-amount", "setScale(1)", money(d -> d.setScale(1, RoundingMode.HALF_UP).toString())),
    f("value", "decimal-amount", "currency instance", money(d -> NumberFormat.getCurrencyInstance(Locale.US).format(d))),
    f("value", "decimal-amount|any", "Optional", of("amount", t -> Optional.of(t).toString())),
    f("value", "decimal-amount|any", "OptionalInt", of("amount", t -> OptionalInt.of(Integer.parseInt(t)).toString())),
    f("value", "orderid-text|any", "null", all(t -> t.isEmpty() ? null + "" : t)),
    f("value", "orderid-text|any", "Long.parseLong", of("orderId", t -> t.isEmpty() ? "0" : String.valueOf(Long.parseLong(t)))),
    f("value", "orderid-text|any", "Optional.empty", all(t -> t.isEmpty() ? Optional.empty().toString() : t)),
    f("value", "any", "trim", all(String::trim)),
    f("value", "any", "toUpperCase", all(t -> t.toUpperCase(Locale.ROOT))),
    f("value", "charset|any", "URLEncoder", all(Faults::form)),
    f("value", "charset|any", "URI", all(Faults::uriOf)),
    f("value", "missing-email|any", "e-mail encoded", of("email", Faults::form)),
    f("value", "any", "single quotes", all(t -> "'" + t + "'")),
    f("value", "endpoint-login|any", "names exchanged", st(s -> s.pairs = (l, r) -> map(l, p -> p.name().equals("login") ? new Pair("e", r.list("all").stream().filter(a -> a.name().equals("endpointId")).findFirst().get().value()) : p))),
    f("key", "key-whitespace|any", "readAllBytes", key(k -> k + "\n")),
    f("key", "key-whitespace|any", "blank", key(k -> k + " ")),
    f("key", "upper-case|other-key|any", "UUID.toString", key(k -> UUID.fromString(k).toString())),
    f("key", "other-key|any", "without dashes", key(k -> k.replace("-", ""))),
    f("key", "other-key|any", "Arrays.toString", key(k -> Arrays.toString(k.toCharArray()))),
    f("key", "other-key|any", "null", key(k -> "null")),
    f("key", "other-key|any", "Optional", key(k -> Optional.of(k).toString())),
    f("bytes", "charset", "ISO-8859-1", st(s -> s.bytes = t -> t.getBytes(StandardCharsets.ISO_8859_1))),
    f("bytes", "charset", "UTF-16", st(s -> s.bytes = t -> t.getBytes(StandardCharsets.UTF_16))),
    f("bytes", "charset", "UTF-16LE", st(s -> s.bytes = t -> t.getBytes(StandardCharsets.UTF_16LE))),
    f("bytes", "charset", "US-ASCII", st(s -> s.bytes = t -> t.getBytes(StandardCharsets.US_ASCII))),
    f("hash", "digest|other-key|any", "HMAC", mac((k, t) -> hmac("HmacSHA1", k, Arrays.copyOf(t, t.length - k.length)))),
    f("hash", "digest", "SHA-256", mac((k, t) -> md("SHA-256", t))),
    f("hash", "digest", "MD5", mac((k, t) -> md("MD5", t))),
    f("hash", "digest|any", "digest called twice", mac((k, t) -> md("SHA-1", new byte[0]))),
    f("writing", "upper-case", "%040X", write(d -> String.format("%040X", new BigInteger(1, d)))),
    f("writing", "base64", "Base64", write(Faults::b64)),
    f("writing", "digest|any", "toHexString unpadded", write(d -> hexes(d, b -> Integer.toHexString(b & 255)))),
    f("writing", "digest|any", "toHexString signed", write(d -> hexes(d, b -> Integer.toHexString(b)))),
    f("writing", "digest|any", "BigInteger signed", write(d -> new BigInteger(d).toString(16))),
    f("writing", "digest|any", "Arrays.toString", write(Arrays::toString)),
    f("writing", "digest|any", "toBinaryString", write(d -> hexes(d, b -> Integer.toBinaryString(b & 255))))
  );

  public static void main(String[] args) throws Exception { run(oauth, control); }
}
