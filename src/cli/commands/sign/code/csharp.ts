import type { ControlEncoding } from '../../../../signing/index.js';
import { plainHeaders } from '../../../../signing/schemes/request.js';
import { type CodePlan, commented, type OauthPlan, type PlannedSigning, paragraphs } from './plan.js';
import { camelCase, indented, programParts, type Syntax } from './program-parts.js';

/** A C# program of one file without any package, in the C# that Mono and .NET Framework compile as well. */
export function csharpProgram(plan: CodePlan, run: string): string {
  const { address, signing } = plan;
  const words = { needs: '.NET, .NET Framework 4.7 or later, or Mono', run, cards: 'read from the variables' };
  const parts = programParts(plan, syntax, words);
  const main = [
    [...parts.assignments, `var url = ${quoted(address)} + endpointId;`].join('\n'),
    [
      'var fields = new List<KeyValuePair<string, string>>',
      '{',
      ...parts.pairs.map((pair) => `    ${pair},`),
      '};',
    ].join('\n'),
    [
      'var headers = new Dictionary<string, string>',
      '{',
      ...Object.entries(plainHeaders)
        .filter(([name]) => name !== 'Content-Type')
        .map(([name, value]) => `    { ${quoted(name)}, ${quoted(value)} },`),
      '};',
    ].join('\n'),
    parts.signing.join('\n'),
    post,
  ];
  const members = [
    `private static int Main()\n{\n${indented(main)}\n}`,
    parts.asks ? fromEnvironment : '',
    encode,
    parts.isOauth ? baseString : '',
    parts.key,
    signing.scheme === 'none' ? '' : giveUp,
  ];
  return paragraphs([
    [...parts.introduction, '//', ...commented('//', compiling('request.cs', ' -r:System.Net.Http.dll'))],
    usings(signing).map((name) => `using ${name};`),
    ['internal static class Request', '{', indented(members), '}'],
  ]);
}

/** How such a file is made to run. */
export function compiling(file: string, references: string): readonly string[] {
  return [`Compile it with mcs${references} ${file} (Mono), or run it with dotnet run ${file} (.NET 10 or later).`];
}

