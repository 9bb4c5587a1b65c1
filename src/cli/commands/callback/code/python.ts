import type { ControlEncoding } from '../../../../signing/index.js';
import { paragraphs } from '../../sign/code/plan.js';
import { duties, inside, introduction } from './introduction.js';

const digests: Readonly<Record<ControlEncoding, readonly [given: string, digest: string]>> = {
  'hex-lower': ['control.lower()', 'digest.hexdigest()'],
  'hex-upper': ['control.lower()', 'digest.hexdigest()'],
  base64: ['control', 'base64.b64encode(digest.digest()).decode()'],
};

/** A Python handler on the standard library's server. */
export function pythonHandler(encoding: ControlEncoding, run: string): string {
  const [given, digest] = digests[encoding];
  const modules = ['hashlib', 'hmac', 'http.server', 'os', 'sys', 'urllib.parse'];
  return paragraphs([
    ['#!/usr/bin/env python3', ...introduction('#', 'Python 3.7 or later', run)],
    [...(encoding === 'base64' ? ['base64'] : []), ...modules].map((name) => `import ${name}`),
    `
def verify_callback(query, key):
    """Status and both ids of a callback; None when it is not signed by this key."""
    fields = urllib.parse.parse_qs(query, keep_blank_values=True)
    names = ["status", "orderid", "client_orderid", "control"]
    # A field that is missing, empty or sent twice proves nothing.
    if key == "" or any(len(fields.get(name, [])) != 1 or fields[name][0] == "" for name in names):
        return None
    *texts, control = (fields[name][0] for name in names)
    digest = hashlib.sha1(("".join(texts) + key).encode())
    return texts if hmac.compare_digest(${digest}.encode(), ${given}.encode()) else None


def handle(status, order_id, client_order_id):
${inside('    ', duties('#'))}
    print(f"verified: {status}, order {order_id} ({client_order_id})", flush=True)
`,
    `
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(urllib.parse.urlsplit(self.path).query)

    def do_POST(self):
        length = min(int(self.headers.get("Content-Length", "0")), 65536)
        self.answer(self.rfile.read(length).decode("ascii", "replace"))

    def answer(self, query):
        callback = verify_callback(query, key)
        if callback is not None:
            handle(*callback)
        self.send_response(403 if callback is None else 200)
        self.end_headers()
        self.wfile.write(b"refused\\n" if callback is None else b"OK\\n")

    def log_request(self, code="-", size="-"):
        """The query holds the control, so it is in no log."""
`,
    `
key = os.environ.get("CONTROL_KEY", "")
if "CONTROL_KEY_FILE" in os.environ:
    with open(os.environ["CONTROL_KEY_FILE"], encoding="utf-8") as file:
        key = file.read().rstrip("\\r\\n")
if key == "":
    sys.exit("CONTROL_KEY_FILE must name the file with the merchant control key")`,
    `if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Handler).serve_forever()`,
  ]);
}
