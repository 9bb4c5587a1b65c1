#!/bin/sh
# A merchant's client without any code of this project: sh, curl and openssl make a sale signed by the SHA-1 control, ask for its
# status until it is final, and send a payout signed by OAuth 1.0a with HMAC-SHA1.
#
# usage: curl-client.sh BASE-ADDRESS LOGIN ENDPOINT-ID CONTROL-KEY-FILE
set -eu
LC_ALL=C
export LC_ALL

base=$1 login=$2 endpoint=$3
key=$(cat "$4")
id=curl-$(openssl rand -hex 6)
authorization=

# The value of a field in a reply: one flat JSON record on one line.
value_of() {
  sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p'
}

sha1() {
  openssl dgst -sha1 -r | cut -d ' ' -f 1
}

# Everything but letters, digits and - . _ ~ as %XX, byte by byte (RFC 3986).
encode() {
  printf %s "$1" | od -An -v -tx1 | tr -s ' ' '\n' | while read -r byte; do
    case $byte in
      '') ;;
      2d | 2e | 5f | 7e | 3[0-9] | 4[1-9a-f] | 5[0-9a] | 6[1-9a-f] | 7[0-9a]) printf "\\$(printf %o "0x$byte")" ;;
      *) printf '%%%s' "$(printf %s "$byte" | tr a-f A-F)" ;;
    esac
  done
}

# Posts the fields given as name=value. Without a 200 it shows the reply and fails.
post() {
  path=$1
  shift
  fields=
  for field in "$@"; do
    fields="$fields${fields:+&}$(encode "${field%%=*}")=$(encode "${field#*=}")"
  done
  reply=$(printf %s "$fields" | curl --silent --show-error --max-time 20 --write-out '\n%{http_code}' \
    --header 'Accept: application/vnd.pay+json' --header 'Content-Type: application/x-www-form-urlencoded' \
    ${authorization:+--header "$authorization"} --data-binary @- "$base$path/$endpoint")
  case $reply in
    *200) printf '%s\n' "${reply%???}" ;;
    *) printf '%s: %s\n' "$path" "$reply" >&2 && return 1 ;;
  esac
}

sale() {
  email=ana.muñoz+test@example.com
  control=$(printf %s "${endpoint}${id}1042${email}${key}" | sha1)
  post /api/v2/sale "client_orderid=$id" amount=10.42 currency=USD credit_card_number=4444333322221111 \
    'card_printed_name=ANA MUÑOZ' expire_month=12 expire_year=2035 cvv2=123 'order_desc=Two cups & a plate = 100 % "good"' \
    "email=$email" phone=+4930123456 "address1=1 O'Neill Straße (back)" city=Köln zip_code=50667 country=DE \
    ipaddress=192.0.2.10 'redirect_url=https://shop.example/back?a=1&b=%20' "control=$control"
}

status() {
  control=$(printf %s "${login}${1}${2}${key}" | sha1)
  post /api/v2/status "login=$login" "client_orderid=$1" "orderid=$2" "control=$control"
}

# Fields of the payout go in as arguments; the header covers them and the oauth_ parameters.
authorize() {
  path=$1
  shift
  nonce=$(openssl rand -hex 16)
  now=$(date +%s)
  parameters=$(
    for field in "$@" "oauth_consumer_key=$login" "oauth_nonce=$nonce" oauth_signature_method=HMAC-SHA1 \
      "oauth_timestamp=$now" oauth_version=1.0; do
      printf '%s\t%s\n' "$(encode "${field%%=*}")" "$(encode "${field#*=}")"
    done | sort -t "$(printf '\t')" -k 1,1 -k 2,2 | tr '\t\n' '=&'
  )
  string="POST&$(encode "$base$path/$endpoint")&$(encode "${parameters%&}")"
  signature=$(printf %s "$string" | openssl dgst -sha1 -hmac "$(encode "$key")&" -binary | openssl base64)
  printf 'Authorization: OAuth oauth_consumer_key="%s", oauth_nonce="%s", oauth_signature_method="HMAC-SHA1", ' "$(encode "$login")" "$nonce"
  printf 'oauth_timestamp="%s", oauth_version="1.0", oauth_signature="%s"\n' "$now" "$(encode "$signature")"
}

payout() {
  set -- "client_orderid=$id-out" amount=50.00 currency=EUR account_number=DE02120300000000202051 'bank_name=A+B & Söhne' \
    'bank_branch=Köln (Mitte)' 'order_desc=1*2~3!'
  authorization=$(authorize /api/v2/payout "$@")
  post /api/v2/payout "$@"
  authorization=
}

# Asks until the order is final, ten seconds long.
settled() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    answer=$(status "$1" "$2")
    word=$(printf %s "$answer" | value_of status)
    [ "$word" = processing ] || break
    sleep 1
  done
  printf %s "$word"
}

answer=$(sale)
order=$(printf %s "$answer" | value_of paynet-order-id)
word=$(settled "$id" "$order")
echo "sale $order $word"

answer=$(payout)
order=$(printf %s "$answer" | value_of paynet-order-id)
word=$(settled "$id-out" "$order")
echo "payout $order $word"
