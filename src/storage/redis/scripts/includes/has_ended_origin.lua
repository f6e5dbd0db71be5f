-- include: token_with, now_ms, is_live
-- Whether one of the tokens that a token was derived from (RFC 8693) is revoked, over or gone: `origins` has their secret
-- parts, separated by spaces (or nil). A JWT that a client got otherwise, `<secret>.jwt`, has a record only once it is
-- revoked. `now` as now_ms says (or nil: it is asked if need be).
local function has_ended_origin(token_key, origins, now)
  if not origins then
    return false
  end
  now = now or now_ms()
  for origin in string.gmatch(origins, '%S+') do
    local fields = redis.call('HMGET', token_with(token_key, string.sub(origin, 1, 43)), 'revoked', 'expires_at')
    local has_record = fields[1] or fields[2]
    local is_jwt = string.sub(origin, 44) == '.jwt'
    if has_record and not (fields[1] == 'false' and is_live(fields[2] or nil, now)) or not (has_record or is_jwt) then
      return true
    end
  end
  return false
end
