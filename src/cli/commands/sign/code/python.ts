import type { ControlEncoding } from '../../../../signing/index.js';
import { plainHeaders } from '../../../../signing/schemes/request.js';
import { type CodePlan, type OauthPlan, type PlannedSigning, paragraphs } from './plan.js';
import { programParts, type Syntax } from './program-parts.js';

/** A Python 3 program with the standard library alone; for RSA, which that lacks, it calls the openssl program. */
export function pythonProgram(plan: CodePlan, run: string): string {
  const { address, signing } = plan;
  const needs = signing.scheme === 'rsa-sha256' ? 'Python 3.7 or later and the openssl program' : 'Python 3.7 or later';
  const parts = programParts(plan, syntax, { needs, run, cards: 'prompted for, or read from' });
  return paragraphs([
    ['#!/usr/bin/env python3', ...parts.introduction],
    imports(signing, parts.asks).map((name) => `import ${name}`),
    parts.asks ? ask : '',
    parts.isOauth ? encode : '',
    parts.key,
    [...parts.assignments, `url = ${quoted(address)} + endpoint_id`],
    ['fields = [', ...parts.pairs.map((pair) => `    ${pair},`), ']'],
    [
      'headers = {',
      ...Object.entries(plainHeaders).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},`),
      '}',
    ],
    parts.signing,
    post,
  ]);
}

const modules: Readonly<Record<PlannedSigning['scheme'], readonly string[]>> = {
  control: ['base64', 'hashlib', 'os'],
  'hmac-sha1': ['base64', 'hashlib', 'hmac', 'os', 'secrets', 'time'],
  'rsa-sha256': ['base64', 'os', 'secrets', 'subprocess', 'time'],
  none: [],
};

function imports(signing: PlannedSigning, asks: boolean): readonly string[] {
  const own = modules[signing.scheme].filter(
    (name) => name !== 'base64' || signing.scheme !== 'control' || signing.encoding === 'base64',
  );
  const all = [...own, ...(asks ? ['getpass', 'os'] : []), 'http.client', 'sys', 'urllib.parse'];
  return [...new Set(all)].sort();
}

// What JSON writes in a text means the same in Python.
export const quoted = (text: string): string => JSON.stringify(text);

const ask = `
def ask(name, field):
    """A value from the environment, or typed without being shown."""
    return os.environ.get(name) or getpass.getpass(field + ": ")
`;

const encode = `
def encode(text):
    """Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986)."""
    return urllib.parse.quote(text, safe="")
`;

const controlKey = `key = os.environ.get("CONTROL_KEY", "")
if "CONTROL_KEY_FILE" in os.environ:
    with open(os.environ["CONTROL_KEY_FILE"], encoding="utf-8") as file:
        key = file.read().rstrip("\\r\\n")
if key == "":
    sys.exit("CONTROL_KEY_FILE must name the file with the merchant control key")`;

const privateKey = `key_file = os.environ.get("PRIVATE_KEY_FILE", "")
if not os.access(key_file, os.R_OK):
    sys.exit("PRIVATE_KEY_FILE must name the PEM file with the RSA private key")`;

const written = {
  'hex-lower': 'digest.hexdigest()',
  'hex-upper': 'digest.hexdigest().upper()',
  base64: 'base64.b64encode(digest.digest()).decode()',
} as const;

function control(variables: readonly string[], encoding: ControlEncoding): readonly string[] {
  return [
    `digest = hashlib.sha1((${[...variables, 'key'].join(' + ')}).encode())`,
    `fields.append(("control", ${written[encoding]}))`,
  ];
}

/** RFC 5849 3.4.1 and 3.5.1. */
function oauth(signing: OauthPlan): readonly string[] {
  return [
    `oauth = [
    ("oauth_consumer_key", login),
    ("oauth_nonce", secrets.token_hex(16)),
    ("oauth_signature_method", "${signing.method}"),
    ("oauth_timestamp", str(int(time.time()))),
    ("oauth_version", "1.0"),
]
# All names and values encoded, then sorted by name and value.
encoded = sorted((encode(name), encode(value)) for name, value in fields + oauth)
parameters = "&".join(f"{name}={value}" for name, value in encoded)
text = "&".join(["POST", encode(url), encode(parameters)]).encode()`,
    ...signature(signing),
    `pairs = oauth + [("oauth_signature", base64.b64encode(signature).decode())]
headers["Authorization"] = "OAuth " + ", ".join(f'{name}="{encode(value)}"' for name, value in pairs)`,
  ];
}

function signature(signing: OauthPlan): readonly string[] {
  if (signing.scheme === 'hmac-sha1') {
    const secret = signing.keyForm === 'raw' ? 'key' : 'encode(key)';
    return [`signature = hmac.new((${secret} + "&").encode(), text, hashlib.sha1).digest()`];
  }
  return [
    'command = ["openssl", "dgst", "-sha256", "-sign", key_file]  # the standard library has no RSA',
    'signature = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout',
  ];
}

const post = `body = urllib.parse.urlencode(fields, safe="", quote_via=urllib.parse.quote)
where = urllib.parse.urlsplit(url)
connect = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
connection = connect(where.netloc, timeout=60)
connection.request("POST", where.path, body, headers)
reply = connection.getresponse()
print(reply.read().decode())
connection.close()
print("HTTP", reply.status, file=sys.stderr)
sys.exit(reply.status != 200)`;

const syntax: Syntax = {
  mark: '#',
  // PEP 8.
  blanks: '  ',
  name: (name) => name,
  quoted,
  asked: (variable, field) => `ask(${quoted(variable)}, ${quoted(field)})`,
  assignment: (name, value) => `${name} = ${value}`,
  pair: (name, value) => `(${name}, ${value})`,
  readControlKey: controlKey,
  readPrivateKey: privateKey,
  control,
  oauth,
  oauthIntoBody: 'fields += oauth',
};
