-- include: assert_writable, read_hash, is_earlier_token, revoke_family
-- args: digest, client[]
-- Revokes a token; a refresh token with its whole family, also one that was replaced and has no record any more.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- ARGV  digest: that of the part that a refresh token shares with its family, client: the client_id that the token
--       must have (none: any)
-- Result  {'ok' | 'missing' | 'mismatch', '1' if mark-revoked must mark more tokens}
assert_writable(KEYS[3])
local token_type = redis.call('HGET', KEYS[1], 'type')
local owner = redis.call('HGET', token_type and KEYS[1] or KEYS[2], 'client_id')
if not token_type and not is_earlier_token(read_hash(KEYS[2]), KEYS[1], digest) then
  return { 'missing' }
end
if client_first <= client_last and ARGV[client_first] ~= owner then
  return { 'mismatch' }
end
if token_type then
  redis.call('HSET', KEYS[1], 'revoked', 'true')
end
if not token_type or token_type == 'refresh_token' then
  return { 'ok', revoke_family(KEYS[2], KEYS[3]) }
end
return { 'ok' }
