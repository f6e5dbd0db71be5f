-- include: now_ms, read_entry, last_lines_of
-- args: name, last
-- Reads entries of a bounded list that have not ended.
-- KEYS  1 the list (read_entry), 2 its order (lines_about)
-- ARGV  name: that of one entry (or empty: of all), last: how many, those that end last (or empty: all)
-- Result  {name, text, milliseconds until it ends, how many more of its kind there were} each, those that end last first
local now, answer = now_ms(), {}
local function add(one)
  local ends, _, kind, text = read_entry(one)
  if ends and tonumber(ends) > now then
    local more = kind ~= '-' and redis.call('HGET', KEYS[1], ' ' .. kind) or 0
    answer[#answer + 1] = { one, text, tonumber(ends) - now, tonumber(more) }
  end
end
if name ~= '' then
  add(name)
  return answer
end
for _, line in ipairs(last_lines_of('e ', last == '' and -1 or last)) do
  add(string.match(line, '^e %d+ %S+ %S+ (.*)$'))
end
return answer
