-- Whether a record still has the fields from which its words were made: ARGV from `first` + 3 to `last` has field, value, …;
-- an empty value is that of a missing field, too.
local function has_read_words(key, first, last)
  for i = first + 3, last, 2 do
    if (redis.call('HGET', key, ARGV[i]) or '') ~= ARGV[i + 1] then
      return false
    end
  end
  return true
end
