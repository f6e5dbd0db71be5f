-- include: append
-- Writes what a grant record notes of its latest refresh: the live token and, if that replaced another one, how this was
-- spent. Fields that `noted` lacks are removed, unchanged ones are not written.
local function note_refresh(family_key, family, noted)
  local set, unset = {}, {}
  for _, field in ipairs({
    'refresh_token', 'spent_token', 'spent_at', 'spent_by', 'spent_until', 'answered', 'spent_scope', 'spent_resource',
    'spent_jkt', 'spent_x5t#S256', 'spent_bound', 'retried'
  }) do
    local value = noted[field]
    if value and value ~= family[field] then
      append(set, { field, value })
    elseif not value and family[field] then
      append(unset, { field })
    end
  end
  if #set > 0 then
    redis.call('HSET', family_key, unpack(set))
  end
  if #unset > 0 then
    redis.call('HDEL', family_key, unpack(unset))
  end
end
