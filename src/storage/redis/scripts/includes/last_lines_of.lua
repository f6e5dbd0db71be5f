-- The last lines of KEYS[2] that begin so, the last one first.
local function last_lines_of(prefix, most)
  return redis.call('ZREVRANGEBYLEX', KEYS[2], '(' .. prefix .. '\255', '[' .. prefix, 'LIMIT', 0, most)
end
