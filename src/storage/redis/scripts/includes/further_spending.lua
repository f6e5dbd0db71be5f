-- The fields of a grant record about the spending of its latest refresh token, besides what each spending has.
local function further_spending(family)
  local fields = {}
  for _, field in ipairs({
    'spent_scope', 'spent_resource', 'spent_jkt', 'spent_x5t#S256', 'spent_until', 'spent_bound', 'retried'
  }) do
    if family[field] then
      fields[#fields + 1] = field
    end
  end
  return fields
end
