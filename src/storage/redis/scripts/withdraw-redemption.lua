-- include: read_hash, ms_argument, mark_withdrawn
-- args: operation
-- Undoes an operation on a code whose answer was lost: removes its tokens and restores the code. An operation that is
-- withdrawn before it runs does nothing when it runs. A family that was revoked meanwhile stays revoked.
-- KEYS  1 the code, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, then the tokens: those of
--       redeem-code
-- Result  'ok'
local code, family = read_hash(KEYS[1]), read_hash(KEYS[2])
mark_withdrawn(KEYS[4], KEYS[1], KEYS[2])
local expires = tonumber(code.redeemable_until)
if code.status == 'spent' and code.redeemed_by == operation and family.status == 'active' and expires then
  redis.call('DEL', KEYS[2], KEYS[3], unpack(KEYS, 5))
  redis.call('HSET', KEYS[1], 'status', 'active')
  redis.call('HDEL', KEYS[1], 'redeemed_by', 'redeemable_until')
  redis.call('PEXPIREAT', KEYS[1], ms_argument(expires))
end
return 'ok'
