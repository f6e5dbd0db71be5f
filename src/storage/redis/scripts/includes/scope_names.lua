-- The distinct names in a scope: a list in their order, and a set.
local function scope_names(scope)
  local list, set = {}, {}
  for name in string.gmatch(scope, '%S+') do
    if not set[name] then
      list[#list + 1], set[name] = name, true
    end
  end
  return list, set
end

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
