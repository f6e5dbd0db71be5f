-- include: append
-- Removes what a grant record notes of the spending of its latest refresh token, besides what each spending has.
-- `fields`: further fields to remove.
local function forget_spending(family_key, family, fields)
  for _, field in ipairs({
    'spent_scope', 'spent_resource', 'spent_jkt', 'spent_x5t#S256', 'spent_until', 'spent_bound', 'retried'
  }) do
    if family[field] then
      append(fields, { field })
    end
  end
  if #fields > 0 then
    redis.call('HDEL', family_key, unpack(fields))
  end
end
