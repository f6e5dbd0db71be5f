-- Returns the key of the audit trail, the last one, if ARGV from `first` to `last` has entries for it, and how many keys
-- that are: 1 or 0. Fails before the first write if the key is not a stream, so that there is no change without its entries.
local function trail_key(first, last)
  if last < first then
    return nil, 0
  end
  redis.call('XLEN', KEYS[#KEYS])
  return KEYS[#KEYS], 1
end
