-- include: assert_writable_hash, ms_argument, write_records, trail_key, write_entries
-- args: field, entries[], record[]
-- Writes a client that registers itself, and takes one use from its invitation.
-- KEYS  1 the invitation, 2 the client; without it nothing is written; then the audit trail if there are entries
-- ARGV  field: that of the invitation with the uses that are left, entries and record: the client as in put-records
-- Result  'ok' | 'missing' if there is no such invitation, or it has no use left
local invitation = KEYS[1]
local left = tonumber(redis.call('HGET', invitation, field) or '0')
-- Text that is not a number reads as nil, and the text `nan` as a number for which every comparison is false.
if not left or not (left >= 1) then
  assert_writable_hash(invitation)
  return 'missing'
end
if #KEYS == 1 then
  return 'ok'
end
local trail = trail_key(entries_first, entries_last)
write_records(2, record_first, 2)
if not (left >= 2) then
  redis.call('DEL', invitation)
else
  redis.call('HSET', invitation, field, ms_argument(left - 1))
end
write_entries(trail, entries_first, entries_last)
return 'ok'
