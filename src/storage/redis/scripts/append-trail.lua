-- include: now_ms, ms_argument, keep_until, write_entries
-- args: batch, keep, entries[]
-- Adds entries to the audit trail, once.
-- KEYS  1 the trail, 2 the sorted set of the batches that were added, scored by until when they are known
-- ARGV  batch: names these entries, keep: for how many milliseconds, entries: as write_entries
-- Result  1 | 0 if the batch was added before
local now = now_ms()
if redis.call('ZSCORE', KEYS[2], batch) then
  return 0
end
redis.call('XLEN', KEYS[1])
redis.call('ZADD', KEYS[2], ms_argument(now + tonumber(keep)), batch)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ms_argument(now))
keep_until(KEYS[2], now + tonumber(keep), now)
write_entries(KEYS[1], entries_first, entries_last)
return 1
