-- Appends a field and its value to a list. Two calls of it cost less than a table with both.
local function add_field(list, field, value)
  local last = #list
  list[last + 1], list[last + 2] = field, value
end
