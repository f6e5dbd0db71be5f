-- When something that is used now expires: at `ends_at` (milliseconds since 1970), or after `idle_ttl` seconds without
-- use. An empty `idle_ttl` sets no limit.
local function end_of_use(now, ends_at, idle_ttl)
  if idle_ttl == '' then
    return ends_at
  end
  return math.min(ends_at, now + math.floor(tonumber(idle_ttl) * 1000))
end
