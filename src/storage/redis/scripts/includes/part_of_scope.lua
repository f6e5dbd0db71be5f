-- include: scope_names, has_name
-- The names of `scope` that are also in `allowed`.
local function part_of_scope(scope, allowed)
  if scope == allowed then
    return scope
  end
  local kept = {}
  for _, name in ipairs((scope_names(scope))) do
    if has_name(allowed, name) then
      kept[#kept + 1] = name
    end
  end
  return table.concat(kept, ' ')
end
