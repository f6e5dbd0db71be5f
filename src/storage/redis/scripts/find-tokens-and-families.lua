-- include: assert_writable, find_token
-- Reads tokens and their families in one step, as find-token-and-family.
-- KEYS  for each: the token, its family, the family's index
-- Result  {{{field, value, …}, {field, value, …}}, …}
assert_writable(KEYS[3])
local found = {}
for i = 1, #KEYS, 3 do
  found[#found + 1] = { find_token(KEYS[i], KEYS[i + 1], KEYS[i + 2]) }
end
return found
