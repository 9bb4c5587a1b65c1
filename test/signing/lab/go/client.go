// A client in Go: signs each request under each fault of its tables, and under pairs of them. Reads and writes JSON.
package main

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"reflect"
	"sort"
	"strings"
)

type Pair struct{ Name, Value string }

func (p *Pair) UnmarshalJSON(data []byte) error {
	var both [2]string
	err := json.Unmarshal(data, &both)
	p.Name, p.Value = both[0], both[1]
	return err
}

type Request struct {
	Method, Uri, Written, Host, Port, Path, QueryText, Realm, Secret string
	Query, Body, Oauth                                               []Pair
}

type Control struct {
	Values []Pair
	Key    string
	All    map[string]string
}

// A pair as encoded, with the pair it is of.
type Encoded struct {
	Name, Value string
	Plain       Pair
}

// What a client does otherwise at one or more steps.
type Steps struct {
	Pairs                    func([]Pair, Request) []Pair
	Encode, EncodeName       func(string) string
	Order                    func([]Encoded) []Encoded
	Join                     func([]Encoded) string
	Method, Outer, Text, Key func(string) string
	Uri                      func(Request) string
	Whole                    func(method, uri, parameters string) string
	Mac                      func(key, text string) []byte
	Write                    func([]byte) string
	Values                   func([]Pair, Control) []Pair
	Concat                   func(values []string, key string) string
	Bytes                    func(string) []byte
	Hash                     func([]byte) []byte
}

type Fault struct {
	Channel, Expected, What string
	Steps                   Steps
}

type Made struct {
	Request  int      `json:"request"`
	Channels []string `json:"channels"`
	Expected []string `json:"expected"`
	What     []string `json:"what"`
	Value    string   `json:"value"`
	Base     *string  `json:"base,omitempty"`
}

// Every byte but the unreserved ones of RFC 3986, in upper case.
func strict(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

func byNameAndValue(list []Encoded) []Encoded {
	sort.SliceStable(list, func(a, b int) bool {
		if list[a].Name != list[b].Name {
			return list[a].Name < list[b].Name
		}
		return list[a].Value < list[b].Value
	})
	return list
}

func or(step, usual func(string) string) func(string) string {
	if step != nil {
		return step
	}
	return usual
}

func same(text string) string { return text }

func baseString(r Request, f Steps) string {
	pairs := append(append(append([]Pair{}, r.Oauth...), r.Query...), r.Body...)
	if f.Pairs != nil {
		pairs = f.Pairs(pairs, r)
	}
	encode := or(f.Encode, strict)
	encoded := []Encoded{}
	for _, p := range pairs {
		encoded = append(encoded, Encoded{or(f.EncodeName, encode)(p.Name), encode(p.Value), p})
	}
	if f.Order != nil {
		encoded = f.Order(encoded)
	} else {
		encoded = byNameAndValue(encoded)
	}
	parts := []string{}
	for _, e := range encoded {
		parts = append(parts, e.Name+"="+e.Value)
	}
	parameters := strings.Join(parts, "&")
	if f.Join != nil {
		parameters = f.Join(encoded)
	}
	uri := r.Uri
	if f.Uri != nil {
		uri = f.Uri(r)
	}
	method := or(f.Method, same)(r.Method)
	if f.Whole != nil {
		return f.Whole(method, uri, parameters)
	}
	outer := or(f.Outer, strict)
	return or(f.Text, same)(outer(method) + "&" + outer(uri) + "&" + outer(parameters))
}

func hmacSha1(key, text string) []byte {
	mac := hmac.New(sha1.New, []byte(key))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func sign(r Request, f Steps) string {
	key := or(f.Key, func(s string) string { return strict(s) + "&" })(r.Secret)
	mac, write := hmacSha1, base64.StdEncoding.EncodeToString
	if f.Mac != nil {
		mac = f.Mac
	}
	if f.Write != nil {
		write = f.Write
	}
	return write(mac(key, baseString(r, f)))
}

func checksum(c Control, f Steps) string {
	values := append([]Pair{}, c.Values...)
	if f.Values != nil {
		values = f.Values(values, c)
	}
	texts := []string{}
	for _, p := range values {
		texts = append(texts, p.Value)
	}
	key := or(f.Key, same)(c.Key)
	whole := strings.Join(texts, "") + key
	if f.Concat != nil {
		whole = f.Concat(texts, key)
	}
	data := []byte(whole)
	if f.Bytes != nil {
		data = f.Bytes(whole)
	}
	digest := sha1.Sum(data)
	sum, write := digest[:], hex.EncodeToString
	if f.Hash != nil {
		sum = f.Hash(data)
	}
	if f.Write != nil {
		write = f.Write
	}
	return write(sum)
}

// Both, unless a step is changed by each of them.
func merged(a, b Steps) (Steps, bool) {
	both := a
	into, from := reflect.ValueOf(&both).Elem(), reflect.ValueOf(b)
	for at := 0; at < from.NumField(); at++ {
		if from.Field(at).IsNil() {
			continue
		}
		if !into.Field(at).IsNil() {
			return both, false
		}
		into.Field(at).Set(from.Field(at))
	}
	return both, true
}

func made(count int, table []Fault, make func(int, Steps) string, base func(int, Steps) string) []Made {
	out := []Made{}
	one := func(at int, value string, steps Steps, faults ...Fault) {
		row := Made{Request: at, Value: value}
		for _, f := range faults {
			row.Channels = append(row.Channels, f.Channel)
			row.Expected = append(row.Expected, f.Expected)
			row.What = append(row.What, f.What)
		}
		if base != nil && steps.Key == nil && steps.Mac == nil && steps.Write == nil {
			text := base(at, steps)
			row.Base = &text
		}
		out = append(out, row)
	}
	for at := 0; at < count; at++ {
		right := make(at, Steps{})
		alone := []string{}
		for _, f := range table {
			value := make(at, f.Steps)
			alone = append(alone, value)
			if value != right {
				one(at, value, f.Steps, f)
			}
		}
		for i, a := range table {
			for j, b := range table[i+1:] {
				steps, ok := merged(a.Steps, b.Steps)
				first, second := alone[i], alone[i+1+j]
				if !ok || a.Channel == b.Channel || first == right || second == right {
					continue
				}
				if value := make(at, steps); value != right && value != first && value != second {
					one(at, value, steps, a, b)
				}
			}
		}
	}
	return out
}

func main() {
	var given struct {
		Oauth   []Request
		Control []Control
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	oauth := made(len(given.Oauth), oauthFaults,
		func(at int, f Steps) string { return sign(given.Oauth[at], f) },
		func(at int, f Steps) string { return baseString(given.Oauth[at], f) })
	control := made(len(given.Control), controlFaults,
		func(at int, f Steps) string { return checksum(given.Control[at], f) }, nil)
	json.NewEncoder(os.Stdout).Encode(map[string][]Made{"oauth": oauth, "control": control})
}
