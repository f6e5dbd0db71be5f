-- fields: FURTHER_SPENDING
-- The fields of a grant record about the spending of its latest refresh token, besides what each spending has.
local function further_spending(family)
  local fields = {}
  for _, field in ipairs(FURTHER_SPENDING) do
    if family[field] then
      fields[#fields + 1] = field
    end
  end
  return fields
end
