"""A shop that pays carefully, or with one named FAULT. Python's own library, and openssl for RSA."""
import base64, fcntl, hashlib, hmac, http.client, http.server, json, os, secrets, ssl, subprocess, sys, threading, time
from urllib.parse import parse_qs, quote, urlencode, urlsplit

env = os.environ
fault = env.get("FAULT", "")
base, login, endpoint = env["PAYCLI_BASE_URL"], env["PAYCLI_LOGIN"], env["PAYCLI_ENDPOINT_ID"]
key = open(env["PAYCLI_CONTROL_KEY_FILE"]).read().strip()
order = json.loads(env["CERTIFY_ORDER"])
fields, operation, reference = order["fields"], order["operation"], order["reference"]
timeout, patience = float(env["CERTIFY_TIMEOUT"]), float(env["CERTIFY_PATIENCE"])
digits = {"JPY": 0, "KWD": 3}
paths = {"rebill": "v2/make-rebill", "payout-check": "v4/payout-check", "payout-pay": "v4/payout-pay"}
news = threading.Event()  # set by a callback that is worth a question
believed = []


class NotSent(Exception):
    pass


class Lost(Exception):
    pass


def say(outcome, **more):
    print(json.dumps({"outcome": outcome, **more}), flush=True)
    os._exit(0)


def post(path, body, headers={}):
    """One attempt. NotSent when there was no connection, Lost when the request may have arrived."""
    to = urlsplit(base)
    if to.scheme == "https":
        connection = http.client.HTTPSConnection(
            to.hostname, to.port, timeout=timeout, context=ssl.create_default_context(cafile=env.get("CERTIFY_CA_FILE")))
    else:
        connection = http.client.HTTPConnection(to.hostname, to.port, timeout=timeout)
    try:
        connection.connect()
    except ssl.SSLError:
        say("refused")
    except OSError as error:
        raise NotSent(error)
    try:
        known = {"Accept": "application/vnd.pay+json", "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", f"{to.path}/api/{path}/{endpoint}", body, {**known, **headers})
        reply = connection.getresponse()
        text = reply.read()
    except (OSError, http.client.HTTPException) as error:
        raise Lost(error)
    try:
        return reply.status, reply.headers, json.loads(text)
    except ValueError:
        return reply.status, reply.headers, None


def encode(pairs):
    return "&".join(f"{quote(str(n), safe='-._~')}={quote(str(v), safe='-._~')}" for n, v in pairs)


def minor(amount, currency):
    if fault == "decimals in the checksum":
        return amount
    whole, _, part = amount.partition(".")
    return str(int(whole + part.ljust(digits.get(currency, 2), "0")))


def controlled(path, pairs, values):
    control = hashlib.sha1("".join([*values, key]).encode()).hexdigest()
    return post(path, encode([*pairs.items(), ("control", control)]))


def oauth(path, pairs):
    method = "HMAC-SHA1" if path.startswith("v2") else "RSA-SHA256"
    own = {"oauth_consumer_key": login, "oauth_nonce": secrets.token_hex(16), "oauth_signature_method": method,
           "oauth_timestamp": str(int(time.time())), "oauth_version": "1.0"}
    parameters = "&".join(sorted(encode([pair]) for pair in [*pairs.items(), *own.items()]))
    text = "&".join(quote(part, safe="-._~") for part in ["POST", f"{base}/api/{path}/{endpoint}", parameters])
    if method == "HMAC-SHA1":
        digest = hmac.new(f"{quote(key, safe='-._~')}&".encode(), text.encode(), "sha1").digest()
    else:
        command = ["openssl", "dgst", "-sha256", "-sign", env["PAYCLI_PRIVATE_KEY_FILE"]]
        digest = subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout
    own["oauth_signature"] = base64.b64encode(digest).decode()
    header = "OAuth " + ", ".join(f'{name}="{quote(value, safe="-._~")}"' for name, value in own.items())
    return post(path, encode(pairs.items()), {"Authorization": header})


def send(client_id):
    path = paths.get(operation, f"v2/{operation}")
    amount, currency = fields.get("amount", ""), fields.get("currency", "")
    cents = minor(amount, currency) if amount else ""
    if operation == "sale":
        pairs = {"client_orderid": client_id, **fields, "server_callback_url": env["PAYCLI_CALLBACK_URL"]}
        return controlled(path, pairs, [endpoint, client_id, cents, fields["email"]])
    if operation == "rebill":
        pairs = {"login": login, "client_orderid": client_id, **fields}
        return controlled(path, pairs, [login, client_id, fields["cardrefid"], cents, currency])
    if operation in ("capture", "return", "void"):
        values = [login, fields["client_orderid"], fields["orderid"], cents, currency]
        return controlled(path, {"login": login, **fields}, values[:3] if operation == "void" else values)
    if operation == "payout-pay":
        return oauth(path, {"login": login, "client_orderid": client_id, "orderid": state["order_id"]})
    return oauth(path, {"client_orderid": client_id, **fields})


def ask(client_id, order_id):
    pairs = {"login": login, "client_orderid": client_id, **({"orderid": order_id} if order_id else {})}
    status, _, reply = controlled("v2/status", pairs, [login, client_id, order_id or ""])
    return reply if status == 200 else None


