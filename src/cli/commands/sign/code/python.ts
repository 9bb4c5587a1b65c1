import { plainHeaders } from '../../../../signing/schemes/request.js';
import {
  type CodePlan,
  type ControlPlan,
  commented,
  inputsOf,
  introduction,
  isOauth,
  keyReader,
  type OauthPlan,
  type PlannedField,
  type PlannedSigning,
  paragraphs,
  signingLines,
  slotsOf,
  type Variable,
} from './plan.js';

/** A Python 3 program with the standard library alone; for RSA, which that lacks, it calls the openssl program. */
export function pythonProgram(plan: CodePlan, run: string): string {
  const { address, variables, fields, signing } = plan;
  const asks = inputsOf(plan).length > 0;
  const needs = signing.scheme === 'rsa-sha256' ? 'Python 3.7 or later and the openssl program' : 'Python 3.7 or later';
  return paragraphs([
    [
      '#!/usr/bin/env python3',
      ...commented('#', introduction(plan, { needs, run, cards: 'prompted for, or read from' })),
    ],
    imports(signing, asks).map((name) => `import ${name}`),
    asks ? ask : '',
    isOauth(signing) ? encode : '',
    keyReader(signing, controlKey, privateKey),
    [...variables.map(assignment), `url = ${quoted(address)} + endpoint_id`],
    ['fields = [', ...fields.map((field) => `    ${pair(field)},`), ']'],
    [
      'headers = {',
      ...Object.entries(plainHeaders).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},`),
      '}',
    ],
    signingLines(signing, { control, oauth }),
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

function assignment({ name, value, remark }: Variable): string {
  const text = 'text' in value ? quoted(value.text) : `ask(${quoted(name.toUpperCase())}, ${quoted(value.input)})`;
  return `${name} = ${text}${remark === undefined ? '' : `  # ${remark}`}`;
}

function pair({ wire, value }: PlannedField): string {
  return `(${quoted(wire)}, ${'text' in value ? quoted(value.text) : value.variable})`;
}

const ask = `
def ask(name, field):
    """A value from the environment, or typed without being shown."""
    return os.environ.get(name) or getpass.getpass(field + ": ")
`;

const encode = `
def encode(text):
    """Every byte as %XX except letters, digits and - . _ ~ (RFC 3986)."""
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

function control(signing: ControlPlan): readonly string[] {
  const { variables, remark } = slotsOf(signing);
  return [
    ...commented('#', remark),
    `digest = hashlib.sha1((${[...variables, 'key'].join(' + ')}).encode())`,
    `fields.append(("control", ${written[signing.encoding]}))`,
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
    ...(signing.scheme === 'hmac-sha1' && signing.repeatsInBody ? ['fields += oauth'] : []),
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
