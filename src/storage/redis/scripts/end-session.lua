-- Ends a session, and tells one caller what it was.
-- KEYS  1 the session
-- Result  field, value, … of the session; nothing where there is none
local session = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return session
