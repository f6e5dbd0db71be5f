-- include: assert_writable, is_ended, mark_revoked
-- Marks up to 50 more tokens of an ended family as revoked.
-- KEYS  1 the family, 2 its index
-- Result  '1' if more are left, otherwise '0'
assert_writable(KEYS[2])
return is_ended(KEYS[1]) and mark_revoked(KEYS[2]) or '0'
