// {{#introduction}}
// {{{.}}}
// {{/introduction}}

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;

internal static class Request
{
    private static int Main()
    {
        // {{#usesLogin}}
        var login = "{{login}}";
        // {{/usesLogin}}
        var endpointId = "{{endpointId}}";
        var url = "{{address}}" + endpointId;

        var fields = new List<KeyValuePair<string, string>>
        {
            // {{#fields}}
            // {{^isAsked}}
            Pair("{{wire}}", "{{text}}"),
            // {{/isAsked}}
            // {{#isAsked}}
            Pair("{{wire}}", FromEnvironment("{{variable}}")),
            // {{/isAsked}}
            // {{/fields}}
        };
        var headers = new List<KeyValuePair<string, string>>
        {
            // {{#headers}}
            Pair("{{name}}", "{{value}}"),
            // {{/headers}}
        };
        // {{#control}}

        // SHA-1 over these values without separators; one that is not sent is empty.
        var text = string.Concat(
            // {{#slots}}
            // {{#isEndpoint}}
            endpointId,
            // {{/isEndpoint}}
            // {{#isLogin}}
            login,
            // {{/isLogin}}
            // {{#minor}}
            "{{minor}}", // the amount in minor units
            // {{/minor}}
            // {{#field}}
            Value(fields, "{{field}}"),
            // {{/field}}
            // {{/slots}}
            ReadControlKey());
        var digest = SHA1.Create().ComputeHash(Encoding.UTF8.GetBytes(text));
        // {{#hexLower}}
        fields.Add(Pair("control", BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant()));
        // {{/hexLower}}
        // {{#hexUpper}}
        fields.Add(Pair("control", BitConverter.ToString(digest).Replace("-", "")));
        // {{/hexUpper}}
        // {{#base64}}
        fields.Add(Pair("control", Convert.ToBase64String(digest)));
        // {{/base64}}
        // {{/control}}
        // {{#oauth}}

        var oauth = new List<KeyValuePair<string, string>>
        {
            Pair("oauth_consumer_key", login),
            Pair("oauth_nonce", Guid.NewGuid().ToString("N")),
            Pair("oauth_signature_method", "{{method}}"),
            Pair("oauth_timestamp", DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString()),
            Pair("oauth_version", "1.0"),
        };
        var signature = Sign(Encoding.UTF8.GetBytes(BaseString(url, fields.Concat(oauth))));
        var header = oauth.Concat(new[] { Pair("oauth_signature", Convert.ToBase64String(signature)) })
            .Select(pair => pair.Key + "=\"" + Encode(pair.Value) + "\"");
        headers.Add(Pair("Authorization", "OAuth " + string.Join(", ", header)));
        // {{#inBody}}
        fields.AddRange(oauth);
        // {{/inBody}}
        // {{/oauth}}

        using (var client = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }))
        using (var request = new HttpRequestMessage(HttpMethod.Post, url))
        {
            client.Timeout = TimeSpan.FromSeconds(60);
            request.Content = new ByteArrayContent(Encoding.ASCII.GetBytes(EncodeForm(fields)));
            foreach (var each in headers)
                if (!request.Headers.TryAddWithoutValidation(each.Key, each.Value))
                    request.Content.Headers.TryAddWithoutValidation(each.Key, each.Value);
            using (var reply = client.SendAsync(request).GetAwaiter().GetResult())
            {
                Console.WriteLine(reply.Content.ReadAsStringAsync().GetAwaiter().GetResult());
                Console.Error.WriteLine("HTTP " + (int)reply.StatusCode);
                return (int)reply.StatusCode == 200 ? 0 : 1;
            }
        }
    }

    private static KeyValuePair<string, string> Pair(string name, string value)
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
    }
    // {{#asks}}

    private static string FromEnvironment(string name)
    {
        var value = Environment.GetEnvironmentVariable(name);
        if (string.IsNullOrEmpty(value)) GiveUp(name + " must be set");
        return value;
    }
    // {{/asks}}
    // {{#control}}

    private static string Value(IEnumerable<KeyValuePair<string, string>> fields, string name)
    {
        return fields.Where(pair => pair.Key == name).Select(pair => pair.Value).FirstOrDefault() ?? "";
    }
    // {{/control}}
    // {{#oauth}}

    // RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
    private static string BaseString(string url, IEnumerable<KeyValuePair<string, string>> pairs)
    {
        var sorted = pairs.Select(pair => Pair(Encode(pair.Key), Encode(pair.Value)))
            .OrderBy(pair => pair.Key, StringComparer.Ordinal)
            .ThenBy(pair => pair.Value, StringComparer.Ordinal);
        var parameters = string.Join("&", sorted.Select(pair => pair.Key + "=" + pair.Value));
        return "POST&" + Encode(url) + "&" + Encode(parameters);
    }

    private static byte[] Sign(byte[] text)
    {
        var signature = new byte[0];
        // {{#hmac}}
        var secret = Encode(ReadControlKey());
        // {{#rawKey}}
        secret = ReadControlKey();
        // {{/rawKey}}
        signature = new HMACSHA1(Encoding.UTF8.GetBytes(secret + "&")).ComputeHash(text);
        // {{/hmac}}
        // {{#rsa}}
        signature = SignRsa(text);
        // {{/rsa}}
        return signature;
    }
    // {{/oauth}}
    // {{#rsa}}

    private static byte[] SignRsa(byte[] text)
    {
        var file = Environment.GetEnvironmentVariable("PRIVATE_KEY_FILE") ?? "";
        if (!File.Exists(file)) GiveUp("PRIVATE_KEY_FILE must name the PEM file with the RSA private key");
#if NET5_0_OR_GREATER
        using var key = RSA.Create();
        key.ImportFromPem(File.ReadAllText(file));
        return key.SignData(text, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
#else
        // .NET Framework and Mono read no PEM.
        var start = new ProcessStartInfo("openssl", "dgst -sha256 -sign \"" + file + "\"")
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        using (var openssl = Process.Start(start))
        using (var signature = new MemoryStream())
        {
            openssl.StandardInput.BaseStream.Write(text, 0, text.Length);
            openssl.StandardInput.Close();
            openssl.StandardOutput.BaseStream.CopyTo(signature);
            openssl.WaitForExit();
            if (openssl.ExitCode != 0) GiveUp("openssl could not sign with the key that PRIVATE_KEY_FILE names");
            return signature.ToArray();
        }
#endif
    }
    // {{/rsa}}
    // {{#controlKey}}

    private static string ReadControlKey()
    {
        var key = Environment.GetEnvironmentVariable("CONTROL_KEY");
        var file = Environment.GetEnvironmentVariable("CONTROL_KEY_FILE");
        if (!string.IsNullOrEmpty(file)) key = new UTF8Encoding().GetString(File.ReadAllBytes(file)).TrimEnd('\r', '\n');
        if (string.IsNullOrEmpty(key)) GiveUp("CONTROL_KEY_FILE must name the file with the merchant control key");
        return key;
    }
    // {{/controlKey}}
    // {{#usesEnvironment}}

    private static void GiveUp(string why)
    {
        Console.Error.WriteLine(why);
        Environment.Exit(2);
    }
    // {{/usesEnvironment}}
}
