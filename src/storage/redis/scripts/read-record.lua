-- include: assert_writable_hash, refusal_of_write, now_ms, ms_argument, end_of_use, value_of, append
-- args: idle_ttl, end_field, used_field, fields[]
-- Reads a record, or some of its fields, and extends it by its idle lifetime, but never past its absolute expiry.
-- KEYS  1 the record
-- ARGV  idle_ttl: idle lifetime in seconds; empty: it is not extended; 0: the same, and fails on a server that accepts no
--       writes, end_field: the field with the absolute expiry in milliseconds since 1970 (or empty), used_field: the field
--       that notes the minute of this use, if the record has it (or empty), fields: the fields to read, few; without them
--       all are read
-- Result  field, value, … of the record, with further fields if it has few; nothing if it is missing, expired or has a
--         malformed expiry
local refusal = idle_ttl == '0' and refusal_of_write(KEYS[1])
if refusal then
  return refusal
end
-- One call for a small record is cheaper than one for each field.
local read = {}
if fields_first > fields_last or redis.call('HLEN', KEYS[1]) <= 32 then
  read = redis.call('HGETALL', KEYS[1])
else
  for i = fields_first, fields_last do
    local value = redis.call('HGET', KEYS[1], ARGV[i])
    if value then
      append(read, { ARGV[i], value })
    end
  end
end
local now, ends_at = now_ms(), math.huge
if end_field ~= '' then
  ends_at = tonumber(value_of(read, end_field) or redis.call('HGET', KEYS[1], end_field) or '')
end
-- Not `now > ends_at`: nothing is later than nan.
if #read == 0 or not ends_at or not (now <= ends_at) then
  assert_writable_hash(KEYS[1])
  return {}
end
if idle_ttl ~= '' and idle_ttl ~= '0' then
  redis.call('PEXPIREAT', KEYS[1], ms_argument(end_of_use(now, ends_at, idle_ttl)))
end
if used_field ~= '' then
  local used_at, minute = value_of(read, used_field) or redis.call('HGET', KEYS[1], used_field), ms_argument(now - now % 60000)
  if used_at and used_at ~= minute then
    redis.call('HSET', KEYS[1], used_field, minute)
  end
end
return read
