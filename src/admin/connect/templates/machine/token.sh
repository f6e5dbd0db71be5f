. ./.env
curl -sS "$ISSUER{{path.token}}" --user "$CLIENT_ID:$CLIENT_SECRET" \
  --data-urlencode grant_type=client_credentials --data-urlencode "scope={{scope}}"
