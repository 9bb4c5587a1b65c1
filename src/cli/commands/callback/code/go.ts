import type { ControlEncoding } from '../../../../signing/index.js';
import { importBlock, readControlKey } from '../../sign/code/go.js';
import { paragraphs } from '../../sign/code/plan.js';
import { duties, inside, introduction } from './introduction.js';

const digests: Readonly<Record<ControlEncoding, readonly [given: string, digest: string, module: string]>> = {
  'hex-lower': ['strings.ToLower(control)', 'hex.EncodeToString(digest[:])', 'encoding/hex'],
  'hex-upper': ['strings.ToLower(control)', 'hex.EncodeToString(digest[:])', 'encoding/hex'],
  base64: ['control', 'base64.StdEncoding.EncodeToString(digest[:])', 'encoding/base64'],
};

/** A Go handler for net/http. */
export function goHandler(encoding: ControlEncoding, run: string): string {
  const [given, digest, module] = digests[encoding];
  const modules = ['crypto/sha1', 'crypto/subtle', module, 'fmt', 'io', 'log', 'net/http', 'net/url', 'os', 'strings'];
  return paragraphs([
    introduction('//', 'Go 1.16 or later', run),
    'package main',
    importBlock(modules),
    `func main() {
	log.SetFlags(0)
	key := readControlKey()
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		query := request.URL.RawQuery
		if request.Method == http.MethodPost {
			body, _ := io.ReadAll(io.LimitReader(request.Body, 65536))
			query = string(body)
		}
		status, orderID, clientOrderID, ok := verifyCallback(query, key)
		if !ok {
			http.Error(response, "refused", http.StatusForbidden)
			return
		}
		if err := handle(status, orderID, clientOrderID); err != nil {
			http.Error(response, "failed", http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(response, "OK")
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}`,
    `// verifyCallback returns status and both ids of a callback, and whether it is signed by this key.
func verifyCallback(query, key string) (status, orderID, clientOrderID string, ok bool) {
	fields, err := url.ParseQuery(query)
	if err != nil {
		return "", "", "", false
	}
	// A field that is missing, empty or sent twice proves nothing.
	for _, name := range []string{"status", "orderid", "client_orderid", "control"} {
		if len(fields[name]) != 1 || fields[name][0] == "" {
			return "", "", "", false
		}
	}
	status, orderID, clientOrderID = fields.Get("status"), fields.Get("orderid"), fields.Get("client_orderid")
	control := fields.Get("control")
	digest := sha1.Sum([]byte(status + orderID + clientOrderID + key))
	expected := ${digest}
	ok = subtle.ConstantTimeCompare([]byte(expected), []byte(${given})) == 1
	return status, orderID, clientOrderID, ok
}`,
    `func handle(status, orderID, clientOrderID string) error {
${inside('\t', duties('//'))}
	fmt.Printf("verified: %s, order %s (%s)\\n", status, orderID, clientOrderID)
	return nil
}`,
    readControlKey,
  ]);
}
