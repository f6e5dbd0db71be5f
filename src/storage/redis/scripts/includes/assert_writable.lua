-- Writes nothing, and fails where a write would fail. A replica, or a master that was cut off, may be behind: it
-- must not say that something is missing. An index of a wrong type fails here too, and not half way.
local function assert_writable(index_key)
  redis.call('ZADD', index_key, 'XX', 0, '')
end
