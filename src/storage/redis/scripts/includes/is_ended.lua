-- Whether a family exists and is not active. Tokens of the client credentials grant have no grant record.
local function is_ended(family_key)
  local status = redis.call('HGET', family_key, 'status')
  return status ~= 'active' and (status or redis.call('EXISTS', family_key) == 1)
end
