-- include: assert_writable, now_ms, write_token, add_to_family
-- Writes a token, once. If its family exists, the token joins it, and is written as revoked if the family is revoked.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- ARGV  1 time to live in seconds; then field, value, …
-- Result  'ok'
if redis.call('HLEN', KEYS[1]) > 0 then
  return 'ok'
end
local status = redis.call('HGET', KEYS[2], 'status')
if status then
  assert_writable(KEYS[3])
end
local expires = now_ms() + tonumber(ARGV[1]) * 1000
write_token(KEYS[1], { unpack(ARGV, 2) }, expires, status == 'revoked' and 'true' or 'false')
if status then
  add_to_family(KEYS[2], KEYS[3], KEYS[1], expires)
end
return 'ok'
