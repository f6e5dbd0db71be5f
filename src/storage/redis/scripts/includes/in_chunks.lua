-- Calls a command on a key with the arguments ARGV from `first` to `last`, if there are any: in chunks, because unpack
-- fails for some thousand values. Chunks have an even length, so that a field and its value stay together.
local function in_chunks(command, key, first, last)
  for i = first, last, 1000 do
    redis.call(command, key, unpack(ARGV, i, math.min(i + 999, last)))
  end
end
