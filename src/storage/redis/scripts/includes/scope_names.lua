-- include: has_name
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

-- The names of a list that another one has, too.
local function part_of_scope(scope, allowed)
  local kept = {}
  for _, name in ipairs((scope_names(scope))) do
    if has_name(allowed, name) then
      kept[#kept + 1] = name
    end
  end
  return table.concat(kept, ' ')
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
