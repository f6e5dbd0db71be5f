-- include: change_lines, lines_about, count_lines
-- Removes an entry of a bounded list, and with the last one of its kind how many more there were.
local function forget_entry(ends, owner, kind, name)
  change_lines(owner, function()
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], unpack(lines_about(ends, owner, kind, name)))
  end)
  if kind ~= '-' and count_lines('k ' .. kind .. ' ') == 0 then
    redis.call('HDEL', KEYS[1], ' ' .. kind)
  end
end
