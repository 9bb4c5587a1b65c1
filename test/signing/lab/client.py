"""A client in Python: signs each request under each of its faults, and under pairs of them. Reads and writes JSON."""

import base64
import binascii
import csv
import hashlib
import hmac
import html
import io
import json
import pprint
import re
import shlex
import sys
import unicodedata
from decimal import Decimal
from itertools import combinations
from urllib.parse import quote, quote_plus, urlencode
from xml.etree import ElementTree


def right(text):
    return quote(text, safe="~")


def b64(data):
    return base64.b64encode(data).decode()


def csv_of(values, **options):
    out = io.StringIO()
    csv.writer(out, **options).writerow(values)
    return out.getvalue()


def xml_of(fields):
    root = ElementTree.Element("request")
    for name, value in fields.items():
        ElementTree.SubElement(root, name).text = value
    return ElementTree.tostring(root, encoding="unicode")


def base_string(r, f):
    pairs = f.get("pairs", lambda pairs, r: pairs)(r["oauth"] + r["query"] + r["body"], r)
    encode = f.get("encode", right)
    name = f.get("encode_name", encode)
    encoded = [(name(n), encode(v), n, v) for n, v in pairs]
    ordered = f.get("order", lambda list: sorted(list, key=lambda p: (p[0], p[1])))(encoded)
    parameters = f.get("join", lambda list: "&".join(p[0] + "=" + p[1] for p in list))(ordered)
    method = f.get("method", lambda m: m)(r["method"])
    uri = f.get("uri", lambda r: r["uri"])(r)
    outer = f.get("outer", right)
    if "whole" in f:
        return f["whole"](method, uri, parameters)
    return f.get("text", lambda t: t)("&".join([outer(method), outer(uri), outer(parameters)]))


def sign(r, f):
    base = base_string(r, f)
    key = f["key_of"](r) if "key_of" in f else f.get("key", lambda s: right(s) + "&")(r["secret"])
    if isinstance(key, str):
        key = key.encode()
    digest = f.get("mac", lambda k, t: hmac.new(k, t.encode(), hashlib.sha1).digest())(key, base)
    return f.get("write", b64)(digest)


def put(name, value):
    return lambda pairs, r: [(n, value if n == name else v) for n, v in pairs]


def without(test):
    return lambda pairs, r: [p for p in pairs if not test(p, r)]


def is_body(pair, r):
    return list(pair) in [list(p) for p in r["body"]]


def as_dict(pairs, r):
    return list(dict(map(tuple, pairs)).items())


def field(at, change):
    def step(pairs, r):
        name = r["body"][at][0]
        return [p for pair in pairs for p in ([change(pair)] if pair[0] == name else [pair]) if p is not None]

    return step


