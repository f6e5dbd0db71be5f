-- include: scope_names
-- Whether two scopes have the same names, in any order.
local function is_same_scope(one, other)
  local list = scope_names(one)
  local others, set = scope_names(other)
  for _, name in ipairs(list) do
    if not set[name] then
      return false
    end
  end
  return #list == #others
end
