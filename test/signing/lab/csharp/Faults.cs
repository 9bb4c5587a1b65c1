using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Web;

class Faults : Client {
  static Steps Each(Func<Pair, Pair> f) { return new Steps { Pairs = (l, r) => l.Select(f) }; }
  static Steps Body(Func<string, string> f) { return Each(p => p.Name.StartsWith("oauth_") ? p : new Pair(p.Name, f(p.Value))); }
  static Steps Of(string n, Func<string, string> f) { return Each(p => p.Name == n ? new Pair(n, f(p.Value)) : p); }
  static Steps Enc(Func<string, string> f) { return new Steps { Encode = f }; }
  static Steps U(Func<Request, string> f) { return new Steps { Uri = f }; }
  static Steps K(Func<string, string> f) { return new Steps { Key = f }; }
  static Steps M(Func<byte[], byte[], byte[]> f) { return new Steps { Mac = f }; }
  static Steps W(Func<byte[], string> f) { return new Steps { Write = f }; }
  static Steps O(Func<IEnumerable<Encoded>, IEnumerable<Encoded>> f) { return new Steps { Order = f }; }
  static Uri Parsed(Request r) { return new Uri(r["written"] + (r["queryText"] == "" ? "" : "?" + r["queryText"])); }
  static CultureInfo De = new CultureInfo("de-DE"), Us = new CultureInfo("en-US"), Inv = CultureInfo.InvariantCulture;
  static decimal D(string t) { return decimal.Parse(t, Inv); }
  static string B(byte[] d) { return Convert.ToBase64String(d); }
  static byte[] A(string t) { return Encoding.ASCII.GetBytes(t); }
  static Fault F(string c, string e, string w, Steps s) { return new Fault(c, e, w, s); }
  const string E = "space-plus|reserved-characters";
  static Encoding Latin = Encoding.GetEncoding("ISO-8859-1");

