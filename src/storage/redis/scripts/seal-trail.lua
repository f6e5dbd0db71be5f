-- args: last, text, ttl
-- Adds a block to the chain of the audit trail, if nobody else did meanwhile.
-- KEYS  1 the chain
-- ARGV  last: the id of the block before (or empty: there is none), text: the block, ttl: in milliseconds
-- Result  1 | 0 if another block is the last
local found = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if (found[1] and found[1][1] or '') ~= last then
  return 0
end
redis.call('XADD', KEYS[1], '*', 'block', text)
redis.call('PEXPIRE', KEYS[1], ttl)
return 1
