#!/usr/bin/env bash
# paycli as an integration: takes CERTIFY_ORDER, ends with the exit code of paycli, which names the outcome.
order() { jq -r "$1" <<<"$CERTIFY_ORDER"; }
id=$(order '.fields.client_orderid // .reference') operation=$(order .operation) checked=$CERTIFY_STATE/checked
how=(--client-order-id "$id" --timeout "$CERTIFY_TIMEOUT" ${CERTIFY_CA_FILE:+--ca-file "$CERTIFY_CA_FILE"})
fields=$(order .fields)
if [ "$operation" = payout-pay ]; then # pay only what was checked
  [ "$(cat "$checked")" = "$fields" ] || exit 10
  fields='{}'
elif [ "$operation" = payout-check ]; then echo "$fields" >"$checked"; fi
command=${operation/payout-/payout }
paycli ${command/%payout/payout send} "${how[@]}" --input - <<<"$fields"
code=$?
[ $code = 2 ] && exit 10 # the same order with another amount
[ $code = 8 ] || [ $code = 10 ] && { paycli resolve "${how[@]}" --once; code=$?; }
[ "$(order '.payer // empty')" ] && paycli 3ds run "$id" --path "$(order .payer)"
[ $code = 0 ] || [ $code = 7 ] || exit $code
paycli status "${how[@]}" --wait --wait-timeout "$CERTIFY_PATIENCE"
