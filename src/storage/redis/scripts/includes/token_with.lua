-- The key of the token of the same family with this secret part.
local function token_with(token_key, secret)
  return string.match(token_key, '^.*%.') .. secret
end
