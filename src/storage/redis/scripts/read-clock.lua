-- include: now_ms
-- Reads the clock of the server that has a key.
-- KEYS  1 the key, which is not read
-- Result  milliseconds since 1970
return now_ms()
