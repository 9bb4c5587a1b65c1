package main

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"path"
	"sort"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf16"
)

func each(change func(Pair) Pair) Steps {
	return Steps{Pairs: func(list []Pair, _ Request) []Pair {
		out := []Pair{}
		for _, p := range list {
			out = append(out, change(p))
		}
		return out
	}}
}
func body(change func(string) string) Steps {
	return each(func(p Pair) Pair {
		if strings.HasPrefix(p.Name, "oauth_") {
			return p
		}
		return Pair{p.Name, change(p.Value)}
	})
}
func of(name string, change func(string) string) Steps {
	return each(func(p Pair) Pair {
		if p.Name == name {
			return Pair{p.Name, change(p.Value)}
		}
		return p
	})
}
func amount(format string) Steps {
	return of("amount", func(v string) string { f, _ := strconv.ParseFloat(v, 64); return fmt.Sprintf(format, f) })
}
func values(list []Encoded) url.Values {
	v := url.Values{}
	for _, e := range list {
		v.Add(e.Plain.Name, e.Plain.Value)
	}
	return v
}
func jsonOf(v interface{}) string { data, _ := json.Marshal(v); return string(data) }
func nilled(word string) func(string) string {
	return func(v string) string {
		if v == "" {
			return word
		}
		return v
	}
}
func num(v string) float64 { f, _ := strconv.ParseFloat(v, 64); return f }
func keep(test func(Pair, Request) bool) Steps {
	return Steps{Pairs: func(list []Pair, r Request) []Pair {
		out := []Pair{}
		for _, p := range list {
			if test(p, r) {
				out = append(out, p)
			}
		}
		return out
	}}
}
func parse(r Request) *url.URL {
	u, _ := url.Parse(r.Written + map[bool]string{true: "?" + r.QueryText}[r.QueryText != ""])
	return u
}

const encoder = "space-plus|reserved-characters"

