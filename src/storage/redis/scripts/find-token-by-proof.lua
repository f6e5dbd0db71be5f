-- include: assert_writable, find_token, use_once, value_of
-- args: operation, ttl, jkt, is_jwt
-- Reads a token and its family in one step, and uses up the proof that came with it. The proof counts only if it is by
-- the key that the token is bound to: nobody can use up proofs, or make this server keep some, without a token.
-- KEYS  1 the token, 2 its family, 3 the family's index, 4 the proof
-- ARGV  ttl: the seconds that the proof is kept, jkt: the thumbprint of its key, is_jwt: '1' for a JWT, whose binding was
--       checked
-- Result  {{field, value, …}, {field, value, …}}, each empty if the record is missing | {'used'}
assert_writable(KEYS[3])
local token, family = find_token(KEYS[1], KEYS[2], KEYS[3])
if is_jwt == '1' or value_of(token, 'jkt') == jkt then
  if use_once(4, ttl, operation, value_of(token, 'client_id') or '') then
    return { 'used' }
  end
end
return { token, family }
