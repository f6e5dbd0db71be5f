-- include: ms_argument, write_records
-- Writes a client that registers itself, unless too many did in the present window. The first one starts it. The hash of
-- counters has a field for each address, and so at most one for each client that is counted.
-- KEYS  1 the counters, 2 the client; without it nothing is written
-- ARGV  1 the field of the address, 2 how many may register from it, 3 how many in all, 4 length of the window in
--       milliseconds; then for the client as put-records
-- Result  {'ok' | 'address' | 'all' if that limit is reached, milliseconds until the window ends}
local counters, address = KEYS[1], ARGV[1]
local own = tonumber(redis.call('HGET', counters, address) or '0')
local all = tonumber(redis.call('HGET', counters, '*') or '0')
local ends_in = redis.call('PTTL', counters)
if own >= tonumber(ARGV[2]) then
  return { 'address', ends_in }
end
if all >= tonumber(ARGV[3]) then
  return { 'all', ends_in }
end
if #KEYS == 1 then
  return { 'ok', ends_in }
end
redis.call('HSET', counters, address, ms_argument(own + 1), '*', ms_argument(all + 1))
if ends_in < 0 then
  ends_in = tonumber(ARGV[4])
  redis.call('PEXPIRE', counters, ARGV[4])
end
write_records(2, 5)
return { 'ok', ends_in }
