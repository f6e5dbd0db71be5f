-- Returns the value of a field in a list of field, value, …; nil if it has none.
local function value_of(list, field)
  for i = 1, #list, 2 do
    if list[i] == field then
      return list[i + 1]
    end
  end
end