ENC = "space-plus|reserved-characters"
OAUTH = [
    ("encoder", "reserved-characters", "quote leaves the slash", {"encode": quote}),
    ("encoder", ENC, "quote_plus", {"encode": quote_plus}),
    ("encoder", ENC, "quote_plus twice", {"encode": quote_plus, "outer": quote_plus}),
    ("encoder", "not-utf8", "quote of latin-1", {"encode": lambda s: quote(s.encode("latin-1", "replace"), safe="~")}),
    ("encoder", "not-utf8", "quote of cp1252", {"encode": lambda s: quote(s.encode("cp1252", "replace"), safe="~")}),
    ("encoder", "not-utf8", "quote of ascii, ignoring", {"encode": lambda s: quote(s.encode("ascii", "ignore"), safe="~")}),
    ("encoder", "encoded-twice-or-once", "quote twice", {"encode": lambda s: right(right(s))}),
    ("encoder", "encoded-twice-or-once", "nothing encoded", {"encode": str}),
    ("encoder", "reserved-characters", "quote with all of !*'()", {"encode": lambda s: quote(s, safe="~!*'()")}),
    ("encoder", "any", "urlencode of the dictionary", {"encode": str, "join": lambda l: urlencode([(p[2], p[3]) for p in l])}),
    ("encoder", "encoded-twice-or-once", "parameters not encoded again", {"whole": lambda m, u, p: "&".join([m, right(u), p])}),
    ("encoder", "encoded-twice-or-once", "address not encoded", {"whole": lambda m, u, p: "&".join([m, u, right(p)])}),
    ("encoder", "encoded-twice-or-once", "no element encoded", {"whole": lambda m, u, p: "&".join([m, u, p])}),
    ("encoder", "reserved-characters", "lower-case escapes", {"encode": lambda s: "".join(c if c.isalnum() and c.isascii() or c in "-._~" else "".join("%%%02x" % b for b in c.encode()) for c in s)}),
    ("order", "sort-order", "not sorted", {"order": lambda l: l}),
    ("order", "sort-order", "sorted before encoding", {"order": lambda l: sorted(l, key=lambda p: (p[2], p[3]))}),
    ("order", "sort-order", "sorted in lower case", {"order": lambda l: sorted(l, key=lambda p: p[0].lower())}),
    ("order", "sort-order", "sorted joined", {"order": lambda l: sorted(l, key=lambda p: p[0] + "=" + p[1])}),
    ("order", "sort-order", "reversed", {"order": lambda l: sorted(l, key=lambda p: (p[0], p[1]), reverse=True)}),
    ("order", "sort-order", "by value", {"order": lambda l: sorted(l, key=lambda p: p[1])}),
    ("source", "body-left-out", "body left out", {"pairs": without(is_body)}),
    ("source", "repeated-or-nested-names", "a dictionary", {"pairs": as_dict}),
    ("source", "empty-values", "falsy values dropped", {"pairs": without(lambda p, r: not p[1])}),
    ("source", "empty-values", "None for empty", {"pairs": lambda l, r: [(n, str(v or None)) for n, v in l]}),
    ("source", "empty-values", "oauth_token added", {"pairs": lambda l, r: l + [("oauth_token", "")]}),
    ("source", "empty-values", "oauth_token None", {"pairs": lambda l, r: l + [("oauth_token", str(None))]}),
    ("source", "body-left-out", "first field missing", {"pairs": field(0, lambda p: None)}),
    ("source", "body-left-out", "third field missing", {"pairs": field(2, lambda p: None)}),
    ("source", "body-left-out|empty-values", "second field empty", {"pairs": field(1, lambda p: (p[0], ""))}),
    ("source", "body-left-out|empty-values", "second field None", {"pairs": field(1, lambda p: (p[0], str(None)))}),
    ("source", "empty-values", "an empty field that is not sent", {"pairs": lambda l, r: l + [("ipaddress", "")]}),
    ("source", "space-plus", "values stripped", {"pairs": lambda l, r: [(n, v.strip()) for n, v in l]}),
    ("source", "not-utf8", "bytes printed", {"pairs": lambda l, r: [(n, str(v.encode()) if [n, v] in r["body"] else v) for n, v in l]}),
    ("source", "protocol|repeated-or-nested-names", "oauth_ values twice", {"pairs": lambda l, r: l + r["oauth"]}),
    ("source", "nonce-timestamp|empty-values|body-left-out|protocol", "version left out", {"pairs": without(lambda p, r: p[0] == "oauth_version")}),
    ("source", "nonce-timestamp", "nonce left out", {"pairs": without(lambda p, r: p[0] == "oauth_nonce")}),
    ("source", "nonce-timestamp", "time in milliseconds", {"pairs": lambda l, r: [(n, v + "000" if n == "oauth_timestamp" else v) for n, v in l]}),
    ("source", "nonce-timestamp", "time as a float", {"pairs": lambda l, r: [(n, str(float(v)) if n == "oauth_timestamp" else v) for n, v in l]}),
    ("source", "rsa-key-or-method", "another method named", {"pairs": put("oauth_signature_method", "HMAC-SHA256")}),
    ("source", "realm", "realm signed", {"pairs": lambda l, r: l + [("realm", r["realm"])]}),
    ("source", "body-left-out", "json body", {"pairs": lambda l, r: r["oauth"] + r["query"] + [(json.dumps(dict(r["body"])), "")]}),
    ("source", "body-left-out", "json body beside", {"pairs": lambda l, r: r["oauth"] + r["query"] + [(json.dumps(dict(r["body"]), separators=(",", ":")), "")]}),
    ("source", "query-left-out", "query left out", {"pairs": lambda l, r: r["oauth"] + r["body"]}),
    ("source", "query-left-out", "query twice", {"pairs": lambda l, r: l + r["query"]}),
    ("address", "scheme-host-port", "http", {"uri": lambda r: r["uri"].replace("https:", "http:")}),
    ("address", "scheme-host-port", "as written", {"uri": lambda r: r["written"]}),
    ("address", "scheme-host-port", "port lost", {"uri": lambda r: r["uri"].replace(r["port"], "") if r["port"] else r["uri"]}),
    ("address", "scheme-host-port", "slash added", {"uri": lambda r: r["uri"] + "/"}),
    ("address", "scheme-host-port", "path only", {"uri": lambda r: r["path"]}),
    ("address", "scheme-host-port", "host as written, port lost", {"uri": lambda r: r["written"].replace(r["port"], "") if r["port"] else r["written"]}),
    ("address", "method", "get", {"method": lambda m: "GET"}),
    ("address", "method", "lower", {"method": str.lower}),
    ("text", "digest|signing-key|text", "line feed behind the base string", {"text": lambda t: t + "\n"}),
    ("text", "reserved-characters", "base string in lower case", {"text": str.lower}),
    ("key", "signing-key", "no ampersand", {"key": lambda s: s}),
    ("key", "signing-key", "None behind", {"key": lambda s: f"{right(s)}&{None}"}),
    ("key", "signing-key", "None behind, raw", {"key": lambda s: f"{s}&{None}"}),
    ("key", "signing-key", "line feed", {"key": lambda s: right(s + "\n") + "&"}),
    ("key", "signing-key", "line feed at the end of all", {"key": lambda s: right(s) + "&\n"}),
    ("key", "signing-key", "bytes printed", {"key": lambda s: right(str(s.encode())) + "&"}),
    ("key", "signing-key", "bytes printed raw", {"key": lambda s: f"{s.encode()}&"}),
    ("key", "signing-key", "hex of uuid", {"key": lambda s: s.replace("-", "") + "&"}),
    ("key", "signing-key", "lower", {"key": lambda s: right(s.lower()) + "&"}),
    ("key", "signing-key", "base64", {"key": lambda s: right(b64(s.encode())) + "&"}),
    ("key", "signing-key", "quote twice", {"key": lambda s: right(right(s)) + "&"}),
    ("key", "signing-key", "sha1 of it", {"key": lambda s: hashlib.sha1(s.encode()).hexdigest() + "&"}),
    ("key", "signing-key", "json", {"key": lambda s: json.dumps(s) + "&"}),
    ("key", "signing-key", "token None as text twice", {"key": lambda s: f"{None}&{None}"}),
    ("digest", "digest", "sha256", {"mac": lambda k, t: hmac.new(k, t.encode(), hashlib.sha256).digest()}),
    ("digest", "digest", "md5", {"mac": lambda k, t: hmac.new(k, t.encode(), hashlib.md5).digest()}),
    ("digest", "digest", "no hmac", {"mac": lambda k, t: hashlib.sha1(t.encode() + k).digest()}),
    ("digest", "digest", "sha1 of text", {"mac": lambda k, t: hashlib.sha1(k + t.encode()).digest()}),
    ("digest", "signing-key", "exchanged", {"mac": lambda k, t: hmac.new(t.encode(), k, hashlib.sha1).digest()}),
    ("digest", "digest", "hashed before", {"mac": lambda k, t: hmac.new(k, hashlib.sha1(t.encode()).digest(), hashlib.sha1).digest()}),
    ("digest", "digest", "hex hashed before", {"mac": lambda k, t: hmac.new(k, hashlib.sha1(t.encode()).hexdigest().encode(), hashlib.sha1).digest()}),
    ("writing", "digest", "hexdigest", {"write": lambda d: d.hex()}),
    ("writing", "digest", "hexdigest in base64", {"write": lambda d: b64(d.hex().encode())}),
    ("writing", "digest", "encodebytes", {"write": lambda d: base64.encodebytes(d).decode()}),
    ("writing", "digest", "str of bytes", {"write": lambda d: str(base64.b64encode(d))}),
    ("writing", "digest", "urlsafe", {"write": lambda d: base64.urlsafe_b64encode(d).decode()}),
    ("writing", "digest", "base32", {"write": lambda d: base64.b32encode(d).decode()}),
    ("writing", "digest", "quote", {"write": lambda d: right(b64(d))}),
    ("writing", "digest", "quote twice", {"write": lambda d: right(right(b64(d)))}),
    ("writing", "digest", "stripped", {"write": lambda d: b64(d).rstrip("=")}),
    ("writing", "digest", "decimal", {"write": lambda d: str(int.from_bytes(d, "big"))}),
    ("writing", "digest", "hex of an integer", {"write": lambda d: "%x" % int.from_bytes(d, "big")}),
    ("writing", "digest", "hex with colons", {"write": lambda d: d.hex(":")}),
    ("writing", "header-not-encoded", "plus became a blank", {"write": lambda d: b64(d).replace("+", " ")}),
    *[("joining", "encoded-twice-or-once", f"parameters joined by {s!r}", {"join": lambda l, s=s: s.join(p[0] + "=" + p[1] for p in l)}) for s in [";", ", ", "&amp;", "\n", ""]],
    ("text", "encoded-twice-or-once", "names and values joined by a colon", {"join": lambda l: "&".join(p[0] + ":" + p[1] for p in l)}),
    ("text", "encoded-twice-or-once", "elements joined by line ends", {"text": lambda t: "\n".join(t.split("&"))}),
    ("text", "encoded-twice-or-once", "parameters alone", {"text": lambda t: t.split("&")[2]}),
    ("text", "encoded-twice-or-once", "no method", {"text": lambda t: "&".join(t.split("&")[1:])}),
    ("source", "not-utf8", "NFD", {"pairs": lambda l, r: [(n, unicodedata.normalize("NFD", v)) for n, v in l]}),
    ("source", "not-utf8|body-left-out", "accents lost", {"pairs": lambda l, r: [(n, "".join(c for c in unicodedata.normalize("NFD", v) if not unicodedata.combining(c))) for n, v in l]}),
    ("source", "encoded-twice-or-once", "values in quotes", {"pairs": lambda l, r: [(n, f'"{v}"') for n, v in l if '"' not in v]}),
    ("source", "reserved-characters|body-left-out", "all values in lower case", {"pairs": lambda l, r: [(n, v.lower()) for n, v in l]}),
    ("source", "any", "currency in lower case", {"pairs": lambda l, r: [(n, v.lower() if n == "currency" else v) for n, v in l]}),
    ("source", "any", "account number as an integer", {"pairs": lambda l, r: [(n, str(int(v)) if n == "account_number" and v.isdigit() else v) for n, v in l]}),
    ("source", "nonce-timestamp", "nonce and timestamp exchanged", {"pairs": lambda l, r: [(n, dict(map(tuple, l))[{"oauth_nonce": "oauth_timestamp", "oauth_timestamp": "oauth_nonce"}.get(n, n)] if n.startswith("oauth_") else v) for n, v in l]}),
    ("key", "signing-key", "quote_plus", {"key": lambda s: quote_plus(s) + "&"}),
    ("writing", "digest", "the name of the hash before it", {"write": lambda d: "sha1=" + d.hex()}),
    ("writing", "digest", "encodebytes of hexdigest", {"write": lambda d: base64.encodebytes(d.hex().encode()).decode()}),
]

