import type { ControlEncoding } from '../../../../signing/index.js';
import { plainHeaders } from '../../../../signing/schemes/request.js';
import { type CodePlan, type OauthPlan, type PlannedSigning, paragraphs } from './plan.js';
import { camelCase, programParts, type Syntax } from './program-parts.js';

/** A Go program with the standard library alone, as gofmt would lay it out. */
export function goProgram(plan: CodePlan, run: string): string {
  const { address, signing } = plan;
  const parts = programParts(plan, syntax, { needs: 'Go 1.16 or later', run, cards: 'read from the variables' });
  const main = [
    [...parts.assignments, `address := ${quoted(address)} + endpointID`].join('\n'),
    ['fields := [][2]string{', ...parts.pairs.map((pair) => `\t${pair},`), '}'].join('\n'),
    [
      'headers := map[string]string{',
      ...aligned(Object.entries(plainHeaders).map(([name, value]) => [`\t${quoted(name)}:`, `${quoted(value)},`])),
      '}',
    ].join('\n'),
    parts.signing.join('\n'),
    post,
  ];
  return paragraphs([
    parts.introduction,
    'package main',
    importBlock([
      ...imports[signing.scheme],
      ...(parts.asks ? ['log', 'os'] : []),
      ...writing(signing),
      ...alwaysImported,
    ]),
    ['func main() {', ...indented(['log.SetFlags(0)', ...main.filter((part) => part !== '')].join('\n\n')), '}'],
    parts.asks ? fromEnvironment : '',
    encode,
    parts.isOauth ? baseString : '',
    parts.key,
  ]);
}

/** What JSON writes in a text means the same in Go. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

export function importBlock(names: readonly string[]): readonly string[] {
  return ['import (', ...[...new Set(names)].sort().map((name) => `\t"${name}"`), ')'];
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => (line === '' ? '' : `\t${line}`));
}

/** As gofmt does: the values of neighbouring lines begin in one column. */
function aligned(rows: readonly (readonly [name: string, value: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)} ${value}`);
}

const alwaysImported = ['fmt', 'io', 'log', 'net/http', 'net/url', 'os', 'strings', 'time'];

const imports: Readonly<Record<PlannedSigning['scheme'], readonly string[]>> = {
  control: ['crypto/sha1'],
  'hmac-sha1': ['crypto/hmac', 'crypto/rand', 'crypto/sha1', 'encoding/base64', 'encoding/hex', 'sort', 'strconv'],
  'rsa-sha256': [
    ...['crypto', 'crypto/rand', 'crypto/rsa', 'crypto/sha256', 'crypto/x509', 'encoding/base64', 'encoding/hex'],
    ...['encoding/pem', 'sort', 'strconv'],
  ],
  none: [],
};

function writing(signing: PlannedSigning): readonly string[] {
  if (signing.scheme !== 'control') return [];
  return signing.encoding === 'base64' ? ['encoding/base64'] : ['encoding/hex'];
}

/** Which writes ID. */
function goName(name: string): string {
  return camelCase(name).replace(/Id$/, 'ID');
}

const fromEnvironment = `func fromEnvironment(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatalf("%s must be set", name)
	}
	return value
}`;

export const encode = `// encode percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986).
func encode(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

func encodeForm(pairs [][2]string) string {
	encoded := make([]string, len(pairs))
	for i, pair := range pairs {
		encoded[i] = encode(pair[0]) + "=" + encode(pair[1])
	}
	return strings.Join(encoded, "&")
}`;

export const baseString = `// baseString is that of RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
func baseString(address string, pairs [][2]string) string {
	encoded := make([][2]string, len(pairs))
	for i, pair := range pairs {
		encoded[i] = [2]string{encode(pair[0]), encode(pair[1])}
	}
	sort.Slice(encoded, func(i, j int) bool {
		if encoded[i][0] != encoded[j][0] {
			return encoded[i][0] < encoded[j][0]
		}
		return encoded[i][1] < encoded[j][1]
	})
	parameters := make([]string, len(encoded))
	for i, pair := range encoded {
		parameters[i] = pair[0] + "=" + pair[1]
	}
	return strings.Join([]string{"POST", encode(address), encode(strings.Join(parameters, "&"))}, "&")
}`;

export const readControlKey = `func readControlKey() string {
	key := os.Getenv("CONTROL_KEY")
	if file := os.Getenv("CONTROL_KEY_FILE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		key = strings.TrimRight(string(text), "\\r\\n")
	}
	if key == "" {
		log.Fatal("CONTROL_KEY_FILE must name the file with the merchant control key")
	}
	return key
}`;

export const readPrivateKey = `func readPrivateKey() *rsa.PrivateKey {
	text, _ := os.ReadFile(os.Getenv("PRIVATE_KEY_FILE"))
	if block, _ := pem.Decode(text); block != nil {
		if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
			return key
		}
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if rsaKey, ok := key.(*rsa.PrivateKey); ok {
				return rsaKey
			}
		}
	}
	log.Fatal("PRIVATE_KEY_FILE must name the PEM file with the RSA private key")
	return nil
}`;

export const written = {
  'hex-lower': 'hex.EncodeToString(digest[:])',
  'hex-upper': 'strings.ToUpper(hex.EncodeToString(digest[:]))',
  base64: 'base64.StdEncoding.EncodeToString(digest[:])',
} as const;

function control(variables: readonly string[], encoding: ControlEncoding): readonly string[] {
  return [
    `digest := sha1.Sum([]byte(${[...variables, 'readControlKey()'].join(' + ')}))`,
    `fields = append(fields, [2]string{"control", ${written[encoding]}})`,
  ];
}

/** RFC 5849 3.4 and 3.5.1. */
function oauth(signing: OauthPlan): readonly string[] {
  return [
    `nonce := make([]byte, 16)
