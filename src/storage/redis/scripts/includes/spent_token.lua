-- include: read_hash, token_with
-- Returns the token that the latest refresh of a family spent, as it was then. Its record moved to its successor; if that
-- has expired, the grant knows the owner.
local function spent_token(family, token_key)
  local token = read_hash(token_with(token_key, family.refresh_token or ''))
  if not token.type then
    token = {
      type = 'refresh_token', client_id = family.client_id, subject = family.subject, scope = family.scope
    }
  end
  for field in string.gmatch(family.spent_bound or '', '%S+') do
    token[field] = nil
  end
  return token
end
