-- include: token_with, now_ms, is_live
-- Whether one of the tokens that a token was derived from (RFC 8693) is revoked, over or gone: `origins` has their secret
-- parts, separated by spaces (or nil). A JWT that a client got otherwise, `<secret>.jwt`, has a record only once it is
-- revoked. `now` as now_ms says (or nil: it is asked if need be), `known`: a table that notes which have ended, for further
-- tokens of the family (or nil).
local function has_ended_origin(token_key, origins, now, known)
  if not origins then
    return false
  end
  now, known = now or now_ms(), known or {}
  for origin in string.gmatch(origins, '%S+') do
    if known[origin] == nil then
      local fields = redis.call('HMGET', token_with(token_key, string.sub(origin, 1, 43)), 'revoked', 'expires_at')
      local has_record = fields[1] or fields[2]
      local is_jwt = string.sub(origin, 44) == '.jwt'
      local is_good = fields[1] == 'false' and is_live(fields[2] or nil, now)
      known[origin] = has_record and not is_good or not (has_record or is_jwt)
    end
    if known[origin] then
      return true
    end
  end
  return false
end
