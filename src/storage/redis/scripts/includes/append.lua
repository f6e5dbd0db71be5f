-- Appends values to a list.
local function append(list, values)
  for _, value in ipairs(values) do
    list[#list + 1] = value
  end
end