if _, err := rand.Read(nonce); err != nil {
	log.Fatal(err)
}
oauth := [][2]string{
	{"oauth_consumer_key", login},
	{"oauth_nonce", hex.EncodeToString(nonce)},
	{"oauth_signature_method", "${signing.method}"},
	{"oauth_timestamp", strconv.FormatInt(time.Now().Unix(), 10)},
	{"oauth_version", "1.0"},
}
text := baseString(address, append(append([][2]string{}, fields...), oauth...))`,
    ...signature(signing),
    `var header []string
for _, pair := range append(oauth, [2]string{"oauth_signature", base64.StdEncoding.EncodeToString(signature)}) {
	header = append(header, fmt.Sprintf("%s=\\"%s\\"", pair[0], encode(pair[1])))
}
headers["Authorization"] = "OAuth " + strings.Join(header, ", ")`,
  ];
}

function signature(signing: OauthPlan): readonly string[] {
  if (signing.scheme === 'rsa-sha256')
    return [
      `digest := sha256.Sum256([]byte(text))
signature, err := rsa.SignPKCS1v15(rand.Reader, readPrivateKey(), crypto.SHA256, digest[:])
if err != nil {
	log.Fatal(err)
}`,
    ];
  const secret = signing.keyForm === 'raw' ? 'readControlKey()' : 'encode(readControlKey())';
  return [`mac := hmac.New(sha1.New, []byte(${secret}+"&"))`, 'mac.Write([]byte(text))', 'signature := mac.Sum(nil)'];
}

const post = `request, err := http.NewRequest("POST", address, strings.NewReader(encodeForm(fields)))
if err != nil {
	log.Fatal(err)
}
for name, value := range headers {
	request.Header.Set(name, value)
}
client := http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}
reply, err := client.Do(request)
if err != nil {
	log.Fatal(err)
}
defer reply.Body.Close()
body, err := io.ReadAll(reply.Body)
if err != nil {
	log.Fatal(err)
}
fmt.Println(string(body))
log.Printf("HTTP %d", reply.StatusCode)
if reply.StatusCode != http.StatusOK {
	os.Exit(1)
}`;

const syntax: Syntax = {
  mark: '//',
  name: goName,
  quoted,
  asked: (variable) => `fromEnvironment("${variable}")`,
  assignment: (name, value) => `${name} := ${value}`,
  pair: (name, value) => `{${name}, ${value}}`,
  readControlKey,
  readPrivateKey,
  control,
  oauth,
  oauthIntoBody: 'fields = append(fields, oauth...)',
};
