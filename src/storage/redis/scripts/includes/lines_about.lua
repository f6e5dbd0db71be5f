-- The lines about an entry in the order of a bounded list, KEYS[2], a sorted set in which all have the score 0: with them
-- all entries, those of an owner and those of a kind are sorted by their ends. change_lines adds one about each owner.
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