# Of these no pairs are made.
OAUTH_ALONE = [
    *[("source", "not-utf8|encoded-twice-or-once", f"errors={e}", {"pairs": lambda l, r, e=e: [(n, v.encode("ascii", e).decode()) for n, v in l]}) for e in ["backslashreplace", "xmlcharrefreplace", "namereplace"]],
    *[("encoder", "not-utf8|encoded-twice-or-once", f"quote of latin-1, errors={e}", {"encode": lambda s, e=e: quote(s, safe="~", encoding="latin-1", errors=e)}) for e in ["backslashreplace", "xmlcharrefreplace", "namereplace", "ignore"]],
    *[("encoder", ENC, f"quote, safe={safe!r}", {"encode": lambda s, safe=safe: quote(s, safe=safe)}) for safe in ["/:", "~()", "!~", "~/:@", "*'()!", "~!*", "@", "&=", "/~:,;"]],
    *[("encoder", ENC, f"quote_plus, safe={safe!r}", {"encode": lambda s, safe=safe: quote_plus(s, safe=safe)}) for safe in ["~", "/:", "*"]],
    ("order", "sort-order", "by value before encoding", {"order": lambda l: sorted(l, key=lambda p: p[3])}),
    ("order", "sort-order", "by value, backwards", {"order": lambda l: sorted(l, key=lambda p: p[1], reverse=True)}),
    ("order", "sort-order", "by the length of the name", {"order": lambda l: sorted(l, key=lambda p: len(p[0]))}),
    ("order", "sort-order", "as given, backwards", {"order": lambda l: l[::-1]}),
    ("order", "sort-order", "by name alone, backwards", {"order": lambda l: sorted(l, key=lambda p: p[0], reverse=True)}),
    ("source", "repeated-or-nested-names", "numbers for names", {"pairs": lambda l, r: [(str(i), v) for i, (_, v) in enumerate(l)]}),
    ("source", "repeated-or-nested-names", "swapcase()", {"pairs": lambda l, r: [(n.swapcase(), v) for n, v in l]}),
    ("source", "repeated-or-nested-names", "title()", {"pairs": lambda l, r: [(n.title(), v) for n, v in l]}),
    ("source", "repeated-or-nested-names", "names in one name", {"pairs": lambda l, r: [(f"transfer[{n}]" if [n, v] in r["body"] else n, v) for n, v in l]}),
    ("source", "repeated-or-nested-names", "names nested at _", {"pairs": lambda l, r: [(re.sub(r"_(\w+)", r"[\1]", n, count=1) if [n, v] in r["body"] else n, v) for n, v in l]}),
    *[("key", "signing-key", f"{what} as the token secret", {"key_of": lambda r, at=at: right(r["secret"]) + "&" + right(dict(map(tuple, r["oauth"]))[at])}) for what, at in [("nonce", "oauth_nonce"), ("timestamp", "oauth_timestamp"), ("login", "oauth_consumer_key")]],
    *[("key", "signing-key", f"{name} digest, {tail!r}", {"key": lambda s, name=name, tail=tail: hashlib.new(name, s.encode()).digest() + tail}) for name in ["sha1", "md5", "sha256"] for tail in [b"", b"&"]],
    ("key", "signing-key", "hexdigest without the ampersand", {"key": lambda s: hashlib.sha1(s.encode()).hexdigest()}),
    ("key", "signing-key", "sha1 in base64", {"key": lambda s: b64(hashlib.sha1(s.encode()).digest()) + "&"}),
    ("key", "signing-key", "sha1 of secret and ampersand", {"key": lambda s: hashlib.sha1(f"{s}&".encode()).hexdigest()}),
    ("key", "signing-key", "hex without the ampersand", {"key": lambda s: s.encode().hex()}),
    ("key", "signing-key", "hex of all", {"key": lambda s: f"{s}&".encode().hex()}),
    ("key", "signing-key", "base64 without the ampersand", {"key": lambda s: b64(s.encode())}),
    ("key", "signing-key", "base64 of all", {"key": lambda s: b64(f"{s}&".encode())}),
    *[("digest", "digest|not-utf8", f"base string in {c}", {"mac": lambda k, t, c=c: hmac.new(k, t.encode(c), hashlib.sha1).digest()}) for c in ["utf-16", "utf-16-le", "utf-16-be", "utf-32"]],
    *[("digest", "digest|not-utf8", f"key and base string in {c}", {"mac": lambda k, t, c=c: hmac.new(k.decode(errors="replace").encode(c), t.encode(c), hashlib.sha1).digest()}) for c in ["utf-16", "utf-16-le", "utf-16-be"]],
    *[("digest", "digest", f"{name}", {"mac": lambda k, t, name=name: hmac.new(k, t.encode(), name).digest()}) for name in ["blake2b", "blake2s", "sha3_256"]],
    ("digest", "digest", "blake2b with a key", {"mac": lambda k, t: hashlib.blake2b(t.encode(), key=k[:64]).digest()}),
    ("digest", "digest", "blake2b of 20 bytes", {"mac": lambda k, t: hashlib.blake2b(t.encode(), key=k[:64], digest_size=20).digest()}),
    ("digest", "digest", "sha512 cut", {"mac": lambda k, t: hmac.new(k, t.encode(), "sha512").digest()[:20]}),
    ("writing", "digest", "b85encode", {"write": lambda d: base64.b85encode(d).decode()}),
    ("writing", "digest", "b2a_uu", {"write": lambda d: "".join(binascii.b2a_uu(d[i : i + 45]).decode() for i in range(0, len(d), 45))}),
    ("writing", "digest", "str of hexlify", {"write": lambda d: str(binascii.hexlify(d))}),
    ("writing", "digest", "str of digest", {"write": str}),
    ("writing", "digest", "b2a_qp", {"write": lambda d: binascii.b2a_qp(d).decode()}),
]