var oauthFaults = []Fault{
	{"encoder", encoder, "QueryEscape", Steps{Encode: url.QueryEscape}},
	{"encoder", encoder, "QueryEscape outside", Steps{Outer: url.QueryEscape}},
	{"encoder", "reserved-characters", "PathEscape", Steps{Encode: url.PathEscape}},
	{"encoder", "reserved-characters", "PathEscape outside", Steps{Outer: url.PathEscape}},
	{"encoder", "reserved-characters|encoded-twice-or-once", "URL{Path}.String of a value", Steps{Encode: func(s string) string { return (&url.URL{Path: "/" + s}).EscapedPath()[1:] }}},
	{"encoder", "any", "url.Values.Encode", Steps{Join: func(l []Encoded) string { return values(l).Encode() }}},
	{"encoder", "any", "url.Values.Encode, plus replaced", Steps{Join: func(l []Encoded) string { return strings.ReplaceAll(values(l).Encode(), "+", "%20") }}},
	{"encoder", "encoded-twice-or-once", "QueryEscape of what is encoded", Steps{Encode: func(s string) string { return strict(strict(s)) }}},
	{"encoder", "encoded-twice-or-once", "values as they are", Steps{Encode: same}},
	{"encoder", "encoded-twice-or-once", "only the address escaped", Steps{Whole: func(m, u, p string) string { return m + "&" + strict(u) + "&" + p }}},
	{"encoder", "encoded-twice-or-once", "nothing escaped outside", Steps{Whole: func(m, u, p string) string { return strings.Join([]string{m, u, p}, "&") }}},
	{"encoder", "reserved-characters", "lower-case hex by %02x", Steps{Encode: func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			if c == '-' || c == '.' || c == '_' || c == '~' || c >= '0' && c <= '9' || c|32 >= 'a' && c|32 <= 'z' {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02x", c)
			}
		}
		return b.String()
	}}},
	{"encoder", "not-utf8|reserved-characters|any", "runes by %%%02X", Steps{Encode: func(s string) string {
		var b strings.Builder
		for _, c := range s {
			if c == '-' || c == '.' || c == '_' || c == '~' || c >= '0' && c <= '9' || c|32 >= 'a' && c|32 <= 'z' {
				b.WriteRune(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		return b.String()
	}}},
	{"order", "sort-order", "sort.Strings of joined", Steps{Order: func(l []Encoded) []Encoded {
		sort.Slice(l, func(a, b int) bool { return l[a].Name+"="+l[a].Value < l[b].Name+"="+l[b].Value })
		return l
	}}},
	{"order", "sort-order", "by lower-cased name", Steps{Order: func(l []Encoded) []Encoded {
		sort.SliceStable(l, func(a, b int) bool { return strings.ToLower(l[a].Name) < strings.ToLower(l[b].Name) })
		return l
	}}},
	{"order", "sort-order", "by name before escaping, stable", Steps{Order: func(l []Encoded) []Encoded {
		sort.SliceStable(l, func(a, b int) bool { return l[a].Plain.Name < l[b].Plain.Name })
		return l
	}}},
	{"order", "sort-order", "as given", Steps{Order: func(l []Encoded) []Encoded { return l }}},
	{"order", "sort-order|protocol|any", "oauth values in front, each sorted", Steps{Order: func(l []Encoded) []Encoded {
		byNameAndValue(l)
		sort.SliceStable(l, func(a, b int) bool {
			return strings.HasPrefix(l[a].Name, "oauth_") && !strings.HasPrefix(l[b].Name, "oauth_")
		})
		return l
	}}},
	{"source", "any", "amount by %f", amount("%f")},
	{"source", "any", "amount by %v", amount("%v")},
	{"source", "any", "amount by %e", amount("%e")},
	{"source", "any", "amount by %.1f", amount("%.1f")},
	{"source", "any", "amount by %.3f", amount("%.3f")},
	{"source", "any", "amount by %8.2f", amount("%8.2f")},
	{"source", "any", "amount by %08.2f", amount("%08.2f")},
	{"source", "any", "amount by %d", amount("%d")},
	{"source", "any", "amount as float32 in full", of("amount", func(v string) string { return strconv.FormatFloat(float64(float32(num(v))), 'f', -1, 64) })},
	{"source", "any", "amount as cents", of("amount", func(v string) string { return fmt.Sprint(int64(num(v) * 100)) })},
	{"source", "any", "amount as big.Rat", of("amount", func(v string) string { r, _ := new(big.Rat).SetString(v); return r.String() })},
	{"source", "repeated-or-nested-names|any", "a slice by %v", Steps{Pairs: func(l []Pair, _ Request) []Pair {
		m := map[string][]string{}
		names := []string{}
		for _, p := range l {
			if m[p.Name] == nil {
				names = append(names, p.Name)
			}
			m[p.Name] = append(m[p.Name], p.Value)
		}
		out := []Pair{}
		for _, n := range names {
			if len(m[n]) > 1 {
				out = append(out, Pair{n, fmt.Sprintf("%v", m[n])})
			} else {
				out = append(out, Pair{n, m[n][0]})
			}
		}
		return out
	}}},
	{"source", "repeated-or-nested-names|any", "every slice by %v", Steps{Pairs: func(l []Pair, r Request) []Pair {
		m := map[string][]string{}
		for _, p := range r.Body {
			m[p.Name] = append(m[p.Name], p.Value)
		}
		out := append(append([]Pair{}, r.Oauth...), r.Query...)
		for n, v := range m {
			out = append(out, Pair{n, fmt.Sprint(v)})
		}
		return out
	}}},
	{"source", "repeated-or-nested-names", "map[string]string", Steps{Pairs: func(l []Pair, _ Request) []Pair {
		m := map[string]string{}
		for _, p := range l {
			m[p.Name] = p.Value
		}
		out := []Pair{}
		for n, v := range m {
			out = append(out, Pair{n, v})
		}
		return out
	}}},
	{"source", "repeated-or-nested-names|any", "url.Values.Get", Steps{Pairs: func(l []Pair, _ Request) []Pair {
		m := url.Values{}
		for _, p := range l {
			m.Add(p.Name, p.Value)
		}
		out := []Pair{}
		for n := range m {
			out = append(out, Pair{n, m.Get(n)})
		}
		return out
	}}},
	{"source", "body-left-out|encoded-twice-or-once|any", "json.Marshal of the body", Steps{Pairs: func(_ []Pair, r Request) []Pair {
		m := map[string]string{}
		for _, p := range r.Body {
			m[p.Name] = p.Value
		}
		return append(append(append([]Pair{}, r.Oauth...), r.Query...), Pair{jsonOf(m), ""})
	}}},
	{"source", "body-left-out", "body not read", Steps{Pairs: func(_ []Pair, r Request) []Pair { return append(append([]Pair{}, r.Oauth...), r.Query...) }}},
	{"source", "query-left-out", "query not read", Steps{Pairs: func(_ []Pair, r Request) []Pair { return append(append([]Pair{}, r.Oauth...), r.Body...) }}},
	{"source", "empty-values|any", "nil by %v", body(nilled(fmt.Sprintf("%v", nil)))},
	{"source", "empty-values|any", "nil by %s", body(nilled(fmt.Sprintf("%s", nil)))},
	{"source", "empty-values", "empty skipped", keep(func(p Pair, _ Request) bool { return p.Value != "" })},
	{"source", "any", "values by %q", body(strconv.Quote)},
	{"source", "any", "values by QuoteToASCII", body(strconv.QuoteToASCII)},
	{"source", "any", "html.EscapeString", body(html.EscapeString)},
	{"source", "any", "template.HTMLEscapeString", body(template.HTMLEscapeString)},
	{"source", "any", "template.JSEscapeString", body(template.JSEscapeString)},
	{"source", "any", "json.Marshal of each value", body(func(s string) string { return jsonOf(s) })},
	{"source", "any", "json.Marshal of each value, no quotes", body(func(s string) string { return strings.Trim(jsonOf(s), `"`) })},
	{"source", "any", "values as []byte by %v", body(func(s string) string { return fmt.Sprint([]byte(s)) })},
	{"source", "any", "values by %x", body(func(s string) string { return fmt.Sprintf("%x", s) })},
	{"source", "space-plus|any", "TrimSpace", body(strings.TrimSpace)},
	{"source", "any", "strings.Title of names", each(func(p Pair) Pair { return Pair{strings.Title(p.Name), p.Value} })},
	{"source", "any", "a type of string by %d", of("amount", func(v string) string { return fmt.Sprintf("%d", v) })},
	{"source", "nonce-timestamp", "UnixMilli", of("oauth_timestamp", func(v string) string { return v + "000" })},
	{"source", "nonce-timestamp", "UnixNano", of("oauth_timestamp", func(v string) string { return v + "000000000" })},
	{"source", "nonce-timestamp|any", "RFC3339", of("oauth_timestamp", func(v string) string { return time.Unix(int64(num(v)), 0).UTC().Format(time.RFC3339) })},
	{"source", "nonce-timestamp|any", "timestamp as a float by %v", of("oauth_timestamp", func(v string) string { return fmt.Sprintf("%v", num(v)) })},
	{"source", "any", "oauth_version left out", keep(func(p Pair, _ Request) bool { return p.Name != "oauth_version" })},
	{"address", "scheme-host-port|query-left-out", "u.String()", Steps{Uri: func(r Request) string { return parse(r).String() }}},
	{"address", "scheme-host-port|query-left-out|any", "RequestURI", Steps{Uri: func(r Request) string { return parse(r).RequestURI() }}},
	{"address", "scheme-host-port", "path alone", Steps{Uri: func(r Request) string { return parse(r).EscapedPath() }}},
	{"address", "scheme-host-port", "Hostname()", Steps{Uri: func(r Request) string { return "https://" + strings.ToLower(parse(r).Hostname()) + r.Path }}},
	{"address", "scheme-host-port", "no scheme, as in a server's r.URL", Steps{Uri: func(r Request) string { return "://" + strings.ToLower(parse(r).Host) + r.Path }}},
	{"address", "scheme-host-port|encoded-twice-or-once|any", "u.Path", Steps{Uri: func(r Request) string { return "https://" + strings.ToLower(parse(r).Host) + parse(r).Path }}},
	{"address", "scheme-host-port", "path.Clean", Steps{Uri: func(r Request) string { return "https://" + strings.ToLower(parse(r).Host) + path.Clean(r.Path) }}},
	{"address", "scheme-host-port", "http behind TLS termination", Steps{Uri: func(r Request) string { return strings.Replace(r.Uri, "https", "http", 1) }}},
	{"address", "method", "strings.ToLower", Steps{Method: strings.ToLower}},
	{"address", "method", "GET", Steps{Method: func(string) string { return "GET" }}},
	{"address", "method|any", "empty Request.Method", Steps{Method: func(string) string { return "" }}},
	{"text", "any", "Fprintln", Steps{Text: func(s string) string { return fmt.Sprintln(s) }}},
	{"text", "any", "strings.ToUpper", Steps{Text: strings.ToUpper}},
	{"text", "any", "base string by %q", Steps{Text: strconv.Quote}},
	{"key", "signing-key", "secret not escaped", Steps{Key: func(s string) string { return s + "&" }}},
	{"key", "signing-key", "ampersand missing", Steps{Key: strict}},
	{"key", "signing-key", "QueryEscape", Steps{Key: func(s string) string { return url.QueryEscape(s) + "&" }}},
	{"key", "signing-key", "PathEscape", Steps{Key: func(s string) string { return url.PathEscape(s) + "&" }}},
	{"key", "signing-key", "ampersand escaped", Steps{Key: func(s string) string { return strict(s + "&") }}},
	{"key", "signing-key", "nil token secret by %v", Steps{Key: func(s string) string { return fmt.Sprintf("%s&%v", strict(s), nil) }}},
	{"key", "signing-key", "nil token secret by %s", Steps{Key: func(s string) string { return fmt.Sprintf("%s&%s", strict(s), nil) }}},
	{"key", "signing-key", "[]byte by %v", Steps{Key: func(s string) string { return fmt.Sprintf("%v&", []byte(s)) }}},
	{"key", "signing-key", "%q", Steps{Key: func(s string) string { return strict(strconv.Quote(s)) + "&" }}},
	{"key", "signing-key", "os.ReadFile with the line feed", Steps{Key: func(s string) string { return strict(s+"\n") + "&" }}},
	{"key", "signing-key", "hex of the secret", Steps{Key: func(s string) string { return hex.EncodeToString([]byte(s)) + "&" }}},
	{"key", "signing-key", "sha256 of the secret", Steps{Key: func(s string) string { d := sha256.Sum256([]byte(s)); return hex.EncodeToString(d[:]) + "&" }}},
	{"digest", "digest", "mac.Sum(text)", Steps{Mac: func(k, t string) []byte { return hmac.New(sha1.New, []byte(k)).Sum([]byte(t)) }}},
	{"digest", "digest", "sha1.New().Sum(text)", Steps{Mac: func(k, t string) []byte { return sha1.New().Sum([]byte(t)) }}},
	{"digest", "digest|signing-key", "key and text exchanged", Steps{Mac: func(k, t string) []byte { return hmacSha1(t, k) }}},
	{"digest", "digest", "sha256.New", Steps{Mac: func(k, t string) []byte { m := hmac.New(sha256.New, []byte(k)); m.Write([]byte(t)); return m.Sum(nil) }}},
	{"digest", "digest", "sha512.New", Steps{Mac: func(k, t string) []byte { m := hmac.New(sha512.New, []byte(k)); m.Write([]byte(t)); return m.Sum(nil) }}},
	{"digest", "digest", "sha1.Sum of key and text", Steps{Mac: func(k, t string) []byte { d := sha1.Sum([]byte(k + t)); return d[:] }}},
	{"digest", "digest|any", "text written twice", Steps{Mac: func(k, t string) []byte { return hmacSha1(k, t+t) }}},
	{"digest", "digest|any", "nothing written", Steps{Mac: func(k, t string) []byte { return hmacSha1(k, "") }}},
	{"writing", "digest", "URLEncoding", Steps{Write: base64.URLEncoding.EncodeToString}},
	{"writing", "digest", "RawStdEncoding", Steps{Write: base64.RawStdEncoding.EncodeToString}},
	{"writing", "digest", "%x", Steps{Write: func(d []byte) string { return fmt.Sprintf("%x", d) }}},
	{"writing", "digest", "% X", Steps{Write: func(d []byte) string { return fmt.Sprintf("% X", d) }}},
	{"writing", "digest", "%v", Steps{Write: func(d []byte) string { return fmt.Sprintf("%v", d) }}},
	{"writing", "digest", "%#x", Steps{Write: func(d []byte) string { return fmt.Sprintf("%#x", d) }}},
	{"writing", "digest", "%#v", Steps{Write: func(d []byte) string { return fmt.Sprintf("%#v", d) }}},
	{"writing", "digest", "%q", Steps{Write: func(d []byte) string { return fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(d)) }}},
	{"writing", "digest", "base32", Steps{Write: base32.StdEncoding.EncodeToString}},
	{"writing", "digest", "ascii85", Steps{Write: func(d []byte) string {
		b := make([]byte, ascii85.MaxEncodedLen(len(d)))
		return string(b[:ascii85.Encode(b, d)])
	}}},
	{"writing", "digest", "base64 of %x", Steps{Write: func(d []byte) string { return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("%x", d))) }}},
	{"writing", "digest", "base64 of %X", Steps{Write: func(d []byte) string { return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("%X", d))) }}},
	{"writing", "digest|header-not-encoded", "QueryEscape twice", Steps{Write: func(d []byte) string { return url.QueryEscape(url.QueryEscape(base64.StdEncoding.EncodeToString(d))) }}},
	{"writing", "digest|any", "base64.StdEncoding.EncodeToString of %v", Steps{Write: func(d []byte) string { return base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(d))) }}},
	{"writing", "digest|any", "strings.ToLower", Steps{Write: func(d []byte) string { return strings.ToLower(base64.StdEncoding.EncodeToString(d)) }}},
}

