#!/bin/sh
# The same request as a person writes it for a shell: openssl signs, curl sends.
set -eu
key=$(cat "$PAYCLI_CONTROL_KEY_FILE")
sign() { printf %s "$1" | openssl dgst -sha1 -r | cut -d' ' -f1; }
case $1 in
  sale)
    control=$(sign "${PAYCLI_ENDPOINT_ID}${2}1042jane@example.com$key")
    set -- "$@" --data-urlencode amount=10.42 --data-urlencode currency=USD --data-urlencode credit_card_number=4444333322221111 \
      --data-urlencode 'card_printed_name=JANE DOE' --data-urlencode expire_month=12 --data-urlencode expire_year=2035 \
      --data-urlencode cvv2=123 --data-urlencode order_desc=Order --data-urlencode email=jane@example.com \
      --data-urlencode phone=+4930123456 --data-urlencode 'address1=Street 1' --data-urlencode city=Berlin --data-urlencode zip_code=10115 \
      --data-urlencode country=DE --data-urlencode ipaddress=192.0.2.1 --data-urlencode redirect_url=https://shop.example/r ;;
  status)
    control=$(sign "$PAYCLI_LOGIN$2$key")
    set -- "$@" --data-urlencode "login=$PAYCLI_LOGIN" ;;
esac
url=$PAYCLI_BASE_URL/api/v2/$1/$PAYCLI_ENDPOINT_ID id=$2
shift 2
curl -sS -f -H 'Accept: application/vnd.pay+json' --data-urlencode "client_orderid=$id" "$@" --data-urlencode "control=$control" "$url"
