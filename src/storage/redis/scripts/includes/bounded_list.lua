-- A bounded list. KEYS[1] is a hash of `<end> <owner> <kind> <text>` by name, with `-` for no kind, and of how many more there were by
-- ` <kind>`. KEYS[2] is its order, a sorted set of lines that all have the score 0: `e <end> <owner> <kind> <name>` for each entry,
-- `o <owner> <end> <kind> <name>` for those of an owner, `k <kind> <end> <owner> <name>` for those of a kind, and for each owner
-- `n <how many> <LAST_END - the first end> <owner>`, so that whoever has most is the last one. Ends are in milliseconds since 1970.
local LAST_END = 9999999999999

-- Reads an entry: its end, owner, kind and text; nothing if there is none.
local function read_entry(name)
  return string.match(redis.call('HGET', KEYS[1], name) or '', '^(%d+) (%S+) (%S+) (.*)$')
end

-- The first lines that begin so, or those up to another beginning.
local function lines_of(prefix, most, to)
  return redis.call('ZRANGEBYLEX', KEYS[2], '[' .. prefix, '(' .. (to or prefix .. '\255'), 'LIMIT', 0, most)
end

local function last_lines_of(prefix, most)
  return redis.call('ZREVRANGEBYLEX', KEYS[2], '(' .. prefix .. '\255', '[' .. prefix, 'LIMIT', 0, most)
end

local function count_of(prefix)
  return redis.call('ZLEXCOUNT', KEYS[2], '[' .. prefix, '(' .. prefix .. '\255')
end

local function lines_about(ends, owner, kind, name)
  local lines = {
    'e ' .. ends .. ' ' .. owner .. ' ' .. kind .. ' ' .. name,
    'o ' .. owner .. ' ' .. ends .. ' ' .. kind .. ' ' .. name,
  }
  if kind ~= '-' then
    lines[3] = 'k ' .. kind .. ' ' .. ends .. ' ' .. owner .. ' ' .. name
  end
  return lines
end

local function line_of_owner(owner)
  local prefix = 'o ' .. owner .. ' '
  local ends = string.match(lines_of(prefix, 1)[1] or '', '^o %S+ (%d+)')
  return ends and string.format('n %06d %s %s', count_of(prefix), ms_argument(LAST_END - tonumber(ends)), owner)
end

-- Changes lines of an owner, and then the line of the owner.
local function change_lines(owner, change)
  local before = line_of_owner(owner)
  change()
  local after = line_of_owner(owner)
  if after and after ~= before then
    redis.call('ZADD', KEYS[2], 0, after)
  end
  if before and after ~= before then
    redis.call('ZREM', KEYS[2], before)
  end
end

local function forget(ends, owner, kind, name)
  change_lines(owner, function()
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], unpack(lines_about(ends, owner, kind, name)))
  end)
  if kind ~= '-' and count_of('k ' .. kind .. ' ') == 0 then
    redis.call('HDEL', KEYS[1], ' ' .. kind)
  end
end
