-- include: now_ms, ms_argument, keep_queue
-- args: items[]
-- Replaces items that are still in the queue by ones that are due later. Of an answer that was lost, the repeated call finds
-- the replacement.
-- KEYS  1 the queue
-- ARGV  items: for each the item, its replacement, delay in seconds
-- Result  how many of the items, or their replacements, are in the queue
local now = now_ms()
local last
local found = 0
for i = items_first, items_last, 3 do
  local item, replacement = ARGV[i], ARGV[i + 1]
  if redis.call('ZSCORE', KEYS[1], item) then
    found = found + 1
    local due = now + tonumber(ARGV[i + 2]) * 1000
    -- The replacement comes first: while a slot of a Cluster moves, no script can write to a key after it removed it.
    redis.call('ZADD', KEYS[1], ms_argument(due), replacement)
    if replacement ~= item then
      redis.call('ZREM', KEYS[1], item)
    end
    last = math.max(last or due, due)
  elseif redis.call('ZSCORE', KEYS[1], replacement) then
    found = found + 1
  end
end
if last ~= nil then
  keep_queue(KEYS[1], now, last)
end
return found