def checksum(r, f):
    values = f.get("values", lambda v, r: v)([tuple(p) for p in r["values"]], r)
    texts = f.get("texts", lambda l: l)([v for _, v in values])
    key = f.get("key", lambda k: k)(r["key"])
    named = list(zip([n for n, _ in values], texts))
    whole = f["whole"](named, key) if "whole" in f else f.get("join", lambda l, k: "".join(l) + k)(texts, key)
    data = f.get("bytes", lambda t: t.encode())(whole)
    digest = f.get("hash", lambda d: hashlib.sha1(d).digest())(data)
    return f.get("write", lambda d: d.hex())(digest)


def value(name, change):
    return lambda v, r: [(n, change(t) if n == name else t) for n, t in v]


def recipe(*names):
    return lambda v, r: [(n, r["all"].get(n, "")) for n in names]


AMOUNT = "decimal-amount"
CONTROL = [
    *[("join", "order", f"separator {s!r}", {"join": lambda l, k, s=s: s.join(l + [k])}) for s in ",|:;-_ \n&/."],
    *[("join", "order", f"separator {s!r}, none before the key", {"join": lambda l, k, s=s: s.join(l) + k}) for s in ",|:;-_ \n&/."],
    ("join", "order", "key first", {"join": lambda l, k: k + "".join(l)}),
    ("join", "order", "reversed", {"join": lambda l, k: "".join(reversed(l)) + k}),
    ("join", "order", "a printed list", {"join": lambda l, k: str(l) + k}),
    ("value", AMOUNT, "float of the cents", {"values": value("amount", lambda t: str(float(t)))}),
    ("value", AMOUNT, "float of the units", {"values": value("amount", lambda t: str(int(t) / 100))}),
    ("value", AMOUNT, "two digits", {"values": value("amount", lambda t: f"{int(t) / 100:.2f}")}),
    ("value", AMOUNT, "four digits", {"values": value("amount", lambda t: f"{int(t) / 100:.4f}")}),
    ("value", AMOUNT, "decimal of the units", {"values": value("amount", lambda t: str((Decimal(t) / 100).quantize(Decimal("0.001"))))}),
    ("value", AMOUNT, "cents with two digits", {"values": value("amount", lambda t: f"{int(t):.2f}")}),
    ("value", AMOUNT, "grouped", {"values": value("amount", lambda t: f"{int(t) / 100:,.2f}")}),
    ("value", AMOUNT, "padded", {"values": value("amount", lambda t: t.zfill(12))}),
    ("value", AMOUNT, "six digits", {"values": value("amount", lambda t: f"{int(t) / 100:f}")}),
    ("value", "orderid-text", "None for the order id", {"values": value("orderId", lambda t: str(t or None))}),
    ("value", "missing-email", "None for the e-mail", {"values": value("email", lambda t: str(t or None))}),
    ("value", "orderid-text", "order id as an integer", {"values": value("orderId", lambda t: str(int(t)) if t else t)}),
    ("value", "orderid-text", "own order id as an integer", {"values": value("clientOrderId", lambda t: str(int(t)) if t.isdigit() else t)}),
    ("value", "orderid-text", "own order id stripped", {"values": value("clientOrderId", str.strip)}),
    ("value", "missing-email|upper-case", "e-mail stripped", {"values": value("email", str.strip)}),
    ("value", "upper-case|missing-email", "e-mail in lower case", {"values": value("email", str.lower)}),
    ("value", "upper-case|orderid-text", "own order id in lower case", {"values": value("clientOrderId", str.lower)}),
    ("value", "upper-case|orderid-text", "own order id in upper case", {"values": value("clientOrderId", str.upper)}),
    ("value", "upper-case|endpoint-login", "login in lower case", {"values": value("login", str.lower)}),
    ("value", "upper-case|amount-currency", "currency in lower case", {"values": value("currency", str.lower)}),
    ("value", "endpoint-login", "endpoint for login", {"values": lambda v, r: [(n, r["all"]["endpointId"] if n == "login" else t) for n, t in v]}),
    ("value", "endpoint-login", "login for endpoint", {"values": lambda v, r: [(n, r["all"]["login"] if n == "endpointId" else t) for n, t in v]}),
    ("recipe", "any", "recipe of status", {"values": recipe("login", "clientOrderId", "orderId")}),
    ("recipe", "any", "recipe of sale", {"values": recipe("endpointId", "clientOrderId", "amount", "email")}),
    ("recipe", "any", "recipe of capture", {"values": recipe("login", "clientOrderId", "orderId", "amount", "currency")}),
    ("recipe", "any", "recipe of rebill", {"values": recipe("login", "clientOrderId", "cardRefId", "amount", "currency")}),
    ("recipe", "any", "recipe of verification", {"values": recipe("endpointId", "clientOrderId", "email")}),
    ("value", "amount-currency", "currency left out", {"values": lambda v, r: [p for p in v if p[0] != "currency"]}),
    ("value", "amount-currency", "amount left out", {"values": lambda v, r: [p for p in v if p[0] != "amount"]}),
    ("value", "missing-email", "e-mail left out", {"values": lambda v, r: [p for p in v if p[0] != "email"]}),
    ("value", "orderid-text", "order id left out", {"values": lambda v, r: [p for p in v if p[0] != "orderId"]}),
    ("values", "space-plus|charset", "quote_plus", {"texts": lambda l: [quote_plus(t) for t in l]}),
    ("values", "charset", "quote", {"texts": lambda l: [quote(t) for t in l]}),
    ("values", "charset", "escaped for HTML", {"texts": lambda l: [html.escape(t) for t in l]}),
    ("values", "charset", "JSON texts", {"texts": lambda l: [json.dumps(t)[1:-1] for t in l]}),
    ("values", "upper-case", "lower case", {"texts": lambda l: [t.lower() for t in l]}),
    ("values", "orderid-text|missing-email", "all stripped", {"texts": lambda l: [t.strip() for t in l]}),
    ("key", "key-whitespace", "line feed", {"key": lambda k: k + "\n"}),
    ("key", "upper-case", "lower case", {"key": str.lower}),
    ("key", "other-key", "bytes printed", {"key": lambda k: str(k.encode())}),
    ("key", "other-key", "without dashes", {"key": lambda k: k.replace("-", "")}),
    ("key", "other-key", "sha1 of it", {"key": lambda k: hashlib.sha1(k.encode()).hexdigest()}),
    ("key", "other-key", "None", {"key": lambda k: str(None)}),
    ("bytes", "charset", "latin-1", {"bytes": lambda t: t.encode("latin-1", "replace")}),
    ("bytes", "charset", "utf-16", {"bytes": lambda t: t.encode("utf-16-le")}),
    ("bytes", "charset", "utf-16 with its mark", {"bytes": lambda t: t.encode("utf-16")}),
    ("bytes", "key-whitespace", "line feed behind all", {"bytes": lambda t: (t + "\n").encode()}),
    ("hash", "digest", "md5", {"hash": lambda d: hashlib.md5(d).digest()}),
    ("hash", "digest", "sha256", {"hash": lambda d: hashlib.sha256(d).digest()}),
    ("hash", "digest", "hex hashed again", {"hash": lambda d: hashlib.sha1(hashlib.sha1(d).hexdigest().encode()).digest()}),
    ("hash", "digest", "upper-case hex hashed again", {"hash": lambda d: hashlib.sha1(hashlib.sha1(d).hexdigest().upper().encode()).digest()}),
    ("hash", "digest", "base64 hashed again", {"hash": lambda d: hashlib.sha1(base64.b64encode(hashlib.sha1(d).digest())).digest()}),
    ("hash", "digest", "sha1 of md5", {"hash": lambda d: hashlib.sha1(hashlib.md5(d).hexdigest().encode()).digest()}),
    ("writing", "upper-case", "upper-case hex", {"write": lambda d: d.hex().upper()}),
    ("writing", "base64", "base64", {"write": b64}),
    ("writing", "base64", "base64 of hex", {"write": lambda d: b64(d.hex().encode())}),
    ("writing", "base64|digest", "encodebytes", {"write": lambda d: base64.encodebytes(d).decode()}),
    ("writing", "base64|digest", "str of bytes", {"write": lambda d: str(base64.b64encode(d))}),
    ("writing", "digest|base64", "str of hex bytes", {"write": lambda d: str(d.hex().encode())}),
    ("writing", "digest|base64", "0x before it", {"write": lambda d: hex(int.from_bytes(d, "big"))}),
    ("writing", "digest|base64", "decimal", {"write": lambda d: str(int.from_bytes(d, "big"))}),
    ("writing", "digest|base64", "hex with colons", {"write": lambda d: d.hex(":")}),
    *[("join", "order", f"separator {s!r}", {"join": lambda l, k, s=s: s.join(l + [k])}) for s in ["\t", "*", "::", "||", "--", "#", "; "]],
    ("join", "order", "a list of Java", {"join": lambda l, k: f"[{', '.join(l)}]" + k}),
    ("join", "order", "a slice of Go", {"join": lambda l, k: f"[{' '.join(l)}]" + k}),
    ("join", "order", "an array of Ruby", {"join": lambda l, k: f"[{', '.join(json.dumps(t, ensure_ascii=False) for t in l)}]" + k}),
    ("value", AMOUNT, "currency before", {"values": lambda v, r: [(n, f"{r['all']['currency']} {int(t) / 100:.2f}" if n == "amount" else t) for n, t in v]}),
    ("value", AMOUNT, "a dollar sign", {"values": value("amount", lambda t: f"${int(t) / 100:.2f}")}),
    ("value", AMOUNT, "an exponent", {"values": value("amount", lambda t: f"{int(t) / 100:e}")}),
    ("value", AMOUNT, "negative", {"values": value("amount", lambda t: f"-{t}")}),
    ("values", "charset", "NFD", {"texts": lambda l: [unicodedata.normalize("NFD", t) for t in l]}),
    ("values", "order|endpoint-login", "a value twice", {"texts": lambda l: l[:1] + l}),
    ("key", "other-key", "bytes of its hexadecimal", {"join": lambda l, k: "".join(l), "bytes": lambda t: t.encode() + bytes.fromhex("B17F59B4A7DC41B48FF937D986B43D20")}),
    ("key", "other-key", "braces", {"key": lambda k: "{" + k + "}"}),
    ("hash", "digest", "sha256 cut", {"hash": lambda d: hashlib.sha256(d).digest()[:20]}),
    ("writing", "digest|base64", "signed bytes", {"write": lambda d: str([b - 256 if b > 127 else b for b in d])}),
    ("writing", "digest|base64", "cut", {"write": lambda d: d.hex()[:32]}),
]

