-- When something ends that is used now: at `ends_at` (milliseconds since 1970), or sooner if it is not used for
-- `idle_ttl` seconds. An empty `idle_ttl` sets no limit.
local function end_of_use(now, ends_at, idle_ttl)
  if idle_ttl == '' then
    return ends_at
  end
  return math.min(ends_at, now + tonumber(idle_ttl) * 1000)
end
