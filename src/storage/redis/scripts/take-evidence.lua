-- include: now_ms
-- args: digest, purpose, step, browser, value, account_state
-- Uses evidence up if it is as expected, with all others of its purpose; else changes nothing.
-- KEYS  1 the evidence of the account: a hash of JSON texts by digest
-- ARGV  digest: that of its secret, the others: what is expected
-- Result  'taken', 'refused': it is for something else, or 'missing'
local kept = KEYS[1]
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
local entries = redis.call('HGETALL', kept)
for i = 1, #entries, 2 do
  if cjson.decode(entries[i + 1]).purpose == purpose then
    redis.call('HDEL', kept, entries[i])
  end
end
return 'taken'
