-- Whether a list of names, separated by spaces, contains a name; no list contains an empty one.
local function has_name(names, name)
  return name ~= '' and string.find(' ' .. names .. ' ', ' ' .. name .. ' ', 1, true) ~= nil
end
