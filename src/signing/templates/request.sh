#!/bin/sh
# {{#introduction}}
# {{{.}}}
# {{/introduction}}

set -eu
LC_ALL=C
export LC_ALL

# Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986).
encode() {
  printf %s "$1" | od -An -v -tx1 | awk '
    BEGIN { for (i = 33; i < 127; i++) { c = sprintf("%c", i); if (c ~ /[A-Za-z0-9._~-]/) plain[sprintf("%02x", i)] = c } }
    { for (i = 1; i <= NF; i++) printf "%s", (($i in plain) ? plain[$i] : "%" toupper($i)) }'
}

# The fields, each as name=value, as a form.
form() {
  body=
  for field in "$@"; do
    body="$body${body:+&}$(encode "${field%%=*}")=$(encode "${field#*=}")"
  done
  printf %s "$body"
}

# {{#asks}}
# The variable $1, or what is typed for the field $2; input is not echoed.
ask() (
  eval "answer=\${$1:-}"
  if [ -z "$answer" ]; then
    before=$(stty -g </dev/tty)
    trap 'stty "$before" </dev/tty' EXIT
    trap 'exit 130' INT
    stty -echo </dev/tty
    printf '%s: ' "$2" >/dev/tty
    IFS= read -r answer </dev/tty
    echo >/dev/tty
  fi
  printf %s "$answer"
)

# {{/asks}}
# {{#control}}
# Sets value to that of the field $1 among the others; one that is not sent is empty.
find_value() {
  value=
  wanted=$1
  shift
  for field in "$@"; do
    case $field in
      "$wanted="*)
        value=${field#*=}
        return
        ;;
    esac
  done
}

# {{/control}}
# {{#controlKey}}
key=${CONTROL_KEY:-}
unset CONTROL_KEY
if [ -n "${CONTROL_KEY_FILE:-}" ]; then key=$(tr -d '\r\n' <"$CONTROL_KEY_FILE"); fi
if [ -z "$key" ]; then
  echo 'CONTROL_KEY_FILE must name the file with the merchant control key' >&2
  exit 2
fi

# {{/controlKey}}
# {{#rsa}}
if [ ! -r "${PRIVATE_KEY_FILE:-}" ]; then
  echo 'PRIVATE_KEY_FILE must name the PEM file with the RSA private key' >&2
  exit 2
fi

# {{/rsa}}
# {{#usesLogin}}
login='{{login}}'
# {{/usesLogin}}
endpoint_id='{{endpointId}}'
url='{{address}}'$endpoint_id
set --
# {{#fields}}
# {{^isAsked}}
set -- "$@" '{{wire}}={{text}}'
# {{/isAsked}}
# {{#isAsked}}
value=$(ask '{{variable}}' '{{wire}}')
set -- "$@" '{{wire}}='"$value"
# {{/isAsked}}
# {{/fields}}
# {{#control}}

# SHA-1 over these values without separators, then the key.
text=
# {{#slots}}
# {{#isEndpoint}}
text=$text$endpoint_id
# {{/isEndpoint}}
# {{#isLogin}}
text=$text$login
# {{/isLogin}}
# {{#minor}}
text=$text'{{minor}}' # the amount in minor units
# {{/minor}}
# {{#field}}
find_value '{{field}}' "$@"
text=$text$value
# {{/field}}
# {{/slots}}
# {{#hexLower}}
control=$(printf %s "$text$key" | openssl dgst -sha1 -r | cut -d ' ' -f 1)
# {{/hexLower}}
# {{#hexUpper}}
control=$(printf %s "$text$key" | openssl dgst -sha1 -r | cut -d ' ' -f 1 | tr a-f A-F)
# {{/hexUpper}}
# {{#base64}}
control=$(printf %s "$text$key" | openssl dgst -sha1 -binary | openssl base64 -A)
# {{/base64}}
set -- "$@" "control=$control"
# {{/control}}
# {{^inBody}}
body=$(form "$@")
# {{/inBody}}
# {{#oauth}}

nonce=$(openssl rand -hex 16)
timestamp=$(date +%s)
set -- "$@" \
  "oauth_consumer_key=$login" \
  "oauth_nonce=$nonce" \
  oauth_signature_method='{{method}}' \
  "oauth_timestamp=$timestamp" \
  oauth_version=1.0
# RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
parameters=$(
  for field in "$@"; do
    printf '%s\t%s\n' "$(encode "${field%%=*}")" "$(encode "${field#*=}")"
  done | sort -t "$(printf '\t')" -k 1,1 -k 2,2 | tr '\t\n' '=&'
)
text="POST&$(encode "$url")&$(encode "${parameters%&}")"
# {{#hmac}}
secret=$(encode "$key")
# {{#rawKey}}
secret=$key
# {{/rawKey}}
# openssl takes the key of an HMAC as an argument, which every user of the machine can read; perl gets it as a variable.
signature=$(
  printf %s "$text" |
    HMAC_KEY="$secret&" perl -MDigest::SHA=hmac_sha1_base64 -0777 -ne 'print hmac_sha1_base64($_, $ENV{HMAC_KEY}), "="'
)
# {{/hmac}}
# {{#rsa}}
signature=$(printf %s "$text" | openssl dgst -sha256 -sign "$PRIVATE_KEY_FILE" | openssl base64 -A)
# {{/rsa}}
authorization="OAuth oauth_consumer_key=\"$(encode "$login")\", oauth_nonce=\"$nonce\", oauth_signature_method=\"{{method}}\", \
oauth_timestamp=\"$timestamp\", oauth_version=\"1.0\", oauth_signature=\"$(encode "$signature")\""
# {{#inBody}}
body=$(form "$@")
# {{/inBody}}
# {{/oauth}}

set --
# {{#headers}}
set -- "$@" --header '{{name}}: {{value}}'
# {{/headers}}
# {{#oauth}}
set -- "$@" --header "Authorization: $authorization"
# {{/oauth}}
reply=$(printf %s "$body" | curl --silent --show-error --max-time 60 --write-out '\n%{http_code}' "$@" --data-binary @- "$url")
printf '%s\n' "${reply%????}"
echo "HTTP ${reply#"${reply%???}"}" >&2
case $reply in *200) ;; *) exit 1 ;; esac
