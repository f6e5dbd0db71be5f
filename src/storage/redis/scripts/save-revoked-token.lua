-- include: write_token
-- Writes the record of a token that has none, a JWT's, as revoked.
-- KEYS  1 the token
-- ARGV  1 when it expires in milliseconds since 1970; then field, value, …
-- Result  'ok'
write_token(KEYS[1], { unpack(ARGV, 2) }, tonumber(ARGV[1]), 'true')
return 'ok'
