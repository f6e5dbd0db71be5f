-- Takes a pending request away, once, and writes the code that is its answer.
-- KEYS  1 the pending request, 2 the code (or none)
-- ARGV  1 time to live of the code in seconds; then field, value, … of the code (or none at all)
-- Result  'ok' | 'missing'
if redis.call('EXISTS', KEYS[1]) == 0 then
  assert_writable_hash(KEYS[1])
  return 'missing'
end
if KEYS[2] then
  write_for(KEYS[2], ARGV[1], unpack(ARGV, 2))
end
redis.call('DEL', KEYS[1])
return 'ok'