def body(write):
    return {"values": lambda v, r: [("body", write(dict(r["body"])))]}


CONTROL_ALONE = [
    ("values", "order", "json.dumps of the body", body(json.dumps)),
    ("values", "order", "json.dumps of the body, sorted", body(lambda b: json.dumps(b, sort_keys=True, separators=(",", ":")))),
    ("values", "order", "urlencode of the body", body(urlencode)),
    ("values", "order", "str of the body", body(str)),
    ("values", "order", "comment before the key", {"values": lambda v, r: v + [("comment", dict(r["body"])["comment"])]}),
    ("value", AMOUNT, "Decimal of a float", {"values": value("amount", lambda t: str(Decimal(int(t) / 100) * 100))}),
    ("value", AMOUNT, "a float, all its digits", {"values": value("amount", lambda t: format(Decimal(int(t) / 100), "f"))}),
    ("value", "amount-currency", "the symbol of the currency", {"values": value("currency", lambda t: {"USD": "$", "EUR": "€"}[t])}),
    ("value", "charset", "ss for ß, ue for ü", {"texts": lambda l: [t.replace("ë", "e").replace("ä", "ae").replace("ü", "ue") for t in l]}),
    *[("hash", "digest", f"blake2b of {n}", {"hash": lambda d, n=n: hashlib.blake2b(d, digest_size=n).digest()}) for n in [64, 32, 20]],
    *[("hash", "digest", f"blake2s of {n}", {"hash": lambda d, n=n: hashlib.blake2s(d, digest_size=n).digest()}) for n in [32, 20, 16]],
    *[("hash", "digest", f"{name} cut", {"hash": lambda d, name=name: hashlib.new(name, d).digest()[:20]}) for name in ["sha512", "sha384", "sha3_256"]],
    ("hash", "digest", "sha256, its end", {"hash": lambda d: hashlib.sha256(d).digest()[-20:]}),
    ("hash", "digest", "shake_128", {"hash": lambda d: hashlib.shake_128(d).digest(20)}),
    ("hash", "digest", "shake_256", {"hash": lambda d: hashlib.shake_256(d).digest(20)}),
    ("writing", "digest|base64", "b85encode", {"write": lambda d: base64.b85encode(d).decode()}),
    ("writing", "digest|base64", "a85encode", {"write": lambda d: base64.a85encode(d).decode()}),
    ("writing", "digest|base64", "b2a_uu", {"write": lambda d: "".join(binascii.b2a_uu(d[i : i + 45]).decode() for i in range(0, len(d), 45))}),
    ("writing", "digest|base64", "str of hexlify", {"write": lambda d: str(binascii.hexlify(d))}),
    ("writing", "digest|base64", "str of digest", {"write": str}),
    ("writing", "digest|base64", "b2a_qp", {"write": lambda d: binascii.b2a_qp(d).decode()}),
    ("writing", "digest|base64", "list of digest", {"write": lambda d: str(list(d))}),
    ("writing", "digest|base64", "b32hexencode", {"write": lambda d: base64.b32hexencode(d).decode()}),
    ("join", "order", "json.dumps of the list", {"join": lambda l, k: json.dumps(l) + k}),
    ("join", "order", "json.dumps of the list and key", {"join": lambda l, k: json.dumps(l + [k])}),
    ("join", "order", "json.dumps of the list, compact", {"join": lambda l, k: json.dumps(l + [k], separators=(",", ":"))}),
    ("join", "order", "json.dumps of the list, indented", {"join": lambda l, k: json.dumps(l + [k], indent=2)}),
    ("join", "order", "repr of a tuple", {"join": lambda l, k: repr(tuple(l + [k]))}),
    ("join", "order", "json.dumps of numbers", {"join": lambda l, k: json.dumps([int(v) if v.isdigit() and str(int(v)) == v else v for v in l] + [k])}),
    ("join", "order", "repr of numbers", {"join": lambda l, k: repr([int(v) if v.isdigit() and str(int(v)) == v else v for v in l]) + k}),
    *[("join", "order", f"a dictionary by {what}", {"whole": lambda v, k, p=p: p(dict(v)) + k}) for what, p in [("repr", repr), ("json.dumps", json.dumps), ("json.dumps, sorted", lambda d: json.dumps(d, sort_keys=True)), ("json.dumps, indented", lambda d: json.dumps(d, indent=4)), ("urlencode", urlencode)]],
    *[("join", "order", f"a dictionary by {what}", {"whole": lambda v, k, p=p: p(dict(v)) + k}) for what, p in [("pformat", pprint.pformat), ("pformat, narrow", lambda d: pprint.pformat(d, width=20)), ("ElementTree", xml_of), ("a template", lambda d: "".join(f"{n}={v};" for n, v in d.items())), ("a template of lines", lambda d: "\n".join(f"{n}: {v}" for n, v in d.items()))]],
    *[("join", "order", f"separator {s!r}", {"join": lambda l, k, s=s: s.join(l + [k])}) for s in ["#|#", "|;", " :: ", "~|~", "***", "-|-", "<>"]],
    ("join", "order|key-whitespace", "csv.writer", {"join": lambda l, k: csv_of(l + [k])}),
    ("join", "order", "csv.writer, all quoted", {"join": lambda l, k: csv_of(l, quoting=csv.QUOTE_ALL) + k}),
    *[("hash", "digest", f"sha1 of {name}, {what}", {"hash": lambda d, name=name, write=write: hashlib.sha1(write(hashlib.new(name, d))).digest()}) for name in ["md5", "sha256"] for what, write in [("its bytes", lambda h: h.digest()), ("upper case", lambda h: h.hexdigest().upper().encode()), ("Base64", lambda h: base64.b64encode(h.digest()))]],
    ("join", "digest|other-key", "md5 of the values and the key", {"join": lambda l, k: hashlib.md5("".join(l).encode()).hexdigest() + k}),
    ("join", "digest|other-key", "md5 of the key before the values", {"join": lambda l, k: hashlib.md5(k.encode()).hexdigest() + "".join(l)}),
    ("join", "order", "a dictionary and the key in it", {"whole": lambda v, k: json.dumps({**dict(v), "control": k})}),
    *[("values", "charset", f"errors={e}", {"texts": lambda l, e=e: [t.encode("ascii", e).decode() for t in l]}) for e in ["backslashreplace", "xmlcharrefreplace", "namereplace"]],
    *[("values", "charset", f"quote, safe={safe!r}", {"texts": lambda l, safe=safe: [quote(t, safe=safe) for t in l]}) for safe in ["", "@", "/:@", "&/"]],
    ("values", "charset|order", "shlex.quote", {"texts": lambda l: [shlex.quote(t) for t in l]}),
]


