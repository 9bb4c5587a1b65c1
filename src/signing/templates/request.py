#!/usr/bin/env python3
# {{#introduction}}
# {{{.}}}
# {{/introduction}}

# {{#base64}}
import base64
# {{/base64}}
# {{#oauth}}
import base64
# {{/oauth}}
# {{#asks}}
import getpass
# {{/asks}}
# {{#control}}
import hashlib
# {{/control}}
# {{#hmac}}
import hashlib
import hmac
# {{/hmac}}
import http.client
# {{#usesEnvironment}}
import os
# {{/usesEnvironment}}
# {{#oauth}}
import secrets
# {{/oauth}}
# {{#rsa}}
import subprocess
# {{/rsa}}
import sys
# {{#oauth}}
import time
# {{/oauth}}
import urllib.parse

# {{#asks}}

def ask(name, field):
    """A value from the environment, or typed without being shown."""
    return os.environ.get(name) or getpass.getpass(field + ": ")


# {{/asks}}
# {{#oauth}}

def encode(text):
    """Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986)."""
    return urllib.parse.quote(text, safe="")


# {{/oauth}}
# {{#controlKey}}
key = os.environ.get("CONTROL_KEY", "")
if "CONTROL_KEY_FILE" in os.environ:
    with open(os.environ["CONTROL_KEY_FILE"], encoding="utf-8") as file:
        key = file.read().rstrip("\r\n")
if key == "":
    sys.exit("CONTROL_KEY_FILE must name the file with the merchant control key")

# {{/controlKey}}
# {{#rsa}}
key_file = os.environ.get("PRIVATE_KEY_FILE", "")
if not os.access(key_file, os.R_OK):
    sys.exit("PRIVATE_KEY_FILE must name the PEM file with the RSA private key")

# {{/rsa}}
# {{#usesLogin}}
login = "{{login}}"
# {{/usesLogin}}
endpoint_id = "{{endpointId}}"
url = "{{address}}" + endpoint_id
fields = [
    # {{#fields}}
    # {{^isAsked}}
    ("{{wire}}", "{{text}}"),
    # {{/isAsked}}
    # {{#isAsked}}
    ("{{wire}}", ask("{{variable}}", "{{wire}}")),
    # {{/isAsked}}
    # {{/fields}}
]
headers = {
    # {{#headers}}
    "{{name}}": "{{value}}",
    # {{/headers}}
}
# {{#control}}

# SHA-1 over these values without separators; one that is not sent is empty.
first = dict(reversed(fields))
text = "".join(
    [
        # {{#slots}}
        # {{#isEndpoint}}
        endpoint_id,
        # {{/isEndpoint}}
        # {{#isLogin}}
        login,
        # {{/isLogin}}
        # {{#minor}}
        "{{minor}}",  # the amount in minor units
        # {{/minor}}
        # {{#field}}
        first.get("{{field}}", ""),
        # {{/field}}
        # {{/slots}}
        key,
    ]
)
digest = hashlib.sha1(text.encode())
# {{#hexLower}}
control = digest.hexdigest()
# {{/hexLower}}
# {{#hexUpper}}
control = digest.hexdigest().upper()
# {{/hexUpper}}
# {{#base64}}
control = base64.b64encode(digest.digest()).decode()
# {{/base64}}
fields.append(("control", control))
# {{/control}}
# {{#oauth}}

oauth = [
    ("oauth_consumer_key", login),
    ("oauth_nonce", secrets.token_hex(16)),
    ("oauth_signature_method", "{{method}}"),
    ("oauth_timestamp", str(int(time.time()))),
    ("oauth_version", "1.0"),
]
# RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
encoded = sorted((encode(name), encode(value)) for name, value in fields + oauth)
parameters = "&".join(f"{name}={value}" for name, value in encoded)
text = "&".join(["POST", encode(url), encode(parameters)]).encode()
# {{#hmac}}
# {{#rawKey}}
secret = key + "&"
# {{/rawKey}}
# {{^rawKey}}
secret = encode(key) + "&"
# {{/rawKey}}
signature = hmac.new(secret.encode(), text, hashlib.sha1).digest()
# {{/hmac}}
# {{#rsa}}
command = ["openssl", "dgst", "-sha256", "-sign", key_file]  # the standard library has no RSA
signature = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout
# {{/rsa}}
pairs = oauth + [("oauth_signature", base64.b64encode(signature).decode())]
headers["Authorization"] = "OAuth " + ", ".join(f'{name}="{encode(value)}"' for name, value in pairs)
# {{#inBody}}
fields += oauth
# {{/inBody}}
# {{/oauth}}

body = urllib.parse.urlencode(fields, safe="", quote_via=urllib.parse.quote)
where = urllib.parse.urlsplit(url)
connect = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
connection = connect(where.netloc, timeout=60)
connection.request("POST", where.path, body, headers)
reply = connection.getresponse()
print(reply.read().decode())
connection.close()
print("HTTP", reply.status, file=sys.stderr)
sys.exit(reply.status != 200)
