-- include: now_ms, roster_end
-- Reads a roster.
-- KEYS  1 the roster
-- Result  the entries that have not ended: {name, text, milliseconds until it ends} each
local now, answer = now_ms(), {}
local entries = redis.call('HGETALL', KEYS[1])
for i = 1, #entries, 2 do
  local ends = roster_end(entries[i + 1])
  if ends > now then
    answer[#answer + 1] = { entries[i], string.match(entries[i + 1], '^%d+ (.*)$'), ends - now }
  end
end
return answer
