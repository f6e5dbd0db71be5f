-- include: refusal_of_write, now_ms, trail_key, write_entries
-- args: digest, purpose, step, browser, value, account_state, entries[]
-- Uses evidence up if it is as expected, with all others of its purpose; else changes nothing. It fails on a server that
-- accepts no writes: what the evidence is for could not be done there, and HDEL alone would use it up with full memory.
-- KEYS  1 the evidence of the account: a hash of JSON texts by digest, then the audit trail if there are entries
-- ARGV  digest: that of its secret, entries: as write_entries, written only if it is taken, the others: what is expected
-- Result  'taken', 'refused': it is for something else, or 'missing'
local kept = KEYS[1]
local refusal = refusal_of_write(kept)
if refusal then
  return refusal
end
local text = redis.call('HGET', kept, digest)
local found = text and cjson.decode(text)
if not found or found.ends_at <= now_ms() then
  return 'missing'
end
if
  found.purpose ~= purpose
  or found.step ~= step
  or found.browser ~= browser
  or found.value ~= value
  or found.account_state ~= account_state
then
  return 'refused'
end
local trail = trail_key(entries_first, entries_last)
local all = redis.call('HGETALL', kept)
for i = 1, #all, 2 do
  if cjson.decode(all[i + 1]).purpose == purpose then
    redis.call('HDEL', kept, all[i])
  end
end
write_entries(trail, entries_first, entries_last)
return 'taken'
