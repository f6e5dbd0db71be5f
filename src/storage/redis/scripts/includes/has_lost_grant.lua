-- include: value_of
-- Whether a token is of a family whose grant record was deleted: the family still has an index. A token of a client has no
-- family, and a token that an operator wrote has no index. `token` and `family` are lists of field, value, …
local function has_lost_grant(token, family, index_key)
  return #family == 0 and (value_of(token, 'subject') or '') ~= '' and redis.call('EXISTS', index_key) == 1
end
