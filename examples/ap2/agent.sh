#!/usr/bin/env bash
# A merchant that speaks the Agent Payments Protocol (https://ap2-protocol.org): an
# IntentMandate is answered with a CartMandate, and a PaymentMandate for that cart
# ends the sale. A real one signs the cart (merchant_authorization), and has the
# user's authorization checked.
#   sidecar run --mode oneshot --card examples/ap2/card.json -- examples/ap2/agent.sh
set -eu
sidecar=${SIDECAR:-sidecar}
ap2=(--extension https://github.com/google-agentic-commerce/ap2/v1)
read -r intent || [ -n "$intent" ]
case $intent in
*'"ap2.mandates.IntentMandate":'*) ;;
*) exec "$sidecar" emit done "${ap2[@]}" --state rejected "Send an IntentMandate as a data part." ;;
esac
cart=$(sed "s/EXPIRY/$(date -u +%Y-%m-%dT23:59:59Z)/" "$(dirname "$0")/cart.json")
"$sidecar" emit artifact "${ap2[@]}" --id cart --name "Cart" --description "What was found, at this price until tonight." --last --data "$cart"
payment=$("$sidecar" ask "${ap2[@]}" "Send the PaymentMandate for order-1.")
case $payment in
*'"ap2.mandates.PaymentMandate":'*'"payment_details_id":"order-1"'*) ;;
*) exec "$sidecar" emit done "${ap2[@]}" --state failed "That was no PaymentMandate for order-1." ;;
esac
"$sidecar" emit done "${ap2[@]}" --metadata '{"order":"order-1"}' "Paid: order-1 is on its way."
