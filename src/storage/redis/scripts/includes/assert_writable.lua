-- Writes nothing, and fails if a write would fail: a Redis replica, or a master that was cut off, may have stale data
-- and must not answer that a record is missing. Also fails if the index has a wrong type, before the first write.
local function assert_writable(index_key)
  redis.call('ZADD', index_key, 'XX', 0, '')
end