  static Fault[] oauth = {
    F("encoder", E, "HttpUtility.UrlEncode", Enc(HttpUtility.UrlEncode)),
    F("encoder", E, "HttpUtility.UrlEncode, plus replaced", Enc(t => HttpUtility.UrlEncode(t).Replace("+", "%20"))),
    F("encoder", E, "HttpUtility.UrlEncode to upper", Enc(t => HttpUtility.UrlEncode(t).ToUpper())),
    F("encoder", E, "HttpUtility.UrlEncode outside", new Steps { Outer = HttpUtility.UrlEncode }),
    F("encoder", "any", "HttpUtility.UrlPathEncode", Enc(HttpUtility.UrlPathEncode)),
    F("encoder", E, "WebUtility.UrlEncode", Enc(WebUtility.UrlEncode)),
    F("encoder", "reserved-characters", "WebUtility.UrlEncode, plus replaced", Enc(t => WebUtility.UrlEncode(t).Replace("+", "%20"))),
    F("encoder", "reserved-characters|encoded-twice-or-once", "Uri.EscapeUriString", Enc(Uri.EscapeUriString)),
    F("encoder", "reserved-characters", "Uri.EscapeDataString of .NET 4", Enc(t => Uri.EscapeDataString(t).Replace("%21", "!").Replace("%2A", "*").Replace("%27", "'").Replace("%28", "(").Replace("%29", ")"))),
    F("encoder", "not-utf8|space-plus|reserved-characters", "UrlEncode with Latin-1", Enc(t => HttpUtility.UrlEncode(t, Latin))),
    F("encoder", "not-utf8|any", "UrlEncodeUnicode", Enc(t => HttpUtility.UrlEncodeUnicode(t))),
    F("encoder", "any", "HtmlEncode", Body(HttpUtility.HtmlEncode)),
    F("encoder", "any", "WebUtility.HtmlEncode", Body(WebUtility.HtmlEncode)),
    F("encoder", "any", "JavaScriptStringEncode", Body(HttpUtility.JavaScriptStringEncode)),
    F("encoder", "encoded-twice-or-once", "EscapeDataString twice", Enc(t => Strict(Strict(t)))),
    F("encoder", "encoded-twice-or-once", "nothing", Enc(t => t)),
    F("encoder", "encoded-twice-or-once", "string.Format", new Steps { Whole = l => string.Format("{0}&{1}&{2}", l[0], l[1], l[2]) }),
    F("encoder", "encoded-twice-or-once", "only the address", new Steps { Whole = l => string.Format("{0}&{1}&{2}", l[0], Strict(l[1]), l[2]) }),
    F("encoder", "not-utf8|any", "Encoding.ASCII", Enc(t => Strict(Encoding.ASCII.GetString(A(t))))),
    F("order", "sort-order", "StringComparer.OrdinalIgnoreCase", O(l => l.OrderBy(e => e.Name, StringComparer.OrdinalIgnoreCase))),
    F("order", "sort-order", "NameValueCollection", O(l => l)),
    F("order", "sort-order", "OrderBy of joined", O(l => l.OrderBy(e => e.Name + "=" + e.Value, StringComparer.Ordinal))),
    F("order", "sort-order", "OrderByDescending", O(l => l.OrderByDescending(e => e.Name, StringComparer.Ordinal))),
    F("order", "sort-order", "before encoding", O(l => l.OrderBy(e => e.Plain.Name, StringComparer.Ordinal).ThenBy(e => e.Plain.Value, StringComparer.Ordinal))),
    F("source", "repeated-or-nested-names", "a Dictionary", new Steps { Pairs = (l, r) => l.GroupBy(p => p.Name).Select(g => g.Last()) }),
    F("source", "repeated-or-nested-names|any", "NameValueCollection joins by commas", new Steps { Pairs = (l, r) => l.GroupBy(p => p.Name).Select(g => new Pair(g.Key, string.Join(",", g.Select(p => p.Value)))) }),
    F("source", "repeated-or-nested-names|any", "a string[] by ToString", new Steps { Pairs = (l, r) => l.GroupBy(p => p.Name).Select(g => new Pair(g.Key, g.Count() > 1 ? g.Select(p => p.Value).ToArray().ToString() : g.First().Value)) }),
    F("source", "repeated-or-nested-names|any", "a List by ToString", new Steps { Pairs = (l, r) => l.GroupBy(p => p.Name).Select(g => new Pair(g.Key, g.Count() > 1 ? g.Select(p => p.Value).ToList().ToString() : g.First().Value)) }),
    F("source", "body-left-out|any", "KeyValuePair by ToString", new Steps { Pairs = (l, r) => r.List("oauth").Concat(r.List("query")).Concat(r.List("body").Select(p => new Pair(new KeyValuePair<string, string>(p.Name, p.Value).ToString(), ""))) }),
    F("source", "body-left-out", "Request.Form not read", new Steps { Pairs = (l, r) => r.List("oauth").Concat(r.List("query")) }),
    F("source", "query-left-out", "QueryString not read", new Steps { Pairs = (l, r) => r.List("oauth").Concat(r.List("body")) }),
    F("source", "empty-values", "IsNullOrEmpty", new Steps { Pairs = (l, r) => l.Where(p => !string.IsNullOrEmpty(p.Value)) }),
    F("source", "empty-values|any", "null as text", Body(t => t == "" ? "null" : t)),
    F("source", "empty-values|any", "DBNull as braces", Body(t => t == "" ? "{}" : t)),
    F("source", "any", "amount G29", Of("amount", t => D(t).ToString("G29", Inv))),
    F("source", "any", "amount in German", Of("amount", t => D(t).ToString(De))),
    F("source", "any", "amount C", Of("amount", t => D(t).ToString("C", Us))),
    F("source", "any", "amount F4", Of("amount", t => D(t).ToString("F4", Inv))),
    F("source", "any", "amount F0", Of("amount", t => D(t).ToString("F0", Inv))),
    F("source", "any", "amount E", Of("amount", t => double.Parse(t, Inv).ToString("E", Inv))),
    F("source", "any", "amount 000000.00", Of("amount", t => D(t).ToString("000000.00", Inv))),
    F("source", "any", "amount R of float", Of("amount", t => ((double) float.Parse(t, Inv)).ToString("R", Inv))),
    F("source", "any", "amount P", Of("amount", t => D(t).ToString("P", Inv))),
    F("source", "any", "amount times 100m", Of("amount", t => (D(t) * 100m).ToString(Inv))),
    F("source", "space-plus|any", "Trim", Body(t => t.Trim())),
    F("source", "any", "ToLowerInvariant", Body(t => t.ToLowerInvariant())),
    F("source", "nonce-timestamp|any", "TotalSeconds", Of("oauth_timestamp", t => t + ".1234567")),
    F("source", "nonce-timestamp|any", "Ticks", Of("oauth_timestamp", t => new DateTime(1970, 1, 1).AddSeconds(double.Parse(t)).Ticks.ToString())),
    F("source", "any", "no version", new Steps { Pairs = (l, r) => l.Where(p => p.Name != "oauth_version") }),
    F("source", "any", "a token of null", new Steps { Pairs = (l, r) => l.Concat(new[] { new Pair("oauth_token", "") }) }),
    F("source", "any", "signature key empty", new Steps { Pairs = (l, r) => l.Concat(new[] { new Pair("oauth_signature", "") }) }),
    F("source", "any", "callback oob", new Steps { Pairs = (l, r) => l.Concat(new[] { new Pair("oauth_callback", "oob") }) }),
    F("address", "scheme-host-port|query-left-out", "Uri.ToString", U(r => Parsed(r).ToString())),
    F("address", "scheme-host-port|query-left-out", "Uri.AbsoluteUri", U(r => Parsed(r).AbsoluteUri)),
    F("address", "scheme-host-port|any", "UriBuilder.ToString", U(r => new UriBuilder(Parsed(r)) { Query = "" }.ToString())),
    F("address", "scheme-host-port", "Host and AbsolutePath", U(r => "https://" + Parsed(r).Host + Parsed(r).AbsolutePath)),
    F("address", "scheme-host-port|query-left-out|any", "PathAndQuery", U(r => Parsed(r).PathAndQuery)),
    F("address", "scheme-host-port", "AbsolutePath", U(r => Parsed(r).AbsolutePath)),
    F("address", "scheme-host-port", "TrimEnd", U(r => r["uri"].TrimEnd('/'))),
    F("address", "scheme-host-port", "http", U(r => r["uri"].Replace("https", "http"))),
    F("address", "scheme-host-port|encoded-twice-or-once|any", "LocalPath", U(r => "https://" + Parsed(r).Authority + Parsed(r).LocalPath)),
    F("address", "method", "HttpMethod ToLower", new Steps { Method = m => m.ToLower() }),
    F("address", "method|any", "Method: text", new Steps { Method = m => "Method: " + m }),
    F("text", "any", "AppendLine", new Steps { Text = t => t + "\r\n" }),
    F("text", "any", "a list with a comma", new Steps { Text = t => t.Replace("&", "&amp;") }),
    F("key", "signing-key", "raw", K(k => k + "&")),
    F("key", "signing-key", "no ampersand", K(Strict)),
    F("key", "signing-key", "HttpUtility", K(k => HttpUtility.UrlEncode(k) + "&")),
    F("key", "signing-key", "EscapeUriString", K(k => Uri.EscapeUriString(k) + "&")),
    F("key", "signing-key", "Guid N", K(k => k.Length == 36 ? Guid.Parse(k).ToString("N") + "&" : Strict(k) + "&")),
    F("key", "signing-key", "Guid B", K(k => k.Length == 36 ? Strict(Guid.Parse(k).ToString("B")) + "&" : Strict(k) + "&")),
    F("key", "signing-key", "Guid D", K(k => k.Length == 36 ? Guid.Parse(k).ToString("D") + "&" : Strict(k) + "&")),
    F("key", "signing-key", "Guid bytes", new Steps { Key = k => k, KeyBytes = k => k.Length == 36 ? Guid.Parse(k).ToByteArray() : Encoding.UTF8.GetBytes(Strict(k) + "&") }),
    F("key", "signing-key", "byte[] by ToString", K(k => A(k) + "&")),
    F("key", "signing-key", "string[] by ToString", K(k => new string[2] + "")),
    F("key", "signing-key", "SecureString by ToString", K(k => "System.Security.SecureString&")),
    F("key", "signing-key", "Encoding.Unicode", new Steps { KeyBytes = Encoding.Unicode.GetBytes }),
    F("key", "signing-key", "ASCII of the raw key", new Steps { Key = k => k + "&", KeyBytes = A }),
    F("key", "signing-key", "BOM of the file", K(k => Strict("\ufeff" + k) + "&")),
    F("key", "signing-key", "Base64", K(k => B(Encoding.UTF8.GetBytes(k)) + "&")),
    F("digest", "digest", "HMACSHA256", M((k, t) => new HMACSHA256(k).ComputeHash(t))),
    F("digest", "digest", "HMACMD5", M((k, t) => new HMACMD5(k).ComputeHash(t))),
    F("digest", "digest", "HMACSHA384", M((k, t) => new HMACSHA384(k).ComputeHash(t))),
    F("digest", "digest", "SHA1", M((k, t) => SHA1.Create().ComputeHash(t))),
    F("digest", "digest", "SHA1 of both", M((k, t) => SHA1.Create().ComputeHash(t.Concat(k).ToArray()))),
    F("digest", "digest|any", "Encoding.Unicode", new Steps { Bytes = Encoding.Unicode.GetBytes }),
    F("digest", "digest|any", "Encoding.UTF32", new Steps { Bytes = Encoding.UTF32.GetBytes }),
    F("digest", "digest|any", "preamble of UTF-8", new Steps { Bytes = t => Encoding.UTF8.GetPreamble().Concat(Encoding.UTF8.GetBytes(t)).ToArray() }),
    F("writing", "digest|any", "byte[] by ToString", W(d => d.ToString())),
    F("writing", "digest|any", "Base64 of byte[] by ToString", W(d => B(A(d.ToString())))),
    F("writing", "digest", "BitConverter", W(d => BitConverter.ToString(d))),
    F("writing", "digest", "BitConverter without dashes", W(d => BitConverter.ToString(d).Replace("-", ""))),
    F("writing", "digest", "BitConverter in lower case", W(d => BitConverter.ToString(d).ToLower())),
    F("writing", "digest", "Base64 of BitConverter", W(d => B(A(BitConverter.ToString(d))))),
    F("writing", "digest", "ToString(x)", W(d => string.Concat(d.Select(b => b.ToString("x"))))),
    F("writing", "digest", "ToString of each", W(d => string.Concat(d.Select(b => b.ToString())))),
    F("writing", "digest|any", "string.Join of bytes", W(d => string.Join(",", d))),
    F("writing", "digest|any", "ASCII.GetString, Base64", W(d => B(A(Encoding.ASCII.GetString(d))))),
    F("writing", "digest|any", "Unicode of Base64", W(d => B(Encoding.Unicode.GetBytes(B(d))))),
    F("writing", "digest|header-not-encoded", "HttpUtility.UrlEncode", W(d => HttpUtility.UrlEncode(B(d)))),
    F("writing", "digest|header-not-encoded|any", "UrlEncode twice, upper", W(d => Uri.EscapeDataString(Uri.EscapeDataString(B(d))))),
    F("writing", "digest", "Base64UrlEncode", W(d => B(d).TrimEnd('=').Replace('+', '-').Replace('/', '_'))),
    F("writing", "digest", "UrlTokenEncode", W(HttpServerUtility.UrlTokenEncode))
  };

