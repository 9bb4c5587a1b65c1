// Signs each request under each fault of a table, and under pairs of them. Reads lines, writes JSON.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;

public class Pair {
  public string Name, Value;
  public Pair(string name, string value) { Name = name; Value = value; }
}

public class Encoded {
  public string Name, Value;
  public Pair Plain;
}

public class Request {
  public Dictionary<string, string> Text = new Dictionary<string, string>();
  public Dictionary<string, List<Pair>> Pairs = new Dictionary<string, List<Pair>>();
  public string this[string name] { get { return Text[name]; } }
  public List<Pair> List(string name) { return Pairs.ContainsKey(name) ? Pairs[name] : new List<Pair>(); }
}

// What a client does otherwise at one or more steps.
public class Steps {
  public Func<List<Pair>, Request, IEnumerable<Pair>> Pairs;
  public Func<string, string> Encode, Method, Outer, Text, Key;
  public Func<IEnumerable<Encoded>, IEnumerable<Encoded>> Order;
  public Func<IEnumerable<Encoded>, string> Join;
  public Func<Request, string> Uri;
  public Func<string[], string> Whole;
  public Func<string, byte[]> KeyBytes, Bytes;
  public Func<byte[], byte[], byte[]> Mac;
  public Func<byte[], string> Write;
  public Func<List<string>, string, string> Concat;
}

public class Fault {
  public string Channel, Expected, What;
  public Steps Steps;
  public Fault(string channel, string expected, string what, Steps steps) {
    Channel = channel; Expected = expected; What = what; Steps = steps;
  }
}

public class Client {
  public static string Strict(string text) {
    var made = new StringBuilder();
    foreach (byte each in Encoding.UTF8.GetBytes(text)) {
      bool isFree = each < 128 && (char.IsLetterOrDigit((char) each) || "-._~".IndexOf((char) each) >= 0);
      made.Append(isFree ? ((char) each).ToString() : "%" + each.ToString("X2"));
    }
    return made.ToString();
  }

  static string Same(string text) { return text; }

  public static string BaseString(Request r, Steps f) {
    var pairs = r.List("oauth").Concat(r.List("query")).Concat(r.List("body")).ToList();
    if (f.Pairs != null) pairs = f.Pairs(pairs, r).ToList();
    var encode = f.Encode ?? Strict;
    var encoded = pairs.Select(p => new Encoded { Name = encode(p.Name), Value = encode(p.Value), Plain = p });
    var ordered = f.Order == null
      ? encoded.OrderBy(e => e.Name, StringComparer.Ordinal).ThenBy(e => e.Value, StringComparer.Ordinal)
      : f.Order(encoded);
    var parameters = f.Join == null ? string.Join("&", ordered.Select(e => e.Name + "=" + e.Value)) : f.Join(ordered);
    var method = (f.Method ?? Same)(r["method"]);
    var uri = f.Uri == null ? r["uri"] : f.Uri(r);
    if (f.Whole != null) return f.Whole(new[] { method, uri, parameters });
    var outer = f.Outer ?? Strict;
    return (f.Text ?? Same)(outer(method) + "&" + outer(uri) + "&" + outer(parameters));
  }

  public static string Sign(Request r, Steps f) {
    var key = f.Key == null ? Strict(r["secret"]) + "&" : f.Key(r["secret"]);
    var keyBytes = (f.KeyBytes ?? Encoding.UTF8.GetBytes)(key);
    var data = (f.Bytes ?? Encoding.UTF8.GetBytes)(BaseString(r, f));
    var digest = f.Mac == null ? new HMACSHA1(keyBytes).ComputeHash(data) : f.Mac(keyBytes, data);
    return (f.Write ?? Convert.ToBase64String)(digest);
  }

  public static string Hex(byte[] digest) { return string.Concat(digest.Select(each => each.ToString("x2"))); }

