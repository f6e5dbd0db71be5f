-- include: assert_writable, is_ended, now_ms, write_token, add_to_family, keep_until
-- Writes a token, once. If its family exists, the token joins it, and is written as revoked if the family has ended.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- ARGV  1 time to live in seconds, 2 how many live tokens a family can have; then field, value, …
-- Result  'ok'
if redis.call('HLEN', KEYS[1]) > 0 then
  return 'ok'
end
local ended, has_family = is_ended(KEYS[2]), redis.call('EXISTS', KEYS[2]) == 1
if has_family then
  assert_writable(KEYS[3])
end
local now = now_ms()
local expires = now + tonumber(ARGV[1]) * 1000
write_token(KEYS[1], { unpack(ARGV, 3) }, expires, ended and 'true' or 'false')
if has_family then
  keep_until(KEYS[2], expires, now)
end
if has_family and not ended then
  add_to_family(KEYS[3], { expires, KEYS[1] }, now, ARGV[2])
  keep_until(KEYS[3], expires, now)
end
return 'ok'
