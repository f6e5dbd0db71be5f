-- include: token_with
-- Whether one of the tokens that a token was derived from (RFC 8693) is revoked or gone: `origins` has their secret parts,
-- separated by spaces (or nil). A JWT that a client got otherwise, `<secret>.jwt`, has a record only once it is revoked.
local function has_ended_origin(token_key, origins)
  for origin in string.gmatch(origins or '', '%S+') do
    local revoked = redis.call('HGET', token_with(token_key, string.sub(origin, 1, 43)), 'revoked')
    local is_live = revoked == 'false' or not revoked and string.sub(origin, 44) == '.jwt'
    if not is_live then
      return true
    end
  end
  return false
end
