-- include: assert_writable, revoke_family
-- Revokes a family and all its tokens.
-- KEYS  1 the family, 2 its index
-- Result  'ok' | 'missing'
assert_writable(KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
revoke_family(KEYS[1], KEYS[2])
return 'ok'
