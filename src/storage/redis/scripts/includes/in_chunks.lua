-- Calls a command on a key with a list of any length: in chunks, because unpack fails for some thousand values. Chunks
-- have an even length, so that a field and its value stay together.
local function in_chunks(command, key, arguments)
  for first = 1, #arguments, 1000 do
    redis.call(command, key, unpack(arguments, first, math.min(first + 999, #arguments)))
  end
end
