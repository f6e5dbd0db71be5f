-- include: read_hash, secret_of, jti_of, now_ms, iso8601, keep_until, mark_withdrawn, forget_spent_token
-- args: operation
-- Undoes an operation on a refresh token whose answer was lost: moves the record back from the successor, so that the
-- token is usable again, and removes the access token. A successor that a retry received meanwhile is kept, and a revoked
-- family stays revoked. An operation that is withdrawn before it runs does nothing when it runs.
-- KEYS  1 the refresh token, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, 5 the
--       successor, 6 the access token (or none): those of refresh-token
-- Result  'ok'
local token_key, family_key, index_key, successor_key = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
local family = read_hash(family_key)
mark_withdrawn(KEYS[4], token_key, family_key)
local is_unanswered = family.spent_by == operation and not family.retried
local expires = tonumber(family.spent_until or redis.call('ZSCORE', index_key, successor_key) or '')
if is_unanswered and expires and redis.call('HGET', successor_key, 'revoked') == 'false' then
  redis.call('RENAME', successor_key, token_key)
  redis.call('HSET', token_key, 'jti', jti_of(token_key))
  if family.spent_until then
    redis.call('HSET', token_key, 'expires_at', iso8601(expires))
    redis.call('PEXPIREAT', token_key, expires)
  end
  for field in string.gmatch(family.spent_bound or '', '%S+') do
    redis.call('HDEL', token_key, field)
  end
  if KEYS[6] then
    redis.call('DEL', KEYS[6])
  end
  redis.call('ZADD', index_key, expires, token_key)
  redis.call('ZREM', index_key, unpack(KEYS, 5))
  local now = now_ms()
  keep_until(index_key, now + redis.call('PTTL', family_key), now)
  forget_spent_token(family_key, family, secret_of(token_key))
end
return 'ok'
