-- Writes one token, once. Where its grant has a record, the token joins the family, and shares the fate of a
-- family that was revoked meanwhile.
-- KEYS  1 the token, 2 its grant, 3 the grant's index
-- ARGV  1 jti, 2 type, 3 subject, 4 scope, 5 client_id, 6 time to live in seconds
-- Result  'ok'
if redis.call('HLEN', KEYS[1]) > 0 then
  return 'ok'
end
local status = redis.call('HGET', KEYS[2], 'status')
if status then
  assert_writable(KEYS[3])
end
local expires = now_ms() + tonumber(ARGV[6]) * 1000
local revoked = status == 'revoked' and 'true' or 'false'
write_token(KEYS[1], {
  jti = ARGV[1], type = ARGV[2], subject = ARGV[3], scope = ARGV[4], client_id = ARGV[5], revoked = revoked,
}, expires)
if status then
  add_to_family(KEYS[2], KEYS[3], KEYS[1], expires)
end
return 'ok'
