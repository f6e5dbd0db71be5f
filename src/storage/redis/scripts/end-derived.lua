-- include: assert_writable, token_with, trail_key, write_entries
-- args: client_id, entries[]
-- Revokes the derived tokens of a family in whose chain of actors a client is (RFC 8693).
-- KEYS  1 the family's index, 2 its derived tokens, 3 the key of any token of the family, then the audit trail if there are
--       entries
-- ARGV  entries: as write_entries, written only if something changes
-- Result  how many were revoked
assert_writable(KEYS[1])
local trail, ended = trail_key(entries_first, entries_last), 0
for _, secret in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local key = token_with(KEYS[3], secret)
  local fields = redis.call('TYPE', key).ok == 'hash' and redis.call('HMGET', key, 'client_id', 'revoked', 'act') or {}
  local has_it = fields[1] == client_id
  local is_read, actor = pcall(cjson.decode, fields[3] or '')
  while is_read and type(actor) == 'table' and not has_it do
    has_it, actor = actor.client_id == client_id and not actor.iss, actor.act
  end
  if has_it and fields[2] == 'false' then
    redis.call('HSET', key, 'revoked', 'true')
    ended = ended + 1
  end
end
if ended > 0 then
  write_entries(trail, entries_first, entries_last)
end
return ended
