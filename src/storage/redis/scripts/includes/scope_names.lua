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
