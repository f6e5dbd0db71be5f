-- include: now_ms, ms_argument, read_counter, forget_failure
-- args: window, weight, room, counters[]
-- Counts a failure in one counter after the other. The first failure of one starts its window. If a bucket has no room for
-- another counter, those go whose window is over. If there are none, it is counted in one that all further names share, or
-- that which counts least gives way. After a counter that is beyond its limit none counts it, and those before it forget it.
-- KEYS  the bucket of each counter: a hash of counters
-- ARGV  window: its length in milliseconds, weight: as how many it counts, room: how many counters of a bucket have a field
--       of their own, counters: for each, its field, the field of the shared counter (or empty: another one gives way), its
--       limit (or empty: none)
-- Result  for each that counted it: failures in the window, milliseconds until it ends, 1 if the bucket was full
local now = now_ms()

-- Deletes the counters of a bucket whose window is over. Returns that which counts least of the others.
local function least_after_cleaning(bucket)
  local counters = redis.call('HGETALL', bucket)
  local least, fewest, first
  for i = 1, #counters, 2 do
    local failures, ends = read_counter(bucket, counters[i])
    if ends <= now then
      redis.call('HDEL', bucket, counters[i])
    elseif not least or failures < fewest or failures == fewest and ends < first then
      least, fewest, first = counters[i], failures, ends
    end
  end
  return least
end

local function count_failure(bucket, field, shared)
  local is_full = 0
  if not redis.call('HGET', bucket, field) and redis.call('HLEN', bucket) >= tonumber(room) then
    local least = least_after_cleaning(bucket)
    if redis.call('HLEN', bucket) >= tonumber(room) then
      is_full = 1
      if shared ~= '' then
        field = shared
      else
        redis.call('HDEL', bucket, least)
      end
    end
  end
  local failures, ends = read_counter(bucket, field)
  if ends <= now then
    failures, ends = 0, now + tonumber(window)
  end
  failures = failures + tonumber(weight)
  redis.call('HSET', bucket, field, failures .. ' ' .. ms_argument(ends))
  if redis.call('PTTL', bucket) < ends - now then
    redis.call('PEXPIRE', bucket, ms_argument(ends - now))
  end
  return failures, ends - now, is_full
end

local answer = {}
for i, bucket in ipairs(KEYS) do
  local at = counters_first + 3 * (i - 1)
  local failures, ends_in, is_full = count_failure(bucket, ARGV[at], ARGV[at + 1])
  answer[#answer + 1] = failures
  answer[#answer + 1] = ends_in
  answer[#answer + 1] = is_full
  if failures > (tonumber(ARGV[at + 2]) or math.huge) then
    for before = 1, i - 1 do
      local its = counters_first + 3 * (before - 1)
      forget_failure(KEYS[before], ARGV[its], ARGV[its + 1])
    end
    break
  end
end
return answer
