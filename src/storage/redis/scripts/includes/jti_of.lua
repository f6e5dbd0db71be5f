-- The jti of a token in its record: the last part of its key, without the braces of the hash tag.
local function jti_of(token_key)
  return string.sub(token_key, -61, -46) .. string.sub(token_key, -44)
end
