-- Revokes a token; a refresh token with its whole family.
-- KEYS  1 the token, 2 its grant, 3 the grant's index
-- ARGV  1 the client_id that it must have been issued to (or none)
-- Result  'ok' | 'missing' | 'mismatch'
assert_writable(KEYS[3])
local token = read_hash(KEYS[1])
if not token.type then
  return 'missing'
end
if ARGV[1] and token.client_id ~= ARGV[1] then
  return 'mismatch'
end
redis.call('HSET', KEYS[1], 'revoked', 'true')
if token.type == 'refresh_token' then
  revoke_family(KEYS[2], KEYS[3])
end
return 'ok'
