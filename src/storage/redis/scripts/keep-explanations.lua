-- include: now_ms, ms_argument
-- args: max, per_kind, ttl, records[], more[]
-- Keeps explanations of refusals. The number of all is bounded, and that of each kind.
-- KEYS  1 the explanations: a hash of their texts by id, 2 a sorted set of `<id> <kind>` by their end in milliseconds since 1970,
--       3 a hash of `<how many more> <id> <id> …` by kind, the oldest id first
-- ARGV  max: how many there are at most, per_kind: of one kind, ttl: milliseconds that they are kept, records: id, kind, text, …,
--       more: kind, count, …: how many more there were
-- Result  'ok'
local texts, order, kinds = KEYS[1], KEYS[2], KEYS[3]
local now, most, most_of_kind = now_ms(), tonumber(max), tonumber(per_kind)

local function read_kind(kind)
  local ids, kept = {}, redis.call('HGET', kinds, kind) or '0'
  for id in string.gmatch(kept, ' (%S+)') do
    ids[#ids + 1] = id
  end
  return ids, tonumber(string.match(kept, '^%d+')) or 0
end

local function write_kind(kind, ids, count)
  if #ids == 0 then
    redis.call('HDEL', kinds, kind)
  else
    redis.call('HSET', kinds, kind, ms_argument(count) .. ' ' .. table.concat(ids, ' '))
  end
end

local function forget(member)
  local id, kind = string.match(member, '^(%S+) (.*)$')
  redis.call('ZREM', order, member)
  if id == nil then
    return
  end
  redis.call('HDEL', texts, id)
  local ids, count = read_kind(kind)
  for place, other in ipairs(ids) do
    if other == id then
      table.remove(ids, place)
      break
    end
  end
  write_kind(kind, ids, count)
end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', ms_argument(now), 'LIMIT', 0, 200)) do
  forget(member)
end
for i = records_first, records_last, 3 do
  local id, kind, text = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if not redis.call('HGET', texts, id) then
    local ids = read_kind(kind)
    if #ids >= most_of_kind or (#ids > 0 and redis.call('ZCARD', order) >= most) then
      forget(ids[1] .. ' ' .. kind)
    end
    while redis.call('ZCARD', order) >= most do
      forget(redis.call('ZRANGE', order, 0, 0)[1])
    end
    local count
    ids, count = read_kind(kind)
    ids[#ids + 1] = id
    redis.call('HSET', texts, id, text)
    redis.call('ZADD', order, ms_argument(now + tonumber(ttl)), id .. ' ' .. kind)
    write_kind(kind, ids, count)
  end
end
for i = more_first, more_last, 2 do
  local ids, count = read_kind(ARGV[i])
  write_kind(ARGV[i], ids, count + tonumber(ARGV[i + 1]))
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ttl)
end
return 'ok'