/** Every character beyond ASCII as an escape: compilers differ in how they read a file without a byte order mark. */
export function quoted(text: string): string {
  const json = JSON.stringify(text);
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function usings(signing: PlannedSigning): readonly string[] {
  const own = {
    control: ['System.IO', 'System.Security.Cryptography'],
    'hmac-sha1': ['System.IO', 'System.Linq', 'System.Security.Cryptography'],
    'rsa-sha256': ['System.IO', 'System.Linq', 'System.Security.Cryptography', 'System.Text.RegularExpressions'],
    none: [],
  }[signing.scheme];
  const always = ['System', 'System.Collections.Generic', 'System.Linq', 'System.Net.Http', 'System.Text'];
  return [...new Set([...always, ...own])].sort();
}

const fromEnvironment = `private static string FromEnvironment(string name)
{
    var value = Environment.GetEnvironmentVariable(name);
    if (!string.IsNullOrEmpty(value)) return value;
    Console.Error.WriteLine(name + " must be set");
    Environment.Exit(2);
    return "";
}`;

export const encode = `private static KeyValuePair<string, string> Pair(string name, string value)
{
    return new KeyValuePair<string, string>(name, value);
}

// Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986).
private static string Encode(string text)
{
    return Uri.EscapeDataString(text);
}

private static string EncodeForm(IEnumerable<KeyValuePair<string, string>> pairs)
{
    return string.Join("&", pairs.Select(pair => Encode(pair.Key) + "=" + Encode(pair.Value)));
}`;

export const baseString = `// RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
private static string BaseString(string url, IEnumerable<KeyValuePair<string, string>> pairs)
{
    var sorted = pairs.Select(pair => Pair(Encode(pair.Key), Encode(pair.Value)))
        .OrderBy(pair => pair.Key, StringComparer.Ordinal)
        .ThenBy(pair => pair.Value, StringComparer.Ordinal);
    var parameters = string.Join("&", sorted.Select(pair => pair.Key + "=" + pair.Value));
    return "POST&" + Encode(url) + "&" + Encode(parameters);
}`;

export const readControlKey = `private static string ReadControlKey()
{
    var key = Environment.GetEnvironmentVariable("CONTROL_KEY");
    var file = Environment.GetEnvironmentVariable("CONTROL_KEY_FILE");
    if (!string.IsNullOrEmpty(file)) key = new UTF8Encoding().GetString(File.ReadAllBytes(file)).TrimEnd('\\r', '\\n');
    if (string.IsNullOrEmpty(key)) GiveUp("CONTROL_KEY_FILE must name the file with the merchant control key");
    return key;
}`;

/** What .NET calls ImportFromPem; the older ones read no key file at all. */
export const readPrivateKey = `private static RSA ReadPrivateKey()
{
    try
    {
        var pem = File.ReadAllText(Environment.GetEnvironmentVariable("PRIVATE_KEY_FILE") ?? "");
        var der = Convert.FromBase64String(Regex.Replace(pem, "-----[A-Z ]+-----|\\\\s", ""));
        var key = RSA.Create();
        key.ImportParameters(Numbers(der));
        return key;
    }
    catch (Exception error) when (!(error is OutOfMemoryException))
    {
        GiveUp("PRIVATE_KEY_FILE must name the PEM file with the RSA private key");
        throw;
    }
}

// The numbers of a PKCS#8 or PKCS#1 key (RFC 8017 A.1.2). .NET 5 and later have RSA.ImportFromPem for this.
private static RSAParameters Numbers(byte[] der)
{
    var at = 0;
    Content(der, 0x30, ref at);
    Integer(der, 0, ref at);
    if (der[at] == 0x30)
    {
        var algorithm = Content(der, 0x30, ref at);
        at += algorithm;
        Content(der, 0x04, ref at);
        Content(der, 0x30, ref at);
        Integer(der, 0, ref at);
    }
    var modulus = Integer(der, 0, ref at);
    var half = (modulus.Length + 1) / 2;
    return new RSAParameters
    {
        Modulus = modulus,
        Exponent = Integer(der, 0, ref at),
        D = Integer(der, modulus.Length, ref at),
        P = Integer(der, half, ref at),
        Q = Integer(der, half, ref at),
        DP = Integer(der, half, ref at),
        DQ = Integer(der, half, ref at),
        InverseQ = Integer(der, half, ref at),
    };
}

// Steps into an element of DER, and returns its length.
private static int Content(byte[] der, byte tag, ref int at)
{
    if (der[at++] != tag) throw new FormatException();
    int length = der[at++];
    if (length < 0x80) return length;
    var count = length & 0x7f;
    length = 0;
    while (count-- > 0) length = (length << 8) | der[at++];
    return length;
}

private static byte[] Integer(byte[] der, int size, ref int at)
{
    var length = Content(der, 0x02, ref at);
    var number = der.Skip(at).Take(length).SkipWhile(each => each == 0).ToArray();
    at += length;
    return new byte[Math.Max(0, size - number.Length)].Concat(number).ToArray();
}`;

export const giveUp = `private static void GiveUp(string why)
{
    Console.Error.WriteLine(why);
    Environment.Exit(2);
}`;

export const written = {
  'hex-lower': 'BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant()',
  'hex-upper': 'BitConverter.ToString(digest).Replace("-", "")',
  base64: 'Convert.ToBase64String(digest)',
} as const;

function control(variables: readonly string[], encoding: ControlEncoding): readonly string[] {
  return [
    `var text = ${[...variables, 'ReadControlKey()'].join(' + ')};`,
    'var digest = SHA1.Create().ComputeHash(Encoding.UTF8.GetBytes(text));',
    `fields.Add(Pair("control", ${written[encoding]}));`,
  ];
}

/** RFC 5849 3.4 and 3.5.1. */
function oauth(signing: OauthPlan): readonly string[] {
  return [
    `var oauth = new List<KeyValuePair<string, string>>
{
    Pair("oauth_consumer_key", login),
    Pair("oauth_nonce", Guid.NewGuid().ToString("N")),
    Pair("oauth_signature_method", "${signing.method}"),
    Pair("oauth_timestamp", DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString()),
    Pair("oauth_version", "1.0"),
};
var text = Encoding.UTF8.GetBytes(BaseString(url, fields.Concat(oauth)));`,
    signature(signing),
    `var header = oauth.Concat(new[] { Pair("oauth_signature", Convert.ToBase64String(signature)) })
    .Select(pair => pair.Key + "=\\"" + Encode(pair.Value) + "\\"");
headers["Authorization"] = "OAuth " + string.Join(", ", header);`,
  ];
}

function signature(signing: OauthPlan): string {
  if (signing.scheme === 'rsa-sha256')
    return 'var signature = ReadPrivateKey().SignData(text, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);';
  const secret = signing.keyForm === 'raw' ? 'ReadControlKey()' : 'Encode(ReadControlKey())';
  return `var signature = new HMACSHA1(Encoding.UTF8.GetBytes(${secret} + "&")).ComputeHash(text);`;
}

const post = `using (var client = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }))
using (var request = new HttpRequestMessage(HttpMethod.Post, url))
{
    client.Timeout = TimeSpan.FromSeconds(60);
    request.Content = new ByteArrayContent(Encoding.ASCII.GetBytes(EncodeForm(fields)));
    request.Content.Headers.TryAddWithoutValidation("Content-Type", "application/x-www-form-urlencoded");
    foreach (var each in headers) request.Headers.TryAddWithoutValidation(each.Key, each.Value);
    using (var reply = client.SendAsync(request).GetAwaiter().GetResult())
    {
        Console.WriteLine(reply.Content.ReadAsStringAsync().GetAwaiter().GetResult());
        Console.Error.WriteLine("HTTP " + (int)reply.StatusCode);
        return (int)reply.StatusCode == 200 ? 0 : 1;
    }
}`;

const syntax: Syntax = {
  mark: '//',
  name: camelCase,
  quoted,
  asked: (variable) => `FromEnvironment("${variable}")`,
  assignment: (name, value) => `var ${name} = ${value};`,
  pair: (name, value) => `Pair(${name}, ${value})`,
  readControlKey,
  readPrivateKey,
  control,
  oauth,
  oauthIntoBody: 'fields.AddRange(oauth);',
};
