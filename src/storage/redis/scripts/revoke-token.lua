-- include: assert_writable, read_hash, is_earlier_token, revoke_family
-- args: digest, any_client, client_id
-- Revokes a token; a refresh token with its whole family, also one that was replaced and has no record any more.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- ARGV  digest: that of the part that a refresh token shares with its family, any_client: '1' if the token may be of any
--       client, otherwise it must be of client_id
-- Result  {'ok' | 'missing' | 'mismatch', '1' if mark-revoked must mark more tokens}
assert_writable(KEYS[3])
local token_type = redis.call('HGET', KEYS[1], 'type')
local owner = redis.call('HGET', token_type and KEYS[1] or KEYS[2], 'client_id')
if not token_type and not is_earlier_token(read_hash(KEYS[2]), KEYS[1], digest) then
  return { 'missing' }
end
if any_client ~= '1' and client_id ~= owner then
  return { 'mismatch' }
end
if token_type then
  redis.call('HSET', KEYS[1], 'revoked', 'true')
end
if not token_type or token_type == 'refresh_token' then
  return { 'ok', revoke_family(KEYS[2], KEYS[3]) }
end
return { 'ok' }
