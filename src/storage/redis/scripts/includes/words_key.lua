-- Returns the key of the words of a kind, which is before that of the trail, if ARGV from `first` to `last` says
-- that it is there, and how many keys that are: 1 or 0. Fails before the first write if the key is not a sorted set.
local function words_key(first, last, trails)
  if last < first or ARGV[first] ~= '1' then
    return nil, 0
  end
  local key = KEYS[#KEYS - trails]
  redis.call('ZCARD', key)
  return key, 1
end
