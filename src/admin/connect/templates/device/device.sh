. ./.env
field() { printf '%s' "$answer" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }
answer=$(curl -sS "$ISSUER{{path.device_authorization}}" \
  --data-urlencode "client_id=$CLIENT_ID" --data-urlencode "scope=$SCOPE")
device_code=$(field device_code)
interval=$(field interval)
if [ -z "$device_code" ]; then echo "$answer" >&2; exit 1; fi
echo "Open $(field verification_uri) and enter $(field user_code)" >&2
while :; do
  sleep "$interval"
  answer=$(curl -sS "$ISSUER{{path.token}}" --data-urlencode "device_code=$device_code" \
    --data-urlencode "client_id=$CLIENT_ID" \
    --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:device_code) || continue
  if [ -n "$(field access_token)" ]; then echo "$answer"; exit; fi
  case "$(field error)" in
    # Without an error it is no answer of redmint, but of a proxy before it.
    authorization_pending | temporarily_unavailable | '') ;;
    slow_down) interval=$((interval + 5)) ;;
    access_denied) echo "The user did not allow this device." >&2; exit 1 ;;
    expired_token) echo "Nobody entered the code in time. Start again for a new one." >&2; exit 1 ;;
    *) echo "$answer" >&2; exit 1 ;;
  esac
done
