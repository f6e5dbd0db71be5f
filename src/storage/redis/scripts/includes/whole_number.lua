-- Returns a number of up to 15 digits as text in a record, or nil for any other text: Lua also reads nan, inf and 1e300.
local function whole_number(text)
  local digits = string.match(text or '', '^%d+$')
  return digits and #digits <= 15 and tonumber(digits) or nil
end
