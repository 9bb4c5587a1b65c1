import { baseString, encode, importBlock, quoted, readControlKey, readPrivateKey, written } from '../go.js';
import { paragraphs } from '../plan.js';
import { type ModulePlan, moduleIntroduction, vectors } from './plan.js';

/** The signer as a Go file; in a package of one's own without its main. */
export function goModule({ baseUrl, operations, encoding, keyForm, repeatsInBody }: ModulePlan): string {
  const pair = (texts: readonly string[]) => `{${texts.map(quoted).join(', ')}}`;
  const usage = 'usage: --self-test | --base-string or --request, OPERATION, ENDPOINT_ID, LOGIN [NONCE TIMESTAMP]';
  const width = Math.max(...operations.map(({ id }) => id.length)) + 3;
  return paragraphs([
    [
      ...moduleIntroduction('//', 'Go 1.16 or later', './gateway-signer'),
      '//',
      '// To use it as a package, rename it and remove main, runMain and selfTest. Build it with',
      '//   go build -o gateway-signer gateway-signer.go',
    ],
    'package main',
    importBlock([
      ...['crypto', 'crypto/hmac', 'crypto/rand', 'crypto/rsa', 'crypto/sha1', 'crypto/sha256', 'crypto/x509'],
      ...['encoding/base64', 'encoding/hex', 'encoding/pem', 'fmt', 'io', 'log', 'net/url', 'os', 'sort', 'strconv'],
      ...['strings', 'time'],
    ]),
    `const baseURL = ${quoted(baseUrl)}`,
    `// Pair is a name and its value.
type Pair = [2]string

// Operation is how the requests of one operation are signed.
type Operation struct {
	Scheme, Path string
	Values       []string // what the checksum covers
	SendsLogin   bool
}`,
    [
      '// Operations has every operation of the gateway.',
      'var Operations = map[string]Operation{',
      ...operations.map(({ id, scheme, path, values, sendsLogin }) => {
        const covered = values.length === 0 ? 'nil' : `[]string${pair(values)}`;
        return `\t${`${quoted(id)}:`.padEnd(width)} {${quoted(scheme)}, ${quoted(path)}, ${covered}, ${sendsLogin}},`;
      }),
      '}',
    ],
    `// Prepared is a request before its signature.
type Prepared struct {
	Scheme, URL, BaseString string
	Fields, OAuth           []Pair
}

// Signed is what is sent.
type Signed struct {
	URL     string
	Headers []Pair
	Body    string
}

// Keys are the merchant control key and, for RSA-SHA256, the private key.
type Keys struct {
	Control string
	Private *rsa.PrivateKey
}`,
    `// Prepare prepares a request. If nonce or timestamp is empty, a new one is generated.
func Prepare(operation, endpointID, login string, fields []Pair, nonce, timestamp string) (Prepared, error) {
	row, ok := Operations[operation]
	if !ok {
		return Prepared{}, fmt.Errorf("no operation %q", operation)
	}
	prepared := Prepared{Scheme: row.Scheme, URL: baseURL + row.Path + endpointID, Fields: append([]Pair{}, fields...)}
	if _, given := valueOf(fields, "login"); row.SendsLogin && !given {
		prepared.Fields = append(prepared.Fields, Pair{"login", login})
	}
	switch row.Scheme {
	case "none":
	case "control":
		prepared.BaseString = controlText(row.Values, endpointID, login, prepared.Fields)
	default:
		if nonce == "" {
			random := make([]byte, 16)
			if _, err := rand.Read(random); err != nil {
				return Prepared{}, err
			}
			nonce = hex.EncodeToString(random)
		}
		if timestamp == "" {
			timestamp = strconv.FormatInt(time.Now().Unix(), 10)
		}
		prepared.OAuth = []Pair{
			{"oauth_consumer_key", login},
			{"oauth_nonce", nonce},
			{"oauth_signature_method", row.Scheme},
			{"oauth_timestamp", timestamp},
			{"oauth_version", "1.0"},
		}
		prepared.BaseString = baseString(prepared.URL, append(append([]Pair{}, prepared.Fields...), prepared.OAuth...))
	}
	return prepared, nil
}`,
    `// Sign returns address, headers and body to send.
func Sign(prepared Prepared, keys Keys) (Signed, error) {
	headers := []Pair{
		{"Content-Type", "application/x-www-form-urlencoded"},
		{"Accept", "application/vnd.pay+json"},
		{"Accept-Encoding", "identity"},
	}
	fields := append([]Pair{}, prepared.Fields...)
	switch prepared.Scheme {
	case "none":
	case "control":
		fields = append(fields, Pair{"control", checksum(prepared.BaseString, keys.Control)})
	default:
		signature := ""
		if prepared.Scheme == "HMAC-SHA1" {
			signature = hmacSHA1(prepared.BaseString, keys.Control)${
        repeatsInBody
          ? `
			fields = append(fields, prepared.OAuth...)`
          : ''
      }
		} else {
			var err error
			if signature, err = rsaSHA256(prepared.BaseString, keys.Private); err != nil {
				return Signed{}, err
			}
		}
		var header []string
		for _, pair := range append(append([]Pair{}, prepared.OAuth...), Pair{"oauth_signature", signature}) {
			header = append(header, fmt.Sprintf("%s=\\"%s\\"", pair[0], encode(pair[1])))
		}
		headers = append(headers, Pair{"Authorization", "OAuth " + strings.Join(header, ", ")})
	}
	return Signed{prepared.URL, headers, encodeForm(fields)}, nil
}`,
    encode.replaceAll('[][2]string', '[]Pair'),
    `func valueOf(fields []Pair, name string) (value string, given bool) {
	for _, pair := range fields {
		if pair[0] == name {
			value, given = pair[1], true
		}
	}
	return value, given
}

func minorUnits(amount string) string {
	return strings.TrimLeft(strings.Replace(amount, ".", "", 1), "0")
}

func controlText(values []string, endpointID, login string, fields []Pair) string {
	text := ""
	for _, name := range values {
		value, _ := valueOf(fields, name)
		switch name {
		case "endpoint_id":
			value = endpointID
		case "login":
			value = login
		case "amount":
			value = minorUnits(value)
		}
		text += value
	}
	return text
}

func checksum(text, key string) string {
	digest := sha1.Sum([]byte(text + key))
	return ${written[encoding]}
}`,
    baseString.replaceAll('[][2]string', '[]Pair').replaceAll('[2]string{encode', 'Pair{encode'),
    `func hmacSHA1(text, key string) string {
	mac := hmac.New(sha1.New, []byte(${keyForm === 'raw' ? 'key' : 'encode(key)'}+"&"))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func rsaSHA256(text string, key *rsa.PrivateKey) (string, error) {
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	return base64.StdEncoding.EncodeToString(signature), err
}`,
    readPrivateKey,
    readControlKey,
    `// selfTest checks the functions against values computed with openssl.
func selfTest() bool {
	key := ${quoted(vectors.key)}
	for _, amount := range []Pair{${vectors.amounts.map(pair).join(', ')}} {
		if minorUnits(amount[0]) != amount[1] {
			return false
		}
	}
	pairs := []Pair{
${vectors.pairs.map((each) => `\t\t${pair(each)},`).join('\n')}
	}
	text := ${vectors.baseString.map(quoted).join(' +\n\t\t')}
	return checksum(${quoted(vectors.controlText)}, key) == ${quoted(vectors.control[encoding])} &&
		baseString(${quoted(vectors.url)}, pairs) == text &&
		hmacSHA1(text, key) == ${quoted(vectors.hmac[keyForm])}
}`,
    `func main() {
	log.SetFlags(0)
	if err := runMain(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func runMain(arguments []string) error {
	if len(arguments) == 1 && arguments[0] == "--self-test" {
		if !selfTest() {
			return fmt.Errorf("FAILED")
		}
		fmt.Println("passed")
		return nil
	}
	if len(arguments) < 4 || (arguments[0] != "--base-string" && arguments[0] != "--request") {
		return fmt.Errorf("${usage}")
	}
	arguments = append(arguments, "", "")
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var fields []Pair
	for _, line := range strings.Split(string(input), "\\n") {
		if line != "" {
			parts := append(strings.SplitN(line, "=", 2), "")
			fields = append(fields, Pair{parts[0], parts[1]})
		}
	}
	prepared, err := Prepare(arguments[1], arguments[2], arguments[3], fields, arguments[4], arguments[5])
	if err != nil {
		return err
	}
	if arguments[0] == "--base-string" {
		fmt.Print(prepared.BaseString)
		return nil
	}
	var keys Keys
	switch prepared.Scheme {
	case "none":
	case "RSA-SHA256":
		keys.Private = readPrivateKey()
	default:
		keys.Control = readControlKey()
	}
	signed, err := Sign(prepared, keys)
	if err != nil {
		return err
	}
	fmt.Printf("POST %s HTTP/1.1\\n", signed.URL)
	for _, header := range signed.Headers {
		fmt.Printf("%s: %s\\n", header[0], header[1])
	}
	fmt.Printf("\\n%s", signed.Body)
	return nil
}`,
  ]);
}
