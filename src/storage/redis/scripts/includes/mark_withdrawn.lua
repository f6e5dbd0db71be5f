-- Makes an operation that has not run yet do nothing when it arrives. It is on its way, so it arrives soon or never;
-- if the record is gone that it is about, there is nothing left for it to do.
local function mark_withdrawn(mark_key, record_key)
  local left = redis.call('PTTL', record_key)
  if left > 0 then
    redis.call('SET', mark_key, '', 'PX', math.min(left, 600000))
  end
end
