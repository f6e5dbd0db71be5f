-- Returns fields of a hash as a table by their names; those that are missing are nil.
local function read_fields(key, names)
  local values, fields = redis.call('HMGET', key, unpack(names)), {}
  for i, name in ipairs(names) do
    fields[name] = values[i] or nil
  end
  return fields
end
