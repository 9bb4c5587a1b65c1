import { baseString, compiling, encode, giveUp, quoted, readControlKey, readPrivateKey, written } from '../csharp.js';
import { commented, paragraphs } from '../plan.js';
import { indented } from '../program-parts.js';
import { type ModulePlan, moduleIntroduction, vectors } from './plan.js';

const usings = [
  ...['System', 'System.Collections.Generic', 'System.IO', 'System.Linq', 'System.Security.Cryptography'],
  ...['System.Text', 'System.Text.RegularExpressions'],
];

const pairs = 'IEnumerable<KeyValuePair<string, string>>';

/** The signer as a C# class; in a program of one's own without its Main. */
export function csharpModule({ baseUrl, operations, encoding, keyForm, repeatsInBody }: ModulePlan): string {
  const texts = (words: readonly string[]) => words.map(quoted).join(', ');
  return paragraphs([
    [
      ...moduleIntroduction('//', '.NET, .NET Framework 4.7 or later, or Mono', 'mono gateway-signer.exe'),
      '//',
      ...commented('//', [...compiling('gateway-signer.cs', ''), 'In your own program, remove Main.']),
    ],
    usings.map((name) => `using ${name};`),
    [
      'public static class GatewaySigner',
      '{',
      indented([
        `private const string BaseUrl = ${quoted(baseUrl)};`,
        [
          '// Scheme, path, whether the body contains the login, and what the checksum covers.',
          'private static readonly Dictionary<string, string[]> Operations = new Dictionary<string, string[]>',
          '{',
          ...operations.map(({ id, scheme, path, values, sendsLogin }) => {
            const row = [scheme, path, sendsLogin ? 'login' : '', ...values];
            return `    { ${quoted(id)}, new[] { ${texts(row)} } },`;
          }),
          '};',
        ].join('\n'),
        `/// <summary>A request before it is signed.</summary>
public sealed class Prepared
{
    public string Scheme { get; set; }
    public string Url { get; set; }
    public List<KeyValuePair<string, string>> Fields { get; set; }
    public List<KeyValuePair<string, string>> OAuth { get; set; }
    public string BaseString { get; set; }
}`,
        `/// <summary>The request to send.</summary>
public sealed class Signed
{
    public string Url { get; set; }
    public List<KeyValuePair<string, string>> Headers { get; set; }
    public string Body { get; set; }
}`,
        `/// <summary>Prepares a request. If nonce or timestamp is null, a new one is generated.</summary>
public static Prepared Prepare(
    string operation,
    string endpointId,
    string login,
    ${pairs} given,
    string nonce = null,
    string timestamp = null)
{
    var row = Operations[operation];
    var fields = given.ToList();
    if (row[2] != "" && fields.All(pair => pair.Key != "login")) fields.Add(Pair("login", login));
    var prepared = new Prepared
    {
        Scheme = row[0],
        Url = BaseUrl + row[1] + endpointId,
        Fields = fields,
        OAuth = new List<KeyValuePair<string, string>>(),
        BaseString = "",
    };
    if (prepared.Scheme == "none") return prepared;
    if (prepared.Scheme == "control")
    {
        prepared.BaseString = ControlText(row.Skip(3), endpointId, login, fields);
        return prepared;
    }
    prepared.OAuth.Add(Pair("oauth_consumer_key", login));
    prepared.OAuth.Add(Pair("oauth_nonce", nonce ?? Guid.NewGuid().ToString("N")));
    prepared.OAuth.Add(Pair("oauth_signature_method", prepared.Scheme));
    prepared.OAuth.Add(Pair("oauth_timestamp", timestamp ?? DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString()));
    prepared.OAuth.Add(Pair("oauth_version", "1.0"));
    prepared.BaseString = BaseString(prepared.Url, fields.Concat(prepared.OAuth));
    return prepared;
}`,
        `/// <summary>Address, headers and body to send. RSA-SHA256 is signed with the private key, the rest with the control key.</summary>
public static Signed Sign(Prepared prepared, string controlKey, RSA privateKey)
{
    var headers = new List<KeyValuePair<string, string>>
    {
        Pair("Content-Type", "application/x-www-form-urlencoded"),
        Pair("Accept", "application/vnd.pay+json"),
        Pair("Accept-Encoding", "identity"),
    };
    var fields = prepared.Fields.ToList();
    if (prepared.Scheme == "control")
    {
        fields.Add(Pair("control", Checksum(prepared.BaseString, controlKey)));
    }
    else if (prepared.Scheme != "none")
    {
        var signature = prepared.Scheme == "HMAC-SHA1"
            ? HmacSha1(prepared.BaseString, controlKey)
            : RsaSha256(prepared.BaseString, privateKey);
        var header = prepared.OAuth.Concat(new[] { Pair("oauth_signature", signature) })
            .Select(pair => pair.Key + "=\\"" + Encode(pair.Value) + "\\"");
        headers.Add(Pair("Authorization", "OAuth " + string.Join(", ", header)));${
          repeatsInBody
            ? `
        if (prepared.Scheme == "HMAC-SHA1") fields.AddRange(prepared.OAuth);`
            : ''
        }
    }
    return new Signed { Url = prepared.Url, Headers = headers, Body = EncodeForm(fields) };
}`,
        encode,
        `private static string MinorUnits(string amount)
{
    return amount.Replace(".", "").TrimStart('0');
}

private static string ControlText(IEnumerable<string> values, string endpointId, string login, ${pairs} fields)
{
    var known = new Dictionary<string, string>();
    foreach (var pair in fields) known[pair.Key] = pair.Value;
    known["endpoint_id"] = endpointId;
    known["login"] = login;
    if (known.ContainsKey("amount")) known["amount"] = MinorUnits(known["amount"]);
    return string.Concat(values.Select(name => known.ContainsKey(name) ? known[name] : ""));
}

private static string Checksum(string text, string key)
{
    var digest = SHA1.Create().ComputeHash(Encoding.UTF8.GetBytes(text + key));
    return ${written[encoding]};
}`,
        baseString,
        `private static string HmacSha1(string text, string key)
{
    var secret = Encoding.UTF8.GetBytes(${keyForm === 'raw' ? 'key' : 'Encode(key)'} + "&");
    return Convert.ToBase64String(new HMACSHA1(secret).ComputeHash(Encoding.UTF8.GetBytes(text)));
}

private static string RsaSha256(string text, RSA key)
{
    var bytes = Encoding.UTF8.GetBytes(text);
    return Convert.ToBase64String(key.SignData(bytes, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1));
}`,
        readPrivateKey,
        readControlKey,
        giveUp,
        `// The expected values come from openssl.
private static bool SelfTest()
{
    var key = ${quoted(vectors.key)};
    var pairs = new[]
    {
${vectors.pairs.map((each) => `        Pair(${texts(each)}),`).join('\n')}
    };
    var text = ${vectors.baseString.map(quoted).join('\n        + ')};
    return ${vectors.amounts
      .map(([amount, minor]) => `MinorUnits(${quoted(amount)}) == ${quoted(minor)}`)
      .join('\n        && ')}
        && Checksum(${quoted(vectors.controlText)}, key) == ${quoted(vectors.control[encoding])}
        && BaseString(${quoted(vectors.url)}, pairs) == text
        && HmacSha1(text, key) == ${quoted(vectors.hmac[keyForm])};
}`,
        `private static int Main(string[] args)
{
    if (args.SequenceEqual(new[] { "--self-test" }))
    {
        var passed = SelfTest();
        Console.WriteLine(passed ? "passed" : "FAILED");
        return passed ? 0 : 1;
    }
    var isRequest = args.Length > 0 && args[0] == "--request";
    if (args.Length < 4 || (!isRequest && args[0] != "--base-string") || !Operations.ContainsKey(args[1]))
        GiveUp("usage: --self-test | --base-string or --request, OPERATION, ENDPOINT_ID, LOGIN [NONCE TIMESTAMP]");
    var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false)).ReadToEnd();
    var fields = input.Split('\\n')
        .Where(line => line != "")
        .Select(line => line.Split(new[] { '=' }, 2))
        .Select(parts => Pair(parts[0], parts.Length == 1 ? "" : parts[1]));
    var prepared = Prepare(args[1], args[2], args[3], fields, args.ElementAtOrDefault(4), args.ElementAtOrDefault(5));
    using (var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)))
    {
        if (!isRequest)
        {
            output.Write(prepared.BaseString);
            return 0;
        }
        var isRsa = prepared.Scheme == "RSA-SHA256";
        var controlKey = isRsa || prepared.Scheme == "none" ? null : ReadControlKey();
        var signed = Sign(prepared, controlKey, isRsa ? ReadPrivateKey() : null);
        output.Write("POST " + signed.Url + " HTTP/1.1\\n");
        foreach (var pair in signed.Headers) output.Write(pair.Key + ": " + pair.Value + "\\n");
        output.Write("\\n" + signed.Body);
    }
    return 0;
}`,
      ]),
      '}',
    ],
  ]);
}
