-- Appends values to a list.
local function append(list, values)
  local length = #list
  for i = 1, #values do
    list[length + i] = values[i]
  end
end
