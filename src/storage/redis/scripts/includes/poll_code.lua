-- include: now_ms, ms_argument, whole_number
-- Notes a poll of a code that waits for the answer of its user. Returns 'pending', or 'slow_down' if it is more than a
-- second early: then the interval grows by five seconds (RFC 8628 §3.5). A poll that is sent again gets the same answer.
local function poll_code(code_key, code, operation)
  if code.polled_by == operation then
    return code.poll_answer
  end
  -- The default is that of RFC 8628 section 3.2.
  local now, interval, answer = now_ms(), whole_number(code.interval) or 5, 'pending'
  if now < (whole_number(code.polled_at) or 0) + (interval - 1) * 1000 then
    interval, answer = interval + 5, 'slow_down'
  end
  redis.call(
    'HSET', code_key,
    'interval', interval,
    'polled_at', ms_argument(now),
    'polled_by', operation,
    'poll_answer', answer
  )
  return answer
end
