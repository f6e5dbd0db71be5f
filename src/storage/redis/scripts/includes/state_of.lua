-- include: secret_of
-- The state of a presented refresh token in its family (docs/decisions/0075), as presentedState in src/storage/. `token`:
-- its record, empty if it has none; `digest`: that of the part which the refresh tokens of a family share.
local function state_of(token, family, token_key, digest)
  local secret = secret_of(token_key)
  if token.type then
    return 'live'
  end
  if family.spent_token == secret then
    return 'just_spent'
  end
  -- The one in use can expire unused, and is no earlier one.
  local is_earlier = family.refresh_token ~= secret and digest ~= '' and family.refresh_digest == digest
  return is_earlier and 'earlier' or 'unknown'
end
