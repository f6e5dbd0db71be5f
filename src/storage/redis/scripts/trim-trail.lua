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
-- Numbers within a millisecond are those of each stream.
redis.call('XTRIM', KEYS[2], 'MINID', '~', string.match(before, '^%d+'))
write_entries(KEYS[1], entries_first, entries_last)
return 1
