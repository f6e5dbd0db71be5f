-- The clock of Redis, which all replicas of redmint share, in milliseconds since 1970.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
