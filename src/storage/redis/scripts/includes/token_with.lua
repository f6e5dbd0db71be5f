-- The key of the token of the same family with this secret part (see secret_of).
local function token_with(token_key, secret)
  return string.sub(token_key, 1, -44) .. secret
end