def authenticate(client_id, reply):
    """Takes the payer to the bank and uploads what comes back."""
    ids = {"login": login, "client-order-id": client_id, "orderid": reply["paynet-order-id"]}
    values = [login, client_id, reply["paynet-order-id"]]
    step = reply["tds_status"]
    if step == "MethodUrlFrame":
        trans = reply["tds-method-url-frame-3ds-server-trans-id"]
        data = base64.urlsafe_b64encode(json.dumps({"threeDSServerTransID": trans}).encode()).decode().rstrip("=")
        visit(reply["tds-method-url-frame-3ds-method-url"], threeDSMethodData=data)
        controlled("3ds/v1/upload-method-url-result",
                   {**ids, "threeDSServerTransID": trans, "threeDSCompInd": "Y"}, values)
    elif step == "CReqForm":
        back = visit(reply["tds-creq-form-acs-url"], creq=reply["tds-creq-form-creq"])
        if "cres" in back:
            controlled("3ds/v1/upload-cres-result", {**ids, "cRes": back["cres"]}, values)
    elif step == "PaReqForm":
        back = visit(reply["tds-pareq-form-acs-url"], PaReq=reply["tds-pareq-form-pareq"],
                     MD=reply["tds-pareq-form-md"], TermUrl=reply["tds-pareq-form-term-url"])
        if "PaRes" in back:
            controlled("3ds/v1/upload-pares-result", {**ids, "paRes": back["PaRes"]}, values)


def visit(url, **form):
    to = urlsplit(env["CERTIFY_PAYER_URL"])
    connection = http.client.HTTPConnection(to.hostname, to.port, timeout=10)
    connection.request("POST", "/", urlencode({"url": url, **form}))
    return json.loads(connection.getresponse().read())


words = {"approved": "paid", "declined": "declined", "filtered": "declined", "error": "declined", "unknown": "unknown"}
types = {"capture": ["capture"], "return": ["reversal", "cancel"], "void": ["void"], "payout-pay": ["payout"]}


def wait(client_id, order_id=None):
    """Asks for the status until it is final or patience ends."""
    end, done, found = time.monotonic() + patience, set(), False
    while True:
        if believed:
            say("paid")
        try:
            reply = ask(client_id, order_id)
        except (NotSent, Lost):
            reply = None
        if reply is not None:
            found, order_id = True, reply["paynet-order-id"]
            save(order_id=order_id)
            status, step = reply["status"], reply.get("tds_status")
            mine = reply.get("transaction-type") in types.get(operation, [reply.get("transaction-type")])
            if operation == "payout-check" and reply.get("order-stage", "").startswith("payout_check"):
                if status != "processing" or "validated" in reply["order-stage"]:
                    say("pending" if status == "processing" else words[status], orderId=order_id)
            elif status in words and mine:
                say(words[status], orderId=order_id)
            if step and step not in done:
                done.add(step)
                authenticate(client_id, reply)
                continue
        if time.monotonic() > end:
            say("pending" if found else "unknown")
        news.wait(0.1 if fault == "polls ten times a second" else 1.0)
        news.clear()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        sent = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        text = sent.get("status", "") + sent.get("orderid", "") + sent.get("client_orderid", "") + key
        right = hashlib.sha1(text.encode()).hexdigest() == sent.get("control")
        if fault == "believes callbacks" and sent.get("status") == "approved":
            believed.append(sent)
        self.send_response(200 if right else 400)
        self.end_headers()
        if (right and sent["client_orderid"] == reference) or believed:
            news.set()  # the status says what is true

    def log_message(self, *_):
        pass


state_path = os.path.join(env["CERTIFY_STATE"], reference + ".json")
state = {}


def save(**more):
    state.update(more)
    if fault == "loses state when killed" and operation == "sale":
        return
    with open(state_path + ".new", "w") as file:
        json.dump(state, file)
    os.replace(state_path + ".new", state_path)


def pay():
    global state
    lock = open(os.path.join(env["CERTIFY_STATE"], "lock"), "w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # one worker at a time for an order; a killed one loses it
    if os.path.exists(state_path):
        state = json.load(open(state_path))
        if operation != "payout-pay" or state.get("paid"):
            same = state["amount"] == fields.get("amount")
            return wait(reference, state.get("order_id")) if same else say("refused")
        if state["fields"] != fields:
            say("refused")
    save(amount=fields.get("amount"), **({"paid": True} if operation == "payout-pay" else {"fields": fields if "account_number" in fields else None}))
    end, client_id = time.monotonic() + patience, fields.get("client_orderid", reference)
    attempt = 0
    while True:
        attempt += 1
        try:
            status, headers, reply = send(client_id)
        except NotSent:
            if time.monotonic() > end:
                say("refused")
            time.sleep(0.3)
            continue
        except Lost:
            if fault == "resends on timeout" and attempt == 1:
                continue
            if fault == "new order id at each try" and attempt == 1:
                client_id = f"{reference}-{attempt}"
                continue
            return wait(client_id)
        if status == 429:
            time.sleep(float(headers.get("Retry-After", "1")))
            continue
        if status == 200 and reply is not None:
            save(order_id=reply["paynet-order-id"])
            if fault == "ignores processing":
                say("paid", orderId=reply["paynet-order-id"])
            return wait(client_id, reply["paynet-order-id"])
        if status in (400, 401, 403) and reply is not None:
            say("refused")
        if fault == "takes 500 for a no" and status >= 500:
            say("declined")
        if fault == "new order id at each try" and attempt == 1:
            client_id = f"{reference}-{attempt}"
            continue
        return wait(client_id)


if operation == "sale":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", urlsplit(env["PAYCLI_CALLBACK_URL"]).port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
pay()
