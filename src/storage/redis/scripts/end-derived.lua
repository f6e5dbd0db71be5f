-- include: assert_writable, token_with, has_name, trail_key, write_entries
-- args: client_id, actor, max_actors, entries[]
-- Revokes the derived tokens of a family in whose chain of actors a client is (RFC 8693), and notes the client, so that no
-- further token of the family is derived for it.
-- KEYS  1 the family, 2 its index, 3 its derived tokens, 4 the key of any token of the family, then the audit trail if there
--       are entries
-- ARGV  actor: the client_id as ended_actors of the grant record has it, max_actors: how many are noted, those of the last
--       calls, entries: as write_entries, written only if something changes
-- Result  how many were revoked
assert_writable(KEYS[2])
local trail, ended = trail_key(entries_first, entries_last), 0
for _, secret in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  local key = token_with(KEYS[4], secret)
  local fields = redis.call('TYPE', key).ok == 'hash' and redis.call('HMGET', key, 'client_id', 'revoked', 'act') or {}
  local has_it = fields[1] == client_id
  local is_read, read = pcall(cjson.decode, fields[3] or '')
  while is_read and type(read) == 'table' and not has_it do
    has_it, read = read.client_id == client_id and not read.iss, read.act
  end
  if has_it and fields[2] == 'false' then
    redis.call('HSET', key, 'revoked', 'true')
    ended = ended + 1
  end
end
local is_new = false
if redis.call('HGET', KEYS[1], 'status') == 'active' then
  local before = redis.call('HGET', KEYS[1], 'ended_actors') or ''
  is_new = not has_name(before, actor)
  if is_new then
    local names = { actor }
    for name in string.gmatch(before, '%S+') do
      names[#names + 1] = #names < tonumber(max_actors) and name or nil
    end
    redis.call('HSET', KEYS[1], 'ended_actors', table.concat(names, ' '))
  end
end
if ended > 0 or is_new then
  write_entries(trail, entries_first, entries_last)
end
return ended
