-- include: assert_writable, revoke_family, keep_until, now_ms
-- args: ttl
-- Revokes a family and all its tokens. A family that does not exist yet is written as revoked, so that its code cannot
-- be redeemed any more.
-- KEYS  1 the family, 2 its index
-- ARGV  ttl: for how many seconds the family is kept at least
-- Result  {'ok', '1' if mark-revoked must mark more tokens}
assert_writable(KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'status', 'revoked')
end
local more = revoke_family(KEYS[1], KEYS[2])
local now = now_ms()
keep_until(KEYS[1], now + tonumber(ttl) * 1000, now)
return { 'ok', more }
