-- The first lines of KEYS[2] that begin so, or those from this beginning up to another one.
local function lines_of(prefix, most, to)
  return redis.call('ZRANGEBYLEX', KEYS[2], '[' .. prefix, '(' .. (to or prefix .. '\255'), 'LIMIT', 0, most)
end
