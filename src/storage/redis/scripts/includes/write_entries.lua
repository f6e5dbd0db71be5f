-- Adds entries to a trail: ARGV from `first` to `last` has its lifetime in milliseconds, then for each entry its text and
-- its signature (or empty). Call it last: what fails before has written no entry.
local function write_entries(key, first, last)
  if last < first then
    return
  end
  for i = first + 1, last, 2 do
    if ARGV[i + 1] == '' then
      redis.call('XADD', key, '*', 'entry', ARGV[i])
    else
      redis.call('XADD', key, '*', 'entry', ARGV[i], 'mac', ARGV[i + 1])
    end
  end
  redis.call('PEXPIRE', key, ARGV[first])
end
