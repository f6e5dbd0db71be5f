-- include: write_token
-- Writes a revoked record for a token without a record, such as a JWT.
-- KEYS  1 the token
-- ARGV  1 expiry in milliseconds since 1970; then field, value, …
-- Result  'ok'
write_token(KEYS[1], { unpack(ARGV, 2) }, tonumber(ARGV[1]), 'true')
return 'ok'
