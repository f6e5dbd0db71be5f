-- include: now_ms, ms_argument
-- args: after, max
-- Reads notes of JWTs from the one that ends last, so that none moves to what was read already when others end. The first
-- read drops those that are over.
-- KEYS  1 where they are noted
-- ARGV  after: how many were read, max: how many to read
-- Result  {what is noted, …}
if after == '0' then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ms_argument(now_ms()))
end
return redis.call('ZREVRANGE', KEYS[1], after, after + max - 1)
