-- include: keep_until
-- Keeps a queue until a day after its last item is due.
local function keep_queue(key, now, due)
  keep_until(key, math.max(now, due) + 86400000, now)
end