  public static string Checksum(Request r, Steps f) {
    var values = r.List("values");
    if (f.Pairs != null) values = f.Pairs(values, r).ToList();
    var key = (f.Key ?? Same)(r["key"]);
    var texts = values.Select(p => p.Value).ToList();
    var whole = f.Concat == null ? string.Concat(texts) + key : f.Concat(texts, key);
    var data = (f.Bytes ?? Encoding.UTF8.GetBytes)(whole);
    var digest = f.Mac == null ? SHA1.Create().ComputeHash(data) : f.Mac(Encoding.UTF8.GetBytes(key), data);
    return (f.Write ?? Hex)(digest);
  }

  // Both, unless a step is changed by each of them.
  static Steps Merged(Steps a, Steps b) {
    var both = new Steps();
    foreach (FieldInfo field in typeof(Steps).GetFields()) {
      object one = field.GetValue(a), other = field.GetValue(b);
      if (one != null && other != null) return null;
      field.SetValue(both, one ?? other);
    }
    return both;
  }

  static string Quoted(string text) {
    var made = new StringBuilder("\"");
    foreach (char c in text)
      made.Append(c == '"' || c == '\\' ? "\\" + c : c < 32 || c > 126 ? "\\u" + ((int) c).ToString("x4") : c.ToString());
    return made.Append('"').ToString();
  }

  static string One(int at, Request r, string value, Steps f, bool isOauth, params Fault[] faults) {
    Func<Func<Fault, string>, string> list = part => string.Join(",", faults.Select(each => Quoted(part(each))));
    bool isBase = isOauth && f.Key == null && f.KeyBytes == null && f.Bytes == null && f.Mac == null && f.Write == null;
    return "{\"request\":" + at + ",\"channels\":[" + list(each => each.Channel) + "],\"expected\":["
      + list(each => each.Expected) + "],\"what\":[" + list(each => each.What) + "],\"value\":" + Quoted(value)
      + (isBase ? ",\"base\":" + Quoted(BaseString(r, f)) : "") + "}";
  }

  static string Made(List<Request> requests, Fault[] table, Func<Request, Steps, string> make, bool isOauth) {
    var made = new List<string>();
    for (int at = 0; at < requests.Count; at++) {
      var r = requests[at];
      var right = make(r, new Steps());
      var alone = table.Select(each => make(r, each.Steps)).ToArray();
      for (int i = 0; i < table.Length; i++) {
        if (alone[i] == right) continue;
        made.Add(One(at, r, alone[i], table[i].Steps, isOauth, table[i]));
        for (int j = i + 1; j < table.Length; j++) {
          var steps = Merged(table[i].Steps, table[j].Steps);
          if (steps == null || table[i].Channel == table[j].Channel || alone[j] == right) continue;
          var value = make(r, steps);
          if (value == right || value == alone[i] || value == alone[j]) continue;
          made.Add(One(at, r, value, steps, isOauth, table[i], table[j]));
        }
      }
    }
    return "[" + string.Join(",", made) + "]";
  }

  // Lines of words, each in Base64: what a request is, a text of it, or a pair of one of its lists.
  public static void Run(Fault[] oauth, Fault[] control) {
    var given = new Dictionary<string, List<Request>> {
      { "oauth", new List<Request>() }, { "control", new List<Request>() }
    };
    Request last = null;
    for (string line; (line = Console.In.ReadLine()) != null;) {
      var word = line.Split(' ').Select(each => Encoding.UTF8.GetString(Convert.FromBase64String(each))).ToArray();
      if (word.Length == 1) given[word[0]].Add(last = new Request());
      else if (word.Length == 2) last.Text[word[0]] = word[1];
      else {
        if (!last.Pairs.ContainsKey(word[0])) last.Pairs[word[0]] = new List<Pair>();
        last.Pairs[word[0]].Add(new Pair(word[1], word[2]));
      }
    }
    Console.WriteLine("{\"oauth\":" + Made(given["oauth"], oauth, Sign, true)
      + ",\"control\":" + Made(given["control"], control, Checksum, false) + "}");
  }
}
