-- include: note_jwt, now_ms
-- args: ttl, noted
-- Notes a JWT of a client for itself, whose status is in a list.
-- KEYS  1 where such JWTs are noted
-- ARGV  ttl: how long, in seconds, noted: what is noted
-- Result  'ok'
note_jwt(KEYS[1], noted, now_ms() + math.floor(ttl * 1000))
return 'ok'
