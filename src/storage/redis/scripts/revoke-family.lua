-- include: assert_writable, revoke_family
-- Revokes a family and all its tokens.
-- KEYS  1 the family, 2 its index
-- Result  {'ok' | 'missing', '1' if mark-revoked must mark more tokens}
assert_writable(KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return { 'missing' }
end
return { 'ok', revoke_family(KEYS[1], KEYS[2]) }
