-- The secret part of a token in its key, which is a digest if tokens are hashed at rest: its last 43 characters.
local function secret_of(token_key)
  return string.sub(token_key, -43)
end
