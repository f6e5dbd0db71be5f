-- How many lines of KEYS[2] begin so.
local function count_lines(prefix)
  return redis.call('ZLEXCOUNT', KEYS[2], '[' .. prefix, '(' .. prefix .. '\255')
end
