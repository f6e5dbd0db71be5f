-- Reads an entry of the bounded list KEYS[1], a hash of `<end> <owner> <kind> <text>` by name: these four, or nothing if
-- there is none. The end is in milliseconds since 1970, and `-` is no kind. The field ` <kind>` has how many more there were
-- of a kind.
local function read_entry(name)
  return string.match(redis.call('HGET', KEYS[1], name) or '', '^(%d+) (%S+) (%S+) (.*)$')
end
