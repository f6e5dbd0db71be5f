-- Milliseconds since 1970 by the clock of Redis, which is the same for all replicas of redmint.
local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
