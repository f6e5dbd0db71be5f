-- include: ms_argument, lines_of, count_lines
-- Changes lines of an owner in KEYS[2], and then the line about the owner, `n <how many> <LAST_END - the first end> <owner>`:
-- of these the last one is whoever has most, and of several the one whose first entry ends first.
local LAST_END = 9999999999999

local function line_of_owner(owner)
  local prefix = 'o ' .. owner .. ' '
  local ends = string.match(lines_of(prefix, 1)[1] or '', '^o %S+ (%d+)')
  return ends and string.format('n %06d %s %s', count_lines(prefix), ms_argument(LAST_END - tonumber(ends)), owner)
end

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
