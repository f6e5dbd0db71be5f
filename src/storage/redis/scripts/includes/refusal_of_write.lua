-- Returns the error of a server that accepts no write which needs memory, or nil. Writes nothing: XX adds no member, and
-- Redis checks last that a hash is not a sorted set. HDEL would not fail with full memory.
local function refusal_of_write(key)
  local answer = redis.pcall('ZADD', key, 'XX', 0, '')
  if type(answer) == 'table' and answer.err and not string.find(answer.err, 'WRONGTYPE', 1, true) then
    return answer
  end
end
