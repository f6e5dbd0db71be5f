-- include: assert_writable, revoke_family
-- Revokes a token; a refresh token with its whole family.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- ARGV  1 the client_id of the token (or none: any client)
-- Result  'ok' | 'missing' | 'mismatch'
assert_writable(KEYS[3])
local type = redis.call('HGET', KEYS[1], 'type')
if not type then
  return 'missing'
end
if ARGV[1] and redis.call('HGET', KEYS[1], 'client_id') ~= ARGV[1] then
  return 'mismatch'
end
redis.call('HSET', KEYS[1], 'revoked', 'true')
if type == 'refresh_token' then
  revoke_family(KEYS[2], KEYS[3])
end
return 'ok'
