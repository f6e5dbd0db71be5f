-- Returns a hash as a table, and as the list of Redis: field, value, …. Both are empty if the key is missing.
local function read_hash(key)
  local flat, hash = redis.call('HGETALL', key), {}
  for i = 1, #flat, 2 do
    hash[flat[i]] = flat[i + 1]
  end
  return hash, flat
end
