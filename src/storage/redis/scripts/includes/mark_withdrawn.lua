-- Marks an operation as withdrawn, so that it does nothing if it arrives later. It arrives soon or never, so the mark
-- expires; no mark is needed if none of these keys exists: then nothing can be spent.
local function mark_withdrawn(mark_key, ...)
  local left = 0
  for _, key in ipairs({ ... }) do
    left = math.max(left, redis.call('PTTL', key))
  end
  if left > 0 then
    redis.call('SET', mark_key, '', 'PX', math.min(left, 600000))
  end
end
