-- include: ms_argument, read_counter
-- Subtracts one failure from a counter, or if it has none from the one that it shares. The end of the window does not change.
local function forget_failure(bucket, field, shared)
  if not redis.call('HGET', bucket, field) then
    field = shared
  end
  local failures, ends = read_counter(bucket, field)
  if failures > 0 then
    redis.call('HSET', bucket, field, (failures - 1) .. ' ' .. ms_argument(ends))
  end
end
