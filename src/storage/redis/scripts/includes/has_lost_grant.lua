-- Whether a token is of a family whose grant record was deleted: the family still has an index. A token of a client has no
-- family, and a token that an operator wrote has no index. `token` is a list of field, value, …
local function has_lost_grant(token, index_key)
  for i = 1, #token, 2 do
    if token[i] == 'subject' and token[i + 1] ~= '' then
      return redis.call('EXISTS', index_key) == 1
    end
  end
  return false
end
