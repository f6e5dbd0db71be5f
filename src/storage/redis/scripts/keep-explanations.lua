-- include: now_ms, ms_argument
-- args: max, per_kind, ttl, records[], more[]
-- Keeps explanations of refusals. The number of all is bounded, and that of each kind; without room the owner who has most
-- makes it.
-- KEYS  1 the explanations: a hash of their texts by id, 2 a sorted set of `<id> <owner> <kind>` by their end in
--       milliseconds since 1970, 3 a hash of `<how many more> <owner> <id> <id> …` by kind, the oldest id first, 4 a
--       sorted set of `<owner> <end> <id> <kind>`, all by 0: those of an owner, the oldest first, 5 a sorted set of
--       owners by how many they have
-- ARGV  max: how many there are at most, per_kind: of one kind, ttl: milliseconds that they are kept, records: id, kind,
--       owner, text, …, more: kind, count, …: how many more there were
-- Result  'ok'
local texts, order, kinds, lines, owners = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, most, most_of_kind = now_ms(), tonumber(max), tonumber(per_kind)
-- Among so many of an owner, so that the cost has a bound: more than one kind has.
local looked_at = 2 * most_of_kind

local function read_kind(kind)
  local kept = redis.call('HGET', kinds, kind) or '0'
  local count, owner, rest = string.match(kept, '^(%d+) (%S+)(.*)$')
  local ids = {}
  for id in string.gmatch(rest or '', '%S+') do
    ids[#ids + 1] = id
  end
  return ids, tonumber(count) or 0, owner
end

local function write_kind(kind, ids, count, owner)
  if #ids == 0 then
    redis.call('HDEL', kinds, kind)
  else
    redis.call('HSET', kinds, kind, ms_argument(count) .. ' ' .. owner .. ' ' .. table.concat(ids, ' '))
  end
end

local function line_of(owner, ends, id, kind)
  return owner .. ' ' .. ends .. ' ' .. id .. ' ' .. kind
end

local function forget(member)
  local id, owner, kind = string.match(member, '^(%S+) (%S+) (.*)$')
  local ends = redis.call('ZSCORE', order, member)
  redis.call('ZREM', order, member)
  if id == nil then
    return
  end
  redis.call('HDEL', texts, id)
  if ends and redis.call('ZREM', lines, line_of(owner, ends, id, kind)) == 1 then
    if tonumber(redis.call('ZINCRBY', owners, -1, owner)) <= 0 then
      redis.call('ZREM', owners, owner)
    end
  end
  local ids, count, kind_owner = read_kind(kind)
  for place, other in ipairs(ids) do
    if other == id then
      table.remove(ids, place)
      break
    end
  end
  write_kind(kind, ids, count, kind_owner)
end

-- Of the oldest of an owner, the first one of the kind of which there are most.
local function first_to_go(owner)
  local counts, firsts, order_of, most_kind = {}, {}, {}, nil
  for _, line in ipairs(redis.call('ZRANGEBYLEX', lines, '[' .. owner .. ' ', '+', 'LIMIT', 0, looked_at)) do
    local line_owner, id, kind = string.match(line, '^(%S+) %d+ (%S+) (.*)$')
    if line_owner ~= owner then
      break
    end
    firsts[kind] = firsts[kind] or id
    counts[kind] = (counts[kind] or 0) + 1
    order_of[#order_of + 1] = kind
  end
  for _, kind in ipairs(order_of) do
    if most_kind == nil or counts[kind] > counts[most_kind] then
      most_kind = kind
    end
  end
  return most_kind and firsts[most_kind] .. ' ' .. owner .. ' ' .. most_kind
end

-- Whoever needs room and has as many as anybody makes it.
local function make_room(needed_by)
  local top = redis.call('ZREVRANGE', owners, 0, 0, 'WITHSCORES')
  local own = tonumber(redis.call('ZSCORE', owners, needed_by) or 0)
  local owner = own >= tonumber(top[2] or 1) and needed_by or top[1]
  local member = owner and first_to_go(owner)
  if not member then
    -- Somebody changed the keys by hand.
    redis.call('ZREM', owners, owner or '')
    member = redis.call('ZRANGE', order, 0, 0)[1]
  end
  forget(member)
end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', ms_argument(now), 'LIMIT', 0, 200)) do
  forget(member)
end
local ends = ms_argument(now + tonumber(ttl))
for i = records_first, records_last, 4 do
  local id, kind, owner, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if not redis.call('HGET', texts, id) then
    local ids, _, kind_owner = read_kind(kind)
    if #ids >= most_of_kind then
      forget(ids[1] .. ' ' .. kind_owner .. ' ' .. kind)
    end
    while redis.call('ZCARD', order) >= most do
      make_room(kind_owner or owner)
    end
    local count
    ids, count, kind_owner = read_kind(kind)
    owner = kind_owner or owner
    ids[#ids + 1] = id
    redis.call('HSET', texts, id, text)
    redis.call('ZADD', order, ends, id .. ' ' .. owner .. ' ' .. kind)
    redis.call('ZADD', lines, 0, line_of(owner, ends, id, kind))
    redis.call('ZINCRBY', owners, 1, owner)
    write_kind(kind, ids, count, owner)
  end
end
for i = more_first, more_last, 2 do
  local ids, count, owner = read_kind(ARGV[i])
  write_kind(ARGV[i], ids, count + tonumber(ARGV[i + 1]), owner)
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ttl)
end
return 'ok'
