-- include: now_ms, read_entry, forget_entry, trail_key, write_entries
-- args: name, entries[]
-- Removes an entry of a bounded list, or the whole list.
-- KEYS  1 the list (read_entry), 2 its order (lines_about), then the audit trail if there are entries
-- ARGV  name: that of the entry (or empty: of all), entries: as write_entries, written only if it was there
-- Result  1 | 0 if it was not there
local trail = trail_key(entries_first, entries_last)
local is_there
if name == '' then
  is_there = redis.call('DEL', KEYS[1], KEYS[2]) > 0
else
  local ends, owner, kind = read_entry(name)
  if ends then
    forget_entry(ends, owner, kind, name)
  end
  is_there = ends and tonumber(ends) > now_ms()
end
if not is_there then
  return 0
end
write_entries(trail, entries_first, entries_last)
return 1