  static Steps All(Func<string, string> f) { return Each(p => new Pair(p.Name, f(p.Value))); }
  static Steps Money(Func<decimal, string> f) { return Of("amount", t => f(D(t) / 100m)); }
  static Steps C(Func<List<string>, string, string> f) { return new Steps { Concat = f }; }
  static Fault[] control = {
    F("join", "order|any", "List by ToString", C((l, k) => l + k)),
    F("join", "order|any", "array by ToString", C((l, k) => l.ToArray() + k)),
    F("join", "order|any", "LINQ by ToString", C((l, k) => l.Select(t => t) .ToString() + k)),
    F("join", "order", "string.Join blank", C((l, k) => string.Join(" ", l.Concat(new[] { k })))),
    F("join", "order", "string.Join dot", C((l, k) => string.Join(".", l.Concat(new[] { k })))),
    F("join", "order", "AppendLine", C((l, k) => string.Concat(l.Concat(new[] { k }).Select(t => t + "\r\n")))),
    F("join", "order", "OrderBy", C((l, k) => string.Concat(l.OrderBy(t => t, StringComparer.Ordinal)) + k)),
    F("join", "order", "key first", C((l, k) => k + string.Concat(l))),
    F("join", "order|any", "exchange of the first two", C((l, k) => l[1] + l[0] + string.Concat(l.Skip(2)) + k)),
    F("join", "order|any", "KeyValuePair by ToString", new Steps { Pairs = (l, r) => l.Select(p => new Pair("", new KeyValuePair<string, string>(p.Name, p.Value).ToString())) }),
    F("join", "order|any", "an anonymous object", new Steps { Pairs = (l, r) => new[] { new Pair("", "{ " + string.Join(", ", l.Select(p => p.Name + " = " + p.Value)) + " }") } }),
    F("value", "decimal-amount", "decimal.ToString", Money(d => (d * 1.00m).ToString(Inv))),
    F("value", "decimal-amount", "F2", Money(d => d.ToString("F2", Inv))),
    F("value", "decimal-amount", "N2", Money(d => d.ToString("N2", Inv))),
    F("value", "decimal-amount", "N0 of cents", Of("amount", t => D(t).ToString("N0", Inv))),
    F("value", "decimal-amount", "N2 German", Money(d => d.ToString("N2", De))),
    F("value", "decimal-amount", "C", Money(d => d.ToString("C", Us))),
    F("value", "decimal-amount", "C invariant", Money(d => d.ToString("C", Inv))),
    F("value", "decimal-amount", "E2", Money(d => ((double) d).ToString("E2", Inv))),
    F("value", "decimal-amount", "G", Money(d => ((double) d).ToString("G", Inv))),
    F("value", "decimal-amount", "D10", Of("amount", t => int.Parse(t).ToString("D10"))),
    F("value", "decimal-amount", "PadLeft", Of("amount", t => t.PadLeft(12))),
    F("value", "decimal-amount", "decimal cents with two digits", Of("amount", t => D(t).ToString("F2", Inv))),
    F("value", "decimal-amount", "int cast", Money(d => ((int) d).ToString())),
    F("value", "decimal-amount", "X", Of("amount", t => int.Parse(t).ToString("X"))),
    F("value", "orderid-text|any", "null", All(t => t == "" ? "null" : t)),
    F("value", "orderid-text|any", "Nullable of int", Of("orderId", t => t == "" ? "0" : int.Parse(t).ToString())),
    F("value", "orderid-text|any", "Guid.Empty", Of("orderId", t => t == "" ? Guid.Empty.ToString() : t)),
    F("value", "any", "Trim", All(t => t.Trim())),
    F("value", "any", "ToUpper", All(t => t.ToUpperInvariant())),
    F("value", "any", "quotes", All(t => "\"" + t + "\"")),
    F("value", "charset|any", "HttpUtility.UrlEncode", All(HttpUtility.UrlEncode)),
    F("value", "charset|any", "EscapeDataString", All(Uri.EscapeDataString)),
    F("value", "charset|any", "HtmlEncode", All(HttpUtility.HtmlEncode)),
    F("value", "charset|any", "JavaScriptStringEncode", All(HttpUtility.JavaScriptStringEncode)),
    F("key", "other-key|any", "Guid N", K(k => Guid.Parse(k).ToString("N"))),
    F("key", "other-key|any", "Guid B", K(k => Guid.Parse(k).ToString("B"))),
    F("key", "upper-case|other-key|any", "Guid D", K(k => Guid.Parse(k).ToString())),
    F("key", "key-whitespace|any", "AppendLine", K(k => k + "\r\n")),
    F("key", "key-whitespace|other-key|any", "BOM", K(k => "\ufeff" + k)),
    F("key", "other-key|any", "byte[]", K(k => A(k).ToString())),
    F("bytes", "charset", "Encoding.ASCII", new Steps { Bytes = A }),
    F("bytes", "charset", "Encoding.Unicode", new Steps { Bytes = Encoding.Unicode.GetBytes }),
    F("bytes", "charset", "Encoding.BigEndianUnicode", new Steps { Bytes = Encoding.BigEndianUnicode.GetBytes }),
    F("bytes", "charset", "Latin-1", new Steps { Bytes = Latin.GetBytes }),
    F("bytes", "charset", "UTF-7", new Steps { Bytes = Encoding.UTF7.GetBytes }),
    F("bytes", "charset", "preamble", new Steps { Bytes = t => Encoding.UTF8.GetPreamble().Concat(Encoding.UTF8.GetBytes(t)).ToArray() }),
    F("hash", "digest|other-key|any", "HMACSHA1", M((k, t) => new HMACSHA1(k).ComputeHash(t))),
    F("hash", "digest", "SHA512", M((k, t) => SHA512.Create().ComputeHash(t))),
    F("hash", "digest", "MD5", M((k, t) => MD5.Create().ComputeHash(t))),
    F("writing", "upper-case", "X2", W(d => string.Concat(d.Select(b => b.ToString("X2"))))),
    F("writing", "any", "BitConverter", W(d => BitConverter.ToString(d))),
    F("writing", "any", "BitConverter in lower case", W(d => BitConverter.ToString(d).ToLower())),
    F("writing", "base64", "Base64", W(B)),
    F("writing", "any", "byte[] by ToString", W(d => d.ToString())),
    F("writing", "any", "ToString(x)", W(d => string.Concat(d.Select(b => b.ToString("x"))))),
    F("writing", "base64|digest|any", "Base64 of X2", W(d => B(A(string.Concat(d.Select(b => b.ToString("X2")))))))
  };

  static void Main() { Run(oauth, control); }
}
