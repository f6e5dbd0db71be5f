-- include: now_ms, ms_argument, keep_queue, trail_key, write_entries
-- args: entries[], items[]
-- Adds items to a queue that are due at once.
-- KEYS  1 the queue, then the audit trail if there are entries
-- ARGV  entries: as write_entries, items: texts
-- Result  'ok'
local trail = trail_key(entries_first, entries_last)
local now = now_ms()
for i = items_first, items_last do
  redis.call('ZADD', KEYS[1], ms_argument(now), ARGV[i])
end
keep_queue(KEYS[1], now, now)
write_entries(trail, entries_first, entries_last)
return 'ok'
