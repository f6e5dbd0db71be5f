-- include: trail_key, write_entries
-- args: name, entries[]
-- Removes an entry of a roster.
-- KEYS  1 the roster, then the audit trail if there are entries
-- ARGV  name: that of the entry, entries: as write_entries, written only if it was there
-- Result  1 | 0 if it was not there
local trail = trail_key(entries_first, entries_last)
if redis.call('HDEL', KEYS[1], name) == 0 then
  return 0
end
write_entries(trail, entries_first, entries_last)
return 1
