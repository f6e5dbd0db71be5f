-- include: assert_writable, find_token
-- Reads a token and its family in one step. Fails on a server that accepts no writes: it may not know yet that the token
-- was revoked.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- Result  {{field, value, …}, {field, value, …}}, each empty if the record is missing
assert_writable(KEYS[3])
return { find_token(KEYS[1], KEYS[2], KEYS[3]) }
