-- The secret part of a token in its key, which is a digest if tokens are hashed at rest.
local function secret_of(token_key)
  return string.match(token_key, '[^.]*$')
end
