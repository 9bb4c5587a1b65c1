#!/usr/bin/env bash
# paycli as an integration: takes CERTIFY_ORDER, ends with the exit code of paycli, which names the outcome.
order() { jq -r "$1" <<<"$CERTIFY_ORDER"; }
ref=$(order .reference) fields=$(order .fields) operation=$(order .operation)
how=(--input - --client-order-id "$ref" --wait --wait-timeout "$CERTIFY_PATIENCE" --timeout "$CERTIFY_TIMEOUT" --json -q)
how+=(${CERTIFY_CA_FILE:+--ca-file "$CERTIFY_CA_FILE"})
case $operation in
  payout-check) echo "$fields" >"$CERTIFY_STATE/checked" ;;
  payout-pay) cmp -s "$CERTIFY_STATE/checked" <(echo "$fields") || exit 10 # not what was checked
    fields='{}' ;;
  capture | return | void) how=("${how[@]/$ref/$(order .fields.client_orderid)}") ;;
esac
[ "$operation" = payout ] && operation='payout send'
paycli ${operation/payout-/payout } "${how[@]}" <<<"$fields" >/dev/null
code=$?
[ $code = 7 ] && [ "$(order '.payer // empty')" ] && {
  paycli 3ds run "$ref" --path "$(order .payer)" --json -q >/dev/null
  paycli status "$ref" --wait --wait-timeout "$CERTIFY_PATIENCE" -q >/dev/null
  code=$?
}
[ $code = 8 ] || [ $code = 10 ] && { paycli resolve "$ref" --once -q >/dev/null; code=$?; }
exit $code
