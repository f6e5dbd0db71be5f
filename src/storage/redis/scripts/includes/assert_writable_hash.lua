-- Writes nothing, and fails if a write to this hash would fail. Call it only before answering that the hash is missing:
-- after a first write Redis lets a script continue with full memory, and HDEL would count as that first write.
local function assert_writable_hash(key)
  redis.call('HDEL', key, '')
end
