-- include: mark_revoked
-- Revokes a family by its status, which every check of a token reads. Marks some of its tokens, so this costs the same
-- for every family. Returns '1' if the caller must mark more with mark-revoked, otherwise '0'.
local function revoke_family(family_key, index_key)
  if redis.call('TYPE', family_key).ok == 'hash' then
    redis.call('HSET', family_key, 'status', 'revoked')
  end
  return mark_revoked(index_key)
end
