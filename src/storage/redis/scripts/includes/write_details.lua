-- Adds to an access token what it is for in detail (RFC 9396): what its request asks for, or all of the code or grant. None
-- are not written.
local function write_details(key, asked, owner)
  local details = asked ~= '' and asked or owner.authorization_details
  if details then
    redis.call('HSET', key, 'authorization_details', details)
  end
end
