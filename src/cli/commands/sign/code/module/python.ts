import { paragraphs } from '../plan.js';
import { quoted } from '../python.js';
import { type ModulePlan, moduleIntroduction, vectors } from './plan.js';

const digests = {
  'hex-lower': 'digest.hexdigest()',
  'hex-upper': 'digest.hexdigest().upper()',
  base64: 'base64.b64encode(digest.digest()).decode()',
} as const;

/** The signer as a Python module. */
export function pythonModule({ baseUrl, operations, encoding, keyForm, repeatsInBody }: ModulePlan): string {
  const needs = 'Python 3.7 or later; for RSA the openssl program';
  const pair = ([name, value]: readonly [string, string]) => `(${quoted(name)}, ${quoted(value)})`;
  return paragraphs([
    ['#!/usr/bin/env python3', ...moduleIntroduction('#', needs, 'python3 gateway_signer.py')],
    [...['base64', 'hashlib', 'hmac', 'os', 'secrets', 'subprocess', 'sys', 'time', 'urllib.parse']].map(
      (name) => `import ${name}`,
    ),
    `BASE_URL = ${quoted(baseUrl)}`,
    [
      '# Operation: scheme, path, what the checksum covers, whether the body contains the login.',
      'OPERATIONS = {',
      ...operations.map(({ id, scheme, path, values, sendsLogin }) => {
        const covered = values.map(quoted).join(', ');
        const login = sendsLogin ? 'True' : 'False';
        return `    ${quoted(id)}: (${quoted(scheme)}, ${quoted(path)}, [${covered}], ${login}),`;
      }),
      '}',
    ],
    `
def prepare_request(operation, endpoint_id, login, fields, nonce=None, timestamp=None):
    """A request before it is signed. Fields are a list of (name, value)."""
    scheme, path, values, sends_login = OPERATIONS[operation]
    url = BASE_URL + path + endpoint_id
    fields = list(fields)
    if sends_login and all(name != "login" for name, _ in fields):
        fields.append(("login", login))
    oauth = []
    text = ""
    if scheme == "control":
        text = control_text(values, endpoint_id, login, fields)
    elif scheme != "none":
        oauth = [
            ("oauth_consumer_key", login),
            ("oauth_nonce", nonce or secrets.token_hex(16)),
            ("oauth_signature_method", scheme),
            ("oauth_timestamp", timestamp or str(int(time.time()))),
            ("oauth_version", "1.0"),
        ]
        text = base_string(url, fields + oauth)
    return {"scheme": scheme, "url": url, "fields": fields, "oauth": oauth, "base_string": text}


def sign_request(prepared, key):
    """Address, headers and body to send. The key is the control key, or for RSA-SHA256 the path of the PEM file."""
    scheme, fields, oauth, text = (prepared[name] for name in ("scheme", "fields", "oauth", "base_string"))
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "application/vnd.pay+json",
        "Accept-Encoding": "identity",
    }
    if scheme == "control":
        fields = fields + [("control", checksum(text, key))]
    elif scheme != "none":
        signature = hmac_sha1(text, key) if scheme == "HMAC-SHA1" else rsa_sha256(text, key)
        pairs = oauth + [("oauth_signature", signature)]
        headers["Authorization"] = "OAuth " + ", ".join(f'{name}="{encode(value)}"' for name, value in pairs)${
          repeatsInBody
            ? `
        if scheme == "HMAC-SHA1":
            fields = fields + oauth`
            : ''
        }
    return {"url": prepared["url"], "headers": headers, "body": encode_form(fields)}


def encode(text):
    """Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986)."""
    return urllib.parse.quote(text, safe="")


def encode_form(pairs):
    return "&".join(f"{encode(name)}={encode(value)}" for name, value in pairs)


def minor_units(amount):
    return amount.replace(".", "").lstrip("0")


def control_text(values, endpoint_id, login, fields):
    known = {**dict(fields), "endpoint_id": endpoint_id, "login": login}
    known["amount"] = minor_units(known.get("amount", ""))
    return "".join(known.get(name, "") for name in values)


def checksum(text, key):
    digest = hashlib.sha1((text + key).encode())
    return ${digests[encoding]}


def base_string(url, pairs):
    """RFC 5849 3.4.1: all names and values encoded, then sorted by name and value."""
    encoded = sorted((encode(name), encode(value)) for name, value in pairs)
    return "&".join(["POST", encode(url), encode("&".join(f"{name}={value}" for name, value in encoded))])


def hmac_sha1(text, key):
    digest = hmac.new((${keyForm === 'raw' ? 'key' : 'encode(key)'} + "&").encode(), text.encode(), hashlib.sha1)
    return base64.b64encode(digest.digest()).decode()


def rsa_sha256(text, key_file):
    command = ["openssl", "dgst", "-sha256", "-sign", key_file]  # the standard library has no RSA
    signature = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    return base64.b64encode(signature).decode()


def private_key():
    key_file = os.environ.get("PRIVATE_KEY_FILE", "")
    if not os.access(key_file, os.R_OK):
        sys.exit("PRIVATE_KEY_FILE must name the PEM file with the RSA private key")
    return key_file


def control_key():
    key = os.environ.get("CONTROL_KEY", "")
    if "CONTROL_KEY_FILE" in os.environ:
        with open(os.environ["CONTROL_KEY_FILE"], encoding="utf-8") as file:
            key = file.read().rstrip("\\r\\n")
    if key == "":
        sys.exit("CONTROL_KEY_FILE must name the file with the merchant control key")
    return key


def self_test():
    """The expected values come from openssl."""
    key = ${quoted(vectors.key)}
    amounts = [${vectors.amounts.map(pair).join(', ')}]
    pairs = [
${vectors.pairs.map((each) => `        ${pair(each)},`).join('\n')}
    ]
    text = (
${vectors.baseString.map((part) => `        ${quoted(part)}`).join('\n')}
    )
    return (
        all(minor_units(amount) == minor for amount, minor in amounts)
        and checksum(${quoted(vectors.controlText)}, key) == ${quoted(vectors.control[encoding])}
        and base_string(${quoted(vectors.url)}, pairs) == text
        and hmac_sha1(text, key) == ${quoted(vectors.hmac[keyForm])}
    )


def main(arguments):
    if arguments == ["--self-test"]:
        passed = self_test()
        print("passed" if passed else "FAILED")
        return 0 if passed else 1
    command, operation, endpoint_id, login, nonce, timestamp = (arguments + [None] * 6)[:6]
    if command not in ("--base-string", "--request") or operation not in OPERATIONS or login is None:
        sys.exit("usage: --self-test | --base-string or --request, OPERATION, ENDPOINT_ID, LOGIN [NONCE TIMESTAMP]")
    lines = sys.stdin.buffer.read().decode().split("\\n")
    fields = [line.partition("=")[::2] for line in lines if line != ""]
    prepared = prepare_request(operation, endpoint_id, login, fields, nonce, timestamp)
    if command == "--base-string":
        sys.stdout.buffer.write(prepared["base_string"].encode())
        return 0
    read_key = {"none": lambda: None, "RSA-SHA256": private_key}.get(prepared["scheme"], control_key)
    signed = sign_request(prepared, read_key())
    headers = "".join(f"{name}: {value}\\n" for name, value in signed["headers"].items())
    print(f"POST {signed['url']} HTTP/1.1\\n{headers}\\n{signed['body']}", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))`,
  ]);
}