func put(name string, change func(string) string) Steps {
	return Steps{Values: func(v []Pair, _ Control) []Pair {
		for i := range v {
			if v[i].Name == name {
				v[i].Value = change(v[i].Value)
			}
		}
		return v
	}}
}
func all(change func(string) string) Steps {
	return Steps{Values: func(v []Pair, _ Control) []Pair {
		for i := range v {
			v[i].Value = change(v[i].Value)
		}
		return v
	}}
}
func money(format string) Steps {
	return put("amount", func(v string) string { return fmt.Sprintf(format, num(v)/100) })
}
func recipe(names ...string) Steps {
	return Steps{Values: func(_ []Pair, c Control) []Pair {
		out := []Pair{}
		for _, n := range names {
			out = append(out, Pair{n, c.All[n]})
		}
		return out
	}}
}
func concat(f func([]string, string) string) Steps { return Steps{Concat: f} }

var controlFaults = []Fault{
	{"join", "order|any", "fmt.Sprintln", concat(func(l []string, k string) string {
		a := []interface{}{}
		for _, v := range append(l, k) {
			a = append(a, v)
		}
		return fmt.Sprintln(a...)
	})},
	{"join", "order|any", "fmt.Sprint of the slice", concat(func(l []string, k string) string { return fmt.Sprint(l) + k })},
	{"join", "order|any", "fmt.Sprint of the slice with the key", concat(func(l []string, k string) string { return fmt.Sprint(append(l, k)) })},
	{"join", "order|any", "%q of the slice", concat(func(l []string, k string) string { return fmt.Sprintf("%q", l) + k })},
	{"join", "order|any", "json.Marshal of the slice", concat(func(l []string, k string) string { return jsonOf(l) + k })},
	{"join", "order", "strings.Join with a blank", concat(func(l []string, k string) string { return strings.Join(append(l, k), " ") })},
	{"join", "order", "strings.Join with a colon", concat(func(l []string, k string) string { return strings.Join(append(l, k), ":") })},
	{"join", "order", "strings.Join with a semicolon", concat(func(l []string, k string) string { return strings.Join(l, ";") + k })},
	{"join", "order", "sort.Strings", concat(func(l []string, k string) string { sort.Strings(l); return strings.Join(l, "") + k })},
	{"join", "order", "key in front", concat(func(l []string, k string) string { return k + strings.Join(l, "") })},
	{"join", "order|other-key|any", "values reversed", concat(func(l []string, k string) string {
		out := ""
		for _, v := range l {
			out = v + out
		}
		return out + k
	})},
	{"join", "order|digest|any", "key twice", concat(func(l []string, k string) string { return strings.Join(l, "") + k + k })},
	{"value", "decimal-amount", "%f", money("%f")},
	{"value", "decimal-amount", "%v", money("%v")},
	{"value", "decimal-amount", "%.2f", money("%.2f")},
	{"value", "decimal-amount", "%.0f", money("%.0f")},
	{"value", "decimal-amount", "%e", money("%e")},
	{"value", "decimal-amount", "%g of cents", put("amount", func(v string) string { return fmt.Sprintf("%g", num(v)) })},
	{"value", "decimal-amount", "%f of cents", put("amount", func(v string) string { return fmt.Sprintf("%f", num(v)) })},
	{"value", "decimal-amount", "%012s", put("amount", func(v string) string { return fmt.Sprintf("%012s", v) })},
	{"value", "decimal-amount", "%10s", put("amount", func(v string) string { return fmt.Sprintf("%10s", v) })},
	{"value", "decimal-amount", "cents, times 100", put("amount", func(v string) string { return strconv.Itoa(int(num(v)) * 100) })},
	{"value", "decimal-amount", "int of the float", put("amount", func(v string) string { return strconv.Itoa(int(num(v) / 100)) })},
	{"value", "decimal-amount", "decimal comma", put("amount", func(v string) string { return strings.Replace(fmt.Sprintf("%.2f", num(v)/100), ".", ",", 1) })},
	{"value", "decimal-amount|any", "%d of text", put("amount", func(v string) string { return fmt.Sprintf("%d", v) })},
	{"value", "missing-email|any", "*string nil by %v", all(nilled("<nil>"))},
	{"value", "any", "%q", all(strconv.Quote)},
	{"value", "any", "%+q", all(strconv.QuoteToASCII)},
	{"value", "any", "html.EscapeString", all(html.EscapeString)},
	{"value", "any", "json.Marshal", all(func(s string) string { return jsonOf(s) })},
	{"value", "charset|any", "QueryEscape", all(url.QueryEscape)},
	{"value", "charset|any", "PathEscape", all(url.PathEscape)},
	{"value", "any", "TrimSpace", all(strings.TrimSpace)},
	{"value", "orderid-text|any", "Atoi of the order id", put("orderId", func(v string) string { n, _ := strconv.Atoi(v); return strconv.Itoa(n) })},
	{"value", "orderid-text|any", "Atoi of the own order id", put("clientOrderId", func(v string) string { n, _ := strconv.Atoi(v); return strconv.Itoa(n) })},
	{"value", "any", "ToLower of the e-mail", put("email", strings.ToLower)},
	{"value", "any", "%v of []byte", put("email", func(v string) string { return fmt.Sprint([]byte(v)) })},
	{"value", "amount-currency|any", "currency in lower case", put("currency", strings.ToLower)},
	{"recipe", "any", "of status", recipe("login", "clientOrderId", "orderId")},
	{"recipe", "missing-email|any", "no e-mail", recipe("endpointId", "clientOrderId", "amount")},
	{"recipe", "endpoint-login|any", "login for endpoint", recipe("login", "clientOrderId", "amount", "email")},
	{"key", "key-whitespace|any", "ReadString with its line feed", Steps{Key: func(k string) string { return k + "\n" }}},
	{"key", "other-key|upper-case|any", "uuid.String in lower case", Steps{Key: strings.ToLower}},
	{"key", "other-key|any", "uuid without dashes", Steps{Key: func(k string) string { return strings.ReplaceAll(k, "-", "") }}},
	{"key", "other-key|any", "%q", Steps{Key: strconv.Quote}},
	{"key", "other-key|any", "%v of []byte", Steps{Key: func(k string) string { return fmt.Sprint([]byte(k)) }}},
	{"key", "other-key|any", "hex", Steps{Key: func(k string) string { return hex.EncodeToString([]byte(k)) }}},
	{"bytes", "charset", "utf16.Encode", Steps{Bytes: func(s string) []byte {
		out := []byte{}
		for _, u := range utf16.Encode([]rune(s)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	}}},
	{"bytes", "charset", "byte(rune)", Steps{Bytes: func(s string) []byte {
		out := []byte{}
		for _, r := range s {
			out = append(out, byte(r))
		}
		return out
	}}},
	{"hash", "digest", "sha1.New().Sum", Steps{Hash: func(d []byte) []byte { return sha1.New().Sum(d) }}},
	{"hash", "digest", "sha256", Steps{Hash: func(d []byte) []byte { s := sha256.Sum256(d); return s[:] }}},
	{"hash", "digest", "md5", Steps{Hash: func(d []byte) []byte { s := md5.Sum(d); return s[:] }}},
	{"hash", "digest|any", "hashed twice, bytes", Steps{Hash: func(d []byte) []byte { s := sha1.Sum(d); s = sha1.Sum(s[:]); return s[:] }}},
	{"writing", "upper-case", "%X", Steps{Write: func(d []byte) string { return fmt.Sprintf("%X", d) }}},
	{"writing", "base64", "base64", Steps{Write: base64.StdEncoding.EncodeToString}},
	{"writing", "base64|digest|any", "hex of hex by %x", Steps{Write: func(d []byte) string { return fmt.Sprintf("%x", hex.EncodeToString(d)) }}},
	{"writing", "any", "%v", Steps{Write: func(d []byte) string { return fmt.Sprint(d) }}},
	{"writing", "any", "0x", Steps{Write: func(d []byte) string { return fmt.Sprintf("%#x", d) }}},
	{"writing", "any", "%s", Steps{Write: func(d []byte) string { return fmt.Sprintf("%q", hex.EncodeToString(d)) }}},
}
