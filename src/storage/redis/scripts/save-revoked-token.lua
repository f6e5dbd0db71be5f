-- Writes the record of a token that has none, a JWT's, as revoked.
-- KEYS  1 the token
-- ARGV  1 jti, 2 type, 3 subject, 4 scope, 5 client_id, 6 when it expires in milliseconds since 1970
-- Result  'ok'
write_token(KEYS[1], {
  jti = ARGV[1], type = ARGV[2], subject = ARGV[3], scope = ARGV[4], client_id = ARGV[5], revoked = 'true',
}, tonumber(ARGV[6]))
return 'ok'
