-- Returns the values of a table's fields in the order of their names; false: it has none.
local function values_of(fields, names)
  local values = {}
  for i, name in ipairs(names) do
    values[i] = fields[name] or false
  end
  return values
end
