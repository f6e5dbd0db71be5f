-- args: max, prefix, few, ttl, texts[]
-- Adds texts to the list of what happened to a user, unless there is no such user: one who was removed leaves nothing.
-- KEYS  1 the list, 2 the record of the user
-- ARGV  max: how many are kept, prefix, few: how many of those are kept that begin so, ttl: in milliseconds, texts
-- Result  'ok'
if redis.call('EXISTS', KEYS[2]) == 0 then
  return 'ok'
end
for i = texts_first, texts_last do
  local text = ARGV[i]
  if string.sub(text, 1, #prefix) == prefix then
    local left = tonumber(few) - 1
    for _, entry in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-')) do
      if string.sub(entry[2][2], 1, #prefix) == prefix then
        left = left - 1
        if left < 0 then
          redis.call('XDEL', KEYS[1], entry[1])
        end
      end
    end
  end
  redis.call('XADD', KEYS[1], 'MAXLEN', max, '*', 'text', text)
end
redis.call('PEXPIRE', KEYS[1], ttl)
return 'ok'
