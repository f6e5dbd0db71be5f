-- include: now_ms, ms_argument, read_entry, lines_about, lines_of, last_lines_of, count_lines, change_lines, forget_entry
-- args: ttl, max, of_kind, looked_at, keep, items[], more[]
-- Puts entries into a bounded list. One more of a kind replaces the first one of it, if the kind has all that it may have;
-- else, if there is no room, the owner who has most makes it.
-- KEYS  1 the list (read_entry), 2 its order (lines_about), 3 a record without which nothing is put (or none)
-- ARGV  ttl: milliseconds until an entry ends, max: how many there are at most, of_kind: of one kind, looked_at: among how
--       many of an owner the kind of which there are most makes room, keep: whether an entry of that name stays as it is,
--       items: name, owner, kind, text, …, more: kind, count, …: how many more there were
-- Result  'ok'
if KEYS[3] and redis.call('EXISTS', KEYS[3]) == 0 then
  return 'ok'
end

-- The kind of which there are most among the first entries of an owner: its first one.
local function forget_of_owner(owner)
  local counts, firsts, order, most = {}, {}, {}, nil
  for _, line in ipairs(lines_of('o ' .. owner .. ' ', tonumber(looked_at))) do
    local ends, kind, name = string.match(line, '^o %S+ (%d+) (%S+) (.*)$')
    if counts[kind] == nil then
      counts[kind], firsts[kind], order[#order + 1] = 0, { ends, name }, kind
    end
    counts[kind] = counts[kind] + 1
  end
  for _, kind in ipairs(order) do
    if most == nil or counts[kind] > counts[most] then
      most = kind
    end
  end
  forget_entry(firsts[most][1], owner, most, firsts[most][2])
end

-- Whoever needs room and has as many as anybody makes it.
local function make_room(needed_by)
  local line = last_lines_of('n ', 1)[1]
  local most, owner = string.match(line or '', '^n (%d+) %d+ (%S+)$')
  if count_lines('o ' .. needed_by .. ' ') >= tonumber(most or 0) then
    owner = needed_by
  end
  if count_lines('o ' .. owner .. ' ') > 0 then
    forget_of_owner(owner)
  else
    -- Somebody changed the lines by hand.
    redis.call('ZREM', KEYS[2], line or '', lines_of('e ', 1)[1])
  end
end

local function first_of_kind(kind)
  if kind ~= '-' then
    return string.match(lines_of('k ' .. kind .. ' ', 1)[1] or '', '^k %S+ (%d+) (%S+) (.*)$')
  end
end

local now = now_ms()
for _, line in ipairs(lines_of('e ', 200, 'e ' .. ms_argument(now + 1))) do
  forget_entry(string.match(line, '^e (%d+) (%S+) (%S+) (.*)$'))
end
-- Of a moment or a call, they end one after the other, which keeps their order.
local ends = now + tonumber(ttl)
local last_ends = tonumber(string.match(last_lines_of('e ', 1)[1] or '', '^e (%d+)'))
if last_ends and last_ends >= ends and last_ends < ends + 1000 then
  ends = last_ends + 1
end
for i = items_first, items_last, 4 do
  local name, owner, kind, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local old_ends, old_owner, old_kind = read_entry(name)
  if not (keep == '1' and old_ends) then
    local first_ends, first_owner, first_name = first_of_kind(kind)
    if first_ends and not old_ends and count_lines('k ' .. kind .. ' ') >= tonumber(of_kind) then
      forget_entry(first_ends, first_owner, kind, first_name)
    end
    while not old_ends and count_lines('e ') >= tonumber(max) do
      make_room(first_owner or owner)
    end
    local _, kind_owner = first_of_kind(kind)
    owner = kind_owner or owner
    local new = ms_argument(ends)
    change_lines(owner, function()
      redis.call('HSET', KEYS[1], name, new .. ' ' .. owner .. ' ' .. kind .. ' ' .. text)
      for _, line in ipairs(lines_about(new, owner, kind, name)) do
        redis.call('ZADD', KEYS[2], 0, line)
      end
    end)
    if old_ends and (old_ends ~= new or old_owner ~= owner or old_kind ~= kind) then
      change_lines(old_owner, function()
        redis.call('ZREM', KEYS[2], unpack(lines_about(old_ends, old_owner, old_kind, name)))
      end)
    end
    ends = ends + 1
  end
end
for i = more_first, more_last, 2 do
  if first_of_kind(ARGV[i]) then
    redis.call('HINCRBY', KEYS[1], ' ' .. ARGV[i], ARGV[i + 1])
  end
end
for i = 1, 2 do
  if redis.call('PTTL', KEYS[i]) < ends - now then
    redis.call('PEXPIRE', KEYS[i], ms_argument(ends - now))
  end
end
return 'ok'