def made(requests, table, rare, make, text):
    for at, r in enumerate(requests):
        right_one = make(r, {})
        alone = {}
        for row in table + rare:
            try:
                alone[row[2]] = make(r, row[3])
            except Exception as error:
                print(row[2], error, file=sys.stderr)
                continue
            if alone[row[2]] != right_one:
                yield one(at, [row], alone[row[2]], text, r)
        for a, b in combinations(table, 2):
            if a[0] == b[0] or set(a[3]) & set(b[3]) or a[2] not in alone or b[2] not in alone:
                continue
            if right_one in (alone[a[2]], alone[b[2]]):
                continue
            both = make(r, {**a[3], **b[3]})
            if both not in (right_one, alone[a[2]], alone[b[2]]):
                yield one(at, [a, b], both, text, r)


def one(at, rows, value, text, r):
    faults = {}
    for row in rows:
        faults.update(row[3])
    is_base = text is not None and not set(faults) & {"key", "key_of", "mac", "write"}
    return {
        "request": at,
        "channels": [row[0] for row in rows],
        "expected": [row[1] for row in rows],
        "what": [row[2] for row in rows],
        "value": value,
        **({"base": text(r, faults)} if is_base else {}),
    }


given = json.load(sys.stdin)
json.dump(
    {
        "oauth": list(made(given["oauth"], OAUTH, OAUTH_ALONE, sign, base_string)),
        "control": list(made(given["control"], CONTROL, CONTROL_ALONE, checksum, None)),
    },
    sys.stdout,
)
