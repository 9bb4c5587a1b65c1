#!/bin/sh
# A merchant's client without any code of this project, in a longer order than curl-client.sh: a sale with a 3-D Secure challenge, a hold
# captured in part, a partial return of it, and a payout signed by OAuth 1.0a. Only sh, curl and openssl.
#
# usage: curl-flow.sh BASE-ADDRESS LOGIN ENDPOINT-ID CONTROL-KEY-FILE
set -eu
LC_ALL=C
export LC_ALL

base=$1 login=$2 endpoint=$3
key=$(cat "$4")
id=flow-$(openssl rand -hex 6)
authorization=

# The value of a field in a reply: one flat JSON record on one line.
value_of() {
  sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p'
}

sha1() {
  openssl dgst -sha1 -r | cut -d ' ' -f 1
}

# What brings letters, digits and - . _ ~ back from their %XX.
plain=
for letter in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z \
  0 1 2 3 4 5 6 7 8 9 - . _ '~'; do
  plain="${plain}s/%$(printf %X "'$letter")/$letter/g;"
done

# Everything but letters, digits and - . _ ~ as %XX, byte by byte (RFC 3986).
encode() {
  case $1 in
    *[!A-Za-z0-9._~-]*) printf %s "$1" | od -An -v -tx1 | tr -d '\n' | tr ' a-f' '%A-F' | sed "$plain" ;;
    *) printf %s "$1" ;;
  esac
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

email=ana@example.com

# A sale or a hold: kind, client order id, amount, the same in minor units, card number, security code.
card_payment() {
  control=$(printf %s "${endpoint}${2}${4}${email}${key}" | sha1)
  post "/api/v2/$1" "client_orderid=$2" "amount=$3" currency=USD "credit_card_number=$5" 'card_printed_name=ANA MUÑOZ' expire_month=12 \
    expire_year=2035 "cvv2=$6" order_desc=Order "email=$email" phone=+4930123456 'address1=Street 1' city=Köln zip_code=50667 country=DE \
    ipaddress=192.0.2.10 redirect_url=https://shop.example/back "control=$control"
}

# A capture or return of a part: kind, client order id, order id, amount, minor units.
part() {
  control=$(printf %s "${login}${2}${3}${5}USD${key}" | sha1)
  post "/api/v2/$1" "login=$login" "client_orderid=$2" "orderid=$3" "amount=$4" currency=USD "control=$control"
}

# What the issuer's server sends at the end of a challenge: client order id, order id, ids of the two servers.
upload_cres() {
  message=$(printf '{"threeDSServerTransID":"%s","acsTransID":"%s","messageType":"CRes","messageVersion":"2.2.0","transStatus":"Y"}' "$3" "$4")
  cres=$(printf %s "$message" | openssl base64 -A | tr '+/' '-_' | tr -d =)
  control=$(printf %s "${login}${1}${2}${key}" | sha1)
  post /api/3ds/v1/upload-cres-result "login=$login" "client-order-id=$1" "orderid=$2" "cRes=$cres" "control=$control"
}

# The JSON inside base64url text without padding.
opened() {
  text=$(printf %s "$1" | tr '_-' '/+')
  while [ $((${#text} % 4)) -ne 0 ]; do text="$text="; done
  printf %s "$text" | openssl base64 -d -A
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


# The order of an answer.
order_of() {
  printf %s "$1" | value_of paynet-order-id
}

order=$(order_of "$(card_payment sale "$id-s" 10.42 1042 4444000011118888 123)")
answer=$(status "$id-s" "$order")
creq=$(opened "$(printf %s "$answer" | value_of tds-creq-form-creq)")
upload_cres "$id-s" "$order" "$(printf %s "$creq" | value_of threeDSServerTransID)" "$(printf %s "$creq" | value_of acsTransID)" >/dev/null
word=$(settled "$id-s" "$order")
echo "3-D Secure sale $(printf %s "$answer" | value_of tds_status) $word"

order=$(order_of "$(card_payment preauth "$id-h" 30.00 3000 4444333322221111 111)")
echo "hold $(settled "$id-h" "$order")"
part capture "$id-h" "$order" 20.00 2000 >/dev/null
echo "capture $(settled "$id-h" "$order")"
part return "$id-h" "$order" 5.50 550 >/dev/null
word=$(settled "$id-h" "$order")
answer=$(status "$id-h" "$order")
echo "return $word $(printf %s "$answer" | value_of transaction-type) $(printf %s "$answer" | value_of total-reversal-amount)"
# More than is left: the gateway has to say no.
if part return "$id-h" "$order" 14.51 1451 2>/dev/null; then echo 'too much was returned'; fi

order=$(order_of "$(payout)")
echo "payout $(settled "$id-out" "$order")"
