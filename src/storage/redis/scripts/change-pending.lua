-- Sets fields of a pending request that is still there, and leaves its end as it is.
-- KEYS  1 the pending request
-- ARGV  field, value, … (or none)
-- Result  'ok' | 'missing'
if redis.call('EXISTS', KEYS[1]) == 0 then
  assert_writable_hash(KEYS[1])
  return 'missing'
end
if #ARGV > 0 then
  redis.call('HSET', KEYS[1], unpack(ARGV))
end
return 'ok'
