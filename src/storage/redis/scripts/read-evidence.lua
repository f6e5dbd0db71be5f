-- include: refusal_of_write
-- args: digest
-- Reads evidence. It fails on a server that accepts no writes, because that may be out of date.
-- KEYS  1 the evidence of the account: a hash of JSON texts by digest
-- ARGV  digest: that of its secret
-- Result  its JSON text, or nil
return refusal_of_write(KEYS[1]) or redis.call('HGET', KEYS[1], digest)
