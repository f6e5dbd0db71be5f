-- include: ms_argument, write_records, words_key, write_words, trail_key, write_entries
-- args: address, of_address, in_all, window, entries[], words[], record[]
-- Writes a client that registers itself, unless too many did in the present window. The first one starts it. The hash of
-- counters has a field for each address, and so at most one for each client that is counted.
-- KEYS  1 the counters, 2 the client; without it nothing is written; then the words of clients (none in a Cluster), then the
--       audit trail if there are entries
-- ARGV  address: its field, of_address: how many may register from it, in_all: how many in all, window: its length in
--       milliseconds, entries, words and record: the client as in put-records
-- Result  {'ok' | 'address' | 'all' if that limit is reached, milliseconds until the window ends}
local counters = KEYS[1]
local own = tonumber(redis.call('HGET', counters, address) or '0')
local all = tonumber(redis.call('HGET', counters, '*') or '0')
local ends_in = redis.call('PTTL', counters)
if own >= tonumber(of_address) then
  return { 'address', ends_in }
end
if all >= tonumber(in_all) then
  return { 'all', ends_in }
end
if #KEYS == 1 then
  return { 'ok', ends_in }
end
local trail, trails = trail_key(entries_first, entries_last)
local found_by = words_key(words_first, words_last, trails)
write_words(found_by, words_first, words_last)
redis.call('HSET', counters, address, ms_argument(own + 1), '*', ms_argument(all + 1))
if ends_in < 0 then
  ends_in = tonumber(window)
  redis.call('PEXPIRE', counters, window)
end
write_records(2, record_first, 2)
write_entries(trail, entries_first, entries_last)
return { 'ok', ends_in }
