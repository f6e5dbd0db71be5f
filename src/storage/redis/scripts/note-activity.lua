-- args: max, ttl, texts[]
-- Adds texts to the list of what happened to a user, unless there is no such user: one who was removed leaves nothing.
-- KEYS  1 the list, 2 the record of the user
-- ARGV  max: how many are kept, ttl: in milliseconds, texts
-- Result  'ok'
if redis.call('EXISTS', KEYS[2]) == 0 then
  return 'ok'
end
for i = texts_first, texts_last do
  redis.call('XADD', KEYS[1], 'MAXLEN', max, '*', 'text', ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ttl)
return 'ok'
