-- include: assert_writable_hash, refusal_of_write, now_ms, ms_argument, end_of_use, value_of
-- args: idle_ttl, end_field, used_field, expected[], fields[]
-- Reads a record that is as expected, or some of its fields, and extends it by its idle lifetime, but never past its
-- absolute expiry.
-- KEYS  1 the record
-- ARGV  idle_ttl: idle lifetime in seconds; empty: it is not extended; 0: the same, and fails on a server that accepts no
--       writes, end_field: the field with the absolute expiry in milliseconds since 1970 (or empty), used_field: the field
--       that notes the minute of this use, if the record has it (or empty), expected: fields that it must have: field,
--       value, …, fields: the fields to read, few, and then used_field if there is one; without them all are read
-- Result  the values of end_field and the fields (false: the record has no such field), or field, value, … of the whole
--       record; nothing if it is missing, not as expected, expired or has a malformed expiry
local refusal = idle_ttl == '0' and refusal_of_write(KEYS[1])
if refusal then
  return refusal
end
local read, has_some, ends_at, used_at
local is_expected = true
if fields_first > fields_last then
  read = redis.call('HGETALL', KEYS[1])
  has_some, ends_at, used_at = #read > 0, value_of(read, end_field), value_of(read, used_field)
  for i = expected_first, expected_last, 2 do
    is_expected = is_expected and value_of(read, ARGV[i]) == ARGV[i + 1]
  end
else
  local names = { unpack(ARGV, fields_first, fields_last) }
  for i = expected_first, expected_last, 2 do
    names[#names + 1] = ARGV[i]
  end
  read = redis.call('HMGET', KEYS[1], end_field, unpack(names))
  for i = expected_last, expected_first, -2 do
    is_expected = table.remove(read) == ARGV[i] and is_expected
  end
  if used_field ~= '' then
    used_at = table.remove(read)
  end
  ends_at = read[1]
  for i = 2, #read do
    has_some = has_some or read[i]
  end
end
local now = now_ms()
local last = end_field == '' and math.huge or tonumber(ends_at or '')
-- Not `now > last`: nothing is later than nan.
if not has_some or not is_expected or not last or not (now <= last) then
  assert_writable_hash(KEYS[1])
  return {}
end
if idle_ttl ~= '' and idle_ttl ~= '0' then
  redis.call('PEXPIREAT', KEYS[1], ms_argument(end_of_use(now, last, idle_ttl)))
end
if used_field ~= '' then
  local minute = now - now % 60000
  if used_at and tonumber(used_at) ~= minute then
    redis.call('HSET', KEYS[1], used_field, ms_argument(minute))
  end
end
return read
