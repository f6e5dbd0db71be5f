-- include: write_entries
-- args: before, entries[]
-- Deletes the entries of the audit trail before an id, and the blocks of the chain that are about no other, and adds the
-- entry that says so.
-- KEYS  1 the trail, 2 the chain
-- ARGV  before: the id, entries: as write_entries
-- Result  1 | 0 if there is none before it
-- Trimming comes first, because it is accepted when memory is full.
if redis.call('XTRIM', KEYS[1], 'MINID', '=', before) == 0 then
  return 0
end
-- Numbers within a millisecond are those of each stream. The last block stays: the next one follows it.
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local from = string.match(before, '^%d+')
if last and tonumber(string.match(last[1], '^%d+')) < tonumber(from) then
  from = last[1]
end
redis.call('XTRIM', KEYS[2], 'MINID', '~', from)
write_entries(KEYS[1], entries_first, entries_last)
return 1
