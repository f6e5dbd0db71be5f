-- include: read_hash, secret_of, now_ms, keep_until, mark_withdrawn
-- args: operation
-- Undoes an operation on a refresh token whose answer was lost: removes the successor and makes the token usable again.
-- A successor that a retry received meanwhile is kept, and a revoked family stays revoked. An operation that is
-- withdrawn before it runs does nothing when it runs.
-- KEYS  1 the refresh token, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, 5 the
--       successor, 6 the access token (or none): those of refresh-token
-- Result  'ok'
local token, family, successor = read_hash(KEYS[1]), read_hash(KEYS[2]), read_hash(KEYS[5])
mark_withdrawn(KEYS[4], KEYS[1], KEYS[2])
local expires = tonumber(token.usable_until)
local is_unanswered = token.spent_by == operation and not token.retried and successor.revoked == 'false'
if is_unanswered and family.status == 'active' and expires then
  redis.call('DEL', unpack(KEYS, 5))
  redis.call('ZADD', KEYS[3], expires, KEYS[1])
  redis.call('ZREM', KEYS[3], unpack(KEYS, 5))
  keep_until(KEYS[3], expires, now_ms())
  redis.call('HSET', KEYS[1], 'revoked', 'false')
  redis.call(
    'HDEL', KEYS[1], 'spent_at', 'spent_by', 'usable_until', 'successor', 'access_token', 'issued',
    'issued_scope', 'issued_resource', 'issued_jkt', 'issued_x5t#S256'
  )
  redis.call('PEXPIREAT', KEYS[1], expires)
  redis.call('HSET', KEYS[2], 'refresh_token', secret_of(KEYS[1]))
  redis.call('HDEL', KEYS[2], 'spent_token')
end
return 'ok'
