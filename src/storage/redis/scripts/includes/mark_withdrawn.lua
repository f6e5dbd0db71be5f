-- Marks an operation as withdrawn, so that it does nothing if it arrives later. It arrives soon or never, so the mark
-- expires; no mark is needed if the record of the operation is gone.
local function mark_withdrawn(mark_key, record_key)
  local left = redis.call('PTTL', record_key)
  if left > 0 then
    redis.call('SET', mark_key, '', 'PX', math.min(left, 600000))
  end
end
