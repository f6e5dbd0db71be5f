-- include: read_hash, mark_withdrawn
-- Undoes an operation on a refresh token whose answer was lost: removes the successor and makes the token usable again.
-- A successor that a retry received meanwhile is kept, and a revoked family stays revoked. An operation that is
-- withdrawn before it runs does nothing when it runs.
-- KEYS  1 the refresh token, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, 5 the
--       successor, 6 the access token (or none): those of refresh-token
-- ARGV  1 operation
-- Result  'ok'
local token, family, successor = read_hash(KEYS[1]), read_hash(KEYS[2]), read_hash(KEYS[5])
mark_withdrawn(KEYS[4], KEYS[1])
local expires = redis.call('ZSCORE', KEYS[3], KEYS[1])
local is_unanswered = token.spent_by == ARGV[1] and not token.retried and successor.revoked == 'false'
if is_unanswered and family.status == 'active' and expires then
  redis.call('DEL', unpack(KEYS, 5))
  redis.call('ZREM', KEYS[3], unpack(KEYS, 5))
  redis.call('HSET', KEYS[1], 'revoked', 'false')
  redis.call('HDEL', KEYS[1], 'spent_at', 'spent_by', 'successor')
  redis.call('PEXPIREAT', KEYS[1], expires)
end
return 'ok'
