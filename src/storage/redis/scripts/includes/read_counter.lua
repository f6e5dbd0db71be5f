-- Reads a failure counter: the failures, and when its window ends in milliseconds since 1970. 0 and 0 if it is missing.
local function read_counter(bucket, field)
  local failures, ends = string.match(redis.call('HGET', bucket, field) or '', '^(%d+) (%d+)$')
  return tonumber(failures or 0), tonumber(ends or 0)
end
