-- include: secret_of
-- Whether a token without a record was a refresh token of this family and was replaced since. `digest`: that of the
-- part which the refresh tokens of a family share. The latest refresh token can expire unused and is not one of these.
local function is_earlier_token(family, token_key, digest)
  return family.refresh_token ~= secret_of(token_key) and digest ~= '' and family.refresh_digest == digest
end
