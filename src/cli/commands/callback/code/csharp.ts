import type { ControlEncoding } from '../../../../signing/index.js';
import { compiling, giveUp, readControlKey } from '../../sign/code/csharp.js';
import { commented, paragraphs } from '../../sign/code/plan.js';
import { indented } from '../../sign/code/program-parts.js';
import { duties, inside, introduction } from './introduction.js';

const digests: Readonly<Record<ControlEncoding, readonly [given: string, digest: string]>> = {
  'hex-lower': ['control.ToLowerInvariant()', 'BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant()'],
  'hex-upper': ['control.ToLowerInvariant()', 'BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant()'],
  base64: ['control', 'Convert.ToBase64String(digest)'],
};

/** A C# handler on HttpListener. */
export function csharpHandler(encoding: ControlEncoding, run: string): string {
  const [given, digest] = digests[encoding];
  const usings = ['System', 'System.IO', 'System.Linq', 'System.Net', 'System.Security.Cryptography', 'System.Text'];
  return paragraphs([
    [
      ...introduction('//', '.NET, .NET Framework 4.7 or later, or Mono', run),
      '//',
      ...commented('//', compiling('callback.cs', '')),
    ],
    usings.map((name) => `using ${name};`),
    [
      'internal static class Callback',
      '{',
      indented([
        `private static void Main()
{
    var key = ReadControlKey();
    var listener = new HttpListener();
    listener.Prefixes.Add("http://127.0.0.1:" + (Environment.GetEnvironmentVariable("PORT") ?? "8080") + "/");
    listener.Start();
    while (true) Answer(listener.GetContext(), key);
}`,
        `private static void Answer(HttpListenerContext context, string key)
{
    var response = context.Response;
    try
    {
        var callback = VerifyCallback(QueryOf(context.Request), key);
        if (callback != null) Handle(callback[0], callback[1], callback[2]);
        response.StatusCode = callback == null ? 403 : 200;
        response.Close(Encoding.ASCII.GetBytes(callback == null ? "refused\\n" : "OK\\n"), false);
    }
    catch (Exception error)
    {
        Console.Error.WriteLine(error);
        response.StatusCode = 500;
        response.Close();
    }
}`,
        `// Status and both ids of a callback; null when it is not signed by this key.
private static string[] VerifyCallback(string query, string key)
{
    var texts = new[] { "status", "orderid", "client_orderid" }.Select(name => SingleValue(query, name)).ToArray();
    var control = SingleValue(query, "control");
    if (texts.Contains("") || control == "") return null;
    var digest = SHA1.Create().ComputeHash(Encoding.UTF8.GetBytes(string.Concat(texts) + key));
    var expected = ${digest};
    return AreEqual(expected, ${given}) ? texts : null;
}`,
        `// Compares in time that depends only on the lengths; .NET calls it CryptographicOperations.FixedTimeEquals.
private static bool AreEqual(string one, string other)
{
    var difference = one.Length ^ other.Length;
    for (var at = 0; at < Math.Min(one.Length, other.Length); at++) difference |= one[at] ^ other[at];
    return difference == 0;
}`,
        `// The one value of a field; an empty string when it is missing or was sent more than once.
private static string SingleValue(string query, string name)
{
    var values = query.Split('&')
        .Select(pair => pair.Split(new[] { '=' }, 2))
        .Where(parts => Decode(parts[0]) == name)
        .Select(parts => parts.Length == 1 ? "" : Decode(parts[1]))
        .ToArray();
    return values.Length == 1 ? values[0] : "";
}`,
        `private static string Decode(string text)
{
    return Uri.UnescapeDataString(text.Replace('+', ' '));
}`,
        `private static void Handle(string status, string orderId, string clientOrderId)
{
${inside('    ', duties('//'))}
    Console.WriteLine("verified: " + status + ", order " + orderId + " (" + clientOrderId + ")");
}`,
        `private static string QueryOf(HttpListenerRequest request)
{
    if (request.HttpMethod != "POST") return request.RawUrl.Substring(request.RawUrl.IndexOf('?') + 1);
    var body = new byte[65536];
    var length = 0;
    int read;
    while ((read = request.InputStream.Read(body, length, body.Length - length)) > 0) length += read;
    return Encoding.ASCII.GetString(body, 0, length);
}`,
        readControlKey,
        giveUp,
      ]),
      '}',
    ],
  ]);
}
