-- include: keep_until
-- A queue that no server works on ends a day after its last item was due.
local function keep_queue(key, now, due)
  keep_until(key, math.max(now, due) + 86400000)
end
